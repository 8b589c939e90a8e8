import { Temporal } from "temporal-polyfill";
import { expect } from "vitest";
import { makeDemo } from "#main/demo.ts";
import { firstScreens } from "#main/first-screens.ts";
import { demoPassword } from "#features/auth/demo-passwords.ts";
import { dialogFaults } from "#tests/support/keyboard-walk.ts";
import { smallFields } from "#tests/support/misfits.ts";
import { app } from "#tests/support/app-test.ts";
import { openPage, page, pageTest } from "#tests/support/page-test.ts";
import { aVisitor, type Visitor } from "#tests/support/visitor.ts";

/*
 * No field of the product makes an iPhone zoom in, on any screen with the demo's records, in its tabs and in the dialogs
 * that its buttons open. Narrower and wider phones: every-screen.full.test.ts.
 */

const clock = "2026-11-30T17:00:00Z";

/** A record of each screen of one, by the address without it. */
const records: Record<string, number> = {};
let admin: Visitor;
let lawyer: Visitor;

const test = pageTest({ clock });
test.beforeAll(async () => {
  await makeDemo(app.pool, () => Temporal.Instant.from(clock));
  admin = await signedInAs("admin@demo.test");
  lawyer = await signedInAs("attorney@demo.test");
  const { id: attorney, networkId } = await app.db
    .selectFrom("attorneys")
    .select(["id", "networkId"])
    .where("email", "=", "attorney@demo.test")
    .executeTakeFirstOrThrow();
  const first = async (table: "matters" | "receivedChecks" | "plans" | "firms" | "deposits") =>
    (
      await app.db
        .selectFrom(table)
        .select("id")
        .where("networkId", "=", networkId)
        .orderBy("id")
        .executeTakeFirstOrThrow()
    ).id;
  const payment = await app.db
    .selectFrom("payments")
    .select("id")
    .where("attorneyId", "=", attorney)
    .executeTakeFirstOrThrow();
  Object.assign(records, {
    "/receipts/": payment.id,
    "/statements/": attorney,
    "/admin/attorneys/": attorney,
    "/admin/matters/": await first("matters"),
    "/admin/checks/": await first("receivedChecks"),
    "/admin/firms/": await first("firms"),
    "/admin/deposits/": await first("deposits"),
    "/admin/plans/": await first("plans"),
  });
});

async function signedInAs(email: string): Promise<Visitor> {
  const visitor = aVisitor(app);
  await visitor.send("POST", "/api/auth/sign-in/email", { email, password: demoPassword });
  return visitor;
}

const settingsPages = ["network", "suspension", "card-payments", "mail", "people", "integrations"];

const addresses = firstScreens.screens.flatMap(({ path }) => {
  const address = path.source.slice(1, -1).replaceAll("\\/", "/");
  return address.endsWith("/settings/([a-z-]+)")
    ? settingsPages.map((name) => `/admin/settings/${name}`)
    : [address];
});

function visitorOf(address: string): Visitor {
  if (address.startsWith("/sign-in")) return aVisitor(app);
  return address.startsWith("/admin") ? admin : lawyer;
}

async function settle(): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.waitForLoadState("networkidle");
  await page.getByText("Loading...", { exact: true }).first().waitFor({ state: "detached" });
}

test.each(addresses)("on a phone every field of %s has text of 16 px or more", async (address) => {
  await openPage({ visitor: visitorOf(address), clock, mayComplain: true });
  await page.setViewportSize({ width: 375, height: 740 });
  await page.goto(
    address.replace(/^(.*\/)\(\[1-9\]\\d\*\)/, (_, of: string) => `${of}${records[of]}`),
  );
  await settle();
  const faults: string[] = [];
  const tabs = await page.getByRole("tab").allInnerTexts();
  for (const tab of tabs.length > 0 ? tabs : [null]) {
    if (tab !== null) await page.getByRole("tab", { name: tab, exact: true }).click();
    await settle();
    faults.push(...(await page.evaluate(smallFields)));
    await dialogFaults(page, async (shown) => {
      faults.push(...(await shown.evaluate(smallFields)));
      await shown.keyboard.press("Escape");
      return [];
    });
  }
  expect([...new Set(faults)].join("\n")).toBe("");
});
