import type { Page } from "playwright-core";
import { Temporal } from "temporal-polyfill";
import { describe, expect } from "vitest";
import { makeDemo } from "#main/demo.ts";
import { demoPassword } from "#features/auth/demo-passwords.ts";
import { listAttorneys } from "#features/attorneys/contract.ts";
import { listChecks } from "#features/checks/contract.ts";
import { listMatters } from "#features/matters/contract.ts";
import { misfitsAt } from "#tests/support/misfits.ts";
import { aVisitor, type Visitor } from "#tests/support/visitor.ts";
import { aWatchedPage } from "#tests/support/watched-page.ts";
import { app } from "#tests/support/app-test.ts";
import { address, browser, pageTest } from "#tests/support/page-test.ts";

/*
 * Every screen fits its window, whatever its width, with the demo's records and with names as long as people have them.
 * every-screen.full.test.ts looks at each in other ways.
 */

const clock = "2026-11-30T17:00:00Z";

/** Of phones, of windows beside others, of screens; and on either side of where the layout changes. */
const widths = [
  320, 360, 375, 414, 480, 540, 600, 660, 719, 721, 740, 760, 780, 800, 820, 850, 880, 900, 930,
  960, 990, 1023, 1025, 1040, 1080, 1120, 1151, 1153, 1200, 1280, 1366, 1440, 1600,
];

let admin: Visitor;
let lawyer: Visitor;

const test = pageTest({ clock });
test.beforeAll(async () => {
  await makeDemo(app.pool, () => Temporal.Instant.from(clock));
  admin = await signedInAs("admin@demo.test");
  lawyer = await signedInAs("attorney@demo.test");
  await giveLongNames();
});

async function signedInAs(email: string): Promise<Visitor> {
  const visitor = aVisitor(app);
  await visitor.send("POST", "/api/auth/sign-in/email", { email, password: demoPassword });
  return visitor;
}

/** To an attorney, and to a referral in each state, of which some are that attorney's. */
async function giveLongNames(): Promise<void> {
  const longName = {
    firstName: "Maximiliana-Theodora",
    lastName: "Featherstonehaugh-Cholmondeley",
    email: "maximiliana.featherstonehaugh-cholmondeley@north-harbor-legal-associates.example",
    phone: "(555) 010-4477 x12345",
  };
  const { id } = (await admin.call(listAttorneys)).items[3] ?? { id: 0 };
  await app.db.updateTable("attorneys").set(longName).where("id", "=", id).execute();
  for (const status of ["new", "open", "closed"]) {
    const matter = (await admin.call(listMatters, { query: { status } })).items[0];
    await app.db
      .updateTable("matters")
      .set({ ...longName, ...(matter?.attorneyId && { attorneyId: id }) })
      .where("id", "=", matter?.id ?? 0)
      .execute();
  }
}

const firstOf = async (query: { search?: string; status?: string }) =>
  (await admin.call(listAttorneys, { query })).items[0]?.id ?? 0;

interface Screen {
  visitor: () => Visitor;
  path: () => string | Promise<string>;
  /** What stands there once all of it has come. */
  shows: (page: Page) => Promise<unknown>;
}

const aRow = (table: string) => (page: Page) =>
  page.getByRole("table", { name: table }).locator("tbody th").first().waitFor();
const byAdmin = { visitor: () => admin };
const byLawyer = { visitor: () => lawyer };

const screens: Record<string, Screen> = {
  today: {
    ...byAdmin,
    path: () => "/admin",
    shows: (page) => page.getByRole("application").first().waitFor(),
  },
  "card payments": {
    ...byAdmin,
    path: () => "/admin/card-payments",
    shows: (page) => page.getByRole("heading", { name: "Unapplied charges" }).waitFor(),
  },
  mail: { ...byAdmin, path: () => "/admin/mail", shows: aRow("Mail") },
  attorneys: { ...byAdmin, path: () => "/admin/attorneys", shows: aRow("Attorneys") },
  "an attorney": {
    ...byAdmin,
    path: async () => `/admin/attorneys/${await firstOf({ search: "attorney@demo.test" })}`,
    shows: aRow("Outstanding Debits"),
  },
  referrals: { ...byAdmin, path: () => "/admin/matters", shows: aRow("Referrals") },
  "overdue referrals": {
    ...byAdmin,
    path: () => "/admin/matters?status=overdue",
    shows: aRow("Referrals"),
  },
  "a referral": {
    ...byAdmin,
    path: async () => {
      const open = await admin.call(listMatters, { query: { status: "open" } });
      return `/admin/matters/${open.items[0]?.id}`;
    },
    shows: (page) => page.getByRole("heading", { name: "Status reports" }).waitFor(),
  },
  checks: { ...byAdmin, path: () => "/admin/checks?status=all", shows: aRow("Checks") },
  payments: { ...byAdmin, path: () => "/admin/payments", shows: aRow("Payments") },
  debits: { ...byAdmin, path: () => "/admin/debits", shows: aRow("Debits") },
  receivables: {
    ...byAdmin,
    path: () => "/admin/receivables",
    shows: aRow("Receivables by attorney"),
  },
  deposits: { ...byAdmin, path: () => "/admin/deposits", shows: aRow("Deposits") },
  firms: { ...byAdmin, path: () => "/admin/firms", shows: aRow("Firms") },
  "a check": {
    ...byAdmin,
    path: async () => `/admin/checks/${(await admin.call(listChecks)).items[0]?.id}`,
    shows: aRow("What it is for"),
  },
  "recording a check": {
    ...byAdmin,
    path: async () => {
      const owing = await firstOf({ search: "attorney@demo.test" });
      return `/admin/checks/new?attorney_id=${owing}`;
    },
    shows: aRow("Open debits"),
  },
  subscriptions: {
    ...byAdmin,
    path: () => "/admin/subscriptions",
    shows: aRow("Your Subscriptions"),
  },
  reports: {
    ...byAdmin,
    path: () => "/admin/reports",
    shows: (page) => page.getByText("Select a report type").waitFor(),
  },
  activity: { ...byAdmin, path: () => "/admin/activity", shows: aRow("Activity") },
  settings: { ...byAdmin, path: () => "/admin/settings/people", shows: aRow("Administrators") },
  brand: {
    ...byAdmin,
    path: () => "/admin/settings/network",
    shows: (page) => page.getByLabel("Postal address").waitFor(),
  },
  "a lawyer's subscriptions": {
    ...byLawyer,
    path: () => "/dashboard?view=subscriptions",
    shows: (page) => page.getByRole("table").first().waitFor(),
  },
  "what a lawyer owes": {
    ...byLawyer,
    path: () => "/dashboard",
    shows: (page) => page.getByRole("table").first().waitFor(),
  },
  "what a lawyer has paid": {
    ...byLawyer,
    path: () => "/dashboard?view=payments",
    shows: (page) => page.getByRole("table").first().waitFor(),
  },
  "a lawyer's referrals": {
    ...byLawyer,
    path: () => "/dashboard/referrals",
    shows: (page) => page.getByRole("table").first().waitFor(),
  },
};

describe("from 320 to 1,600 px nothing is cut off or lies over anything else on the screen of", () => {
  test.each(Object.entries(screens))("%s", async (_, { visitor, path, shows }) => {
    const watched = await aWatchedPage(browser, { address, visitor: visitor(), clock });
    await watched.page.goto(await path());
    await shows(watched.page);
    const faults: string[] = [];
    for (const width of widths) faults.push(...(await misfitsAt(watched.page, width)));
    await watched.close();
    expect(faults).toEqual([]);
  });
});
