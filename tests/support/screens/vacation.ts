import { beforeEach } from "vitest";
import { app, attorney, network } from "#tests/support/app-test.ts";
import { page, pageTest } from "#tests/support/page-test.ts";

/* Ada Byron's vacation, on an administrator's page. */

/** Noon of 11/30/2026 in the network's time zone, for the server and the browser. */
const clock = "2026-11-30T17:00:00Z";

/** Each test begins at noon, whatever the previous one did to the server's clock. */
export function vacationTest() {
  const test = pageTest({
    clock,
    network: {},
    attorney: { firstName: "Ada", lastName: "Byron" },
    by: "admin",
  });
  beforeEach(async () => {
    app.setClock(clock);
  });
  return test;
}

export const until = () => page.getByLabel("Vacation until:");
export const unpause = () => page.getByRole("button", { name: "Unpause" });
/** The line below the attorney's name. */
export const heading = () => page.getByRole("main").locator("h1 + *");

export async function openAttorney(): Promise<void> {
  await page.goto(`/admin/attorneys/${attorney.id}`);
  await page.getByRole("heading", { name: "Ada Byron" }).waitFor();
}

/** Put the test's attorney on vacation until a date, or back; only the record, without email or activity. */
export async function setPausedUntil(pausedUntil: string | null): Promise<void> {
  await app.db
    .updateTable("attorneys")
    .set({ pausedUntil })
    .where("networkId", "=", network.id)
    .where("id", "=", attorney.id)
    .execute();
}
