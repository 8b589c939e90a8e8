import { Temporal } from "temporal-polyfill";
import { beforeEach } from "vitest";
import { dayIn } from "#kit/domain/calendar.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { admin, app, network } from "#tests/support/app-test.ts";
import { openPage, page, pageTest } from "#tests/support/page-test.ts";

/* Reports of a network with two attorneys, Grace Hopper and Ada Byron, as an administrator orders them. */

export let grace: MadeAttorney;
/** The day where the network is. */
export let today: string;

export function reportsTest() {
  const test = pageTest({ network: { timeZone: "Pacific/Kiritimati" } });
  beforeEach(async () => {
    // Where it is another day than at the server's, most of the time.
    const now = Temporal.Now.instant(); // it stands still for the browser: no day turns in the middle
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

/** Of the chosen type: its dialog opens, or it is ordered at once. */
export async function pressCreate(): Promise<void> {
  await page.getByRole("button", { name: "Create report" }).click();
}

/** The row of a report in the list of those that were ordered. */
export const rowOf = (report: string) =>
  page
    .getByRole("table", { name: "Reports", exact: true })
    .getByRole("row", { name: new RegExp(`^${report}\\b`) });

/** The text of what has focus. */
export const focusedText = () =>
  page.evaluate(() =>
    document.activeElement instanceof HTMLElement ? document.activeElement.innerText : null,
  );
