import { Temporal } from "temporal-polyfill";
import { beforeEach } from "vitest";
import { dayIn } from "#kit/domain/calendar.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { admin, app, network } from "#tests/support/app-test.ts";
import { openPage, page, pageTest } from "#tests/support/page-test.ts";

/* Reports of a network with two attorneys, Grace Hopper and Ada Byron, as an administrator orders them. */

export let grace: MadeAttorney;
/** The date in the network's time zone. */
export let today: string;

export function reportsTest() {
  const test = pageTest({ network: { timeZone: "Pacific/Kiritimati" } });
  beforeEach(async () => {
    // Where the date differs from the server's most of the time.
    const now = Temporal.Now.instant(); // the browser's clock stands still, so that the date cannot change
    today = dayIn(network.timeZone, now).toString();
    grace = await makeAttorney(app.db, network, { firstName: "Grace", lastName: "Hopper" });
    await makeAttorney(app.db, network, { firstName: "Ada", lastName: "Byron" });
    await openPage({ visitor: admin, clock: now.toString() });
  });
  return test;
}

export async function openReports(): Promise<void> {
  await page.goto("/admin/reports");
  await page.getByRole("heading", { name: "Prepared reports" }).waitFor();
}

export async function chooseType(label: string): Promise<void> {
  await page.getByLabel("Report type").click();
  await page.getByRole("option", { name: label, exact: true }).click();
}

/** Choose a type: its dialog opens, or it is ordered immediately. */
export async function pressCreate(): Promise<void> {
  await page.getByRole("button", { name: "Create report" }).click();
}

/** A report's row in the list of ordered reports. */
export const rowOf = (report: string) =>
  page
    .getByRole("table", { name: "Reports", exact: true })
    .getByRole("row", { name: new RegExp(`^${report}\\b`) });

/** The text of what has focus. */
export const focusedText = () =>
  page.evaluate(() =>
    document.activeElement instanceof HTMLElement ? document.activeElement.innerText : null,
  );
