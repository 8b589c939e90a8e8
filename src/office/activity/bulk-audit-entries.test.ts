import { sql } from "kysely";
import { beforeEach, describe, expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { listActivity } from "#office/activity/contract.ts";
import { pauseAttorney } from "#people/contract.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import {
  archivePlan,
  createPlan,
  enrolAttorney,
  subscribeAll,
  undoSubscribeAll,
  unsubscribe,
} from "#dues/plans/contract.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";

/* What bulk changes did to one attorney, as the attorney's History shows it. */

let maya: MadeAttorney;
let grace: MadeAttorney;

const test = appTest({
  asOwner: true,
  clock: "2026-11-30T17:00:00Z",
  network: { timeZone: "America/New_York" },
});
beforeEach(async () => {
  maya = await makeAttorney(app.db, network, { firstName: "Maya", lastName: "Okafor" });
  grace = await makeAttorney(app.db, network, { firstName: "Grace", lastName: "Hopper" });
});

const historyOf = (attorney: MadeAttorney, query: object = {}) =>
  admin.call(listActivity, { query: { attorney_id: attorney.id, ...query } });
const actionsOf = async (attorney: MadeAttorney, query: object = {}) =>
  (await historyOf(attorney, query)).items.map(({ action }) => action);

async function aPlan(name = "Panel dues"): Promise<number> {
  const body = { name, payment_amount: "50", payment_frequency_in_months: 1 };
  return (await admin.call(createPlan, { body })).id;
}

async function subscribeEverybody(plan: number, more: object = {}) {
  const body = { lrs_subscription_id: plan, start_date: "2026-11-30", ...more };
  await admin.call(subscribeAll, { body });
}

const archive = (plan: number) =>
  admin.call(archivePlan, { params: { id: plan }, body: { archived: true } });
const bill = (day: string) => runBilling(app.db, network.admin, plainDate(day));

describe("an attorney's history", () => {
  test("shows that a Subscribe all was undone, and what was reversed", async () => {
    const plan = await aPlan();
    await subscribeEverybody(plan, { bill_immediately: true });
    const [entry] = (await admin.call(listActivity)).items;
    expect(entry?.undoBatchId).toEqual(expect.any(Number));
    await admin.call(undoSubscribeAll, { params: { id: entry?.undoBatchId } });
    await subscribeEverybody(plan);
    const items = (await historyOf(maya)).items;
    expect(items.map(({ action, undoBatchId }) => [action, undoBatchId])).toEqual([
      ["enrolled by Subscribe all", null],
      ["unsubscribed by undoing Subscribe all", null],
      ["enrolled by Subscribe all", null],
    ]);
    expect(items[1]).toMatchObject({
      before: { archived: false },
      after: { archived: true, reversed: "50.00" },
    });
    expect(items[0]?.after).not.toHaveProperty("amount");
    const [, undone, done] = (await admin.call(listActivity)).items;
    expect([undone?.action, done?.undoBatchId]).toEqual(["undid Subscribe all", null]);
  });

  test("shows an enrolment by Subscribe all, its terms, and what was billed immediately", async () => {
    const plan = await aPlan();
    await subscribeEverybody(plan, { bill_immediately: true, note: "Spring drive" });
    const later = await makeAttorney(app.db, network);
    expect((await historyOf(maya)).items).toMatchObject([
      {
        who: "Ada Min",
        action: "enrolled by Subscribe all",
        recordType: "plan",
        recordId: plan,
        recordName: "Panel dues",
        before: null,
        after: {
          startDate: "2026-11-30",
          note: "Spring drive",
          amount: "50.00",
          debits: ["$50.00 for Panel dues, due 11/30/2026"],
        },
      },
    ]);
    expect((await historyOf(later)).total).toBe(0);
  });

  test("shows each billing run that billed the attorney, and no other", async () => {
    await subscribeEverybody(await aPlan());
    await subscribeEverybody(await aPlan("Website listing"));
    const grown = await makeAttorney(app.db, network);
    await bill("2026-12-30");
    await bill("2027-01-30");
    await bill("2027-01-30"); // nothing is due any more
    const { items } = await historyOf(maya);
    expect(items.slice(0, 2)).toMatchObject([
      {
        action: "billed",
        recordType: "billing run",
        recordName: "As of 01/30/2027",
        after: {
          amount: "100.00",
          debits: [
            "$50.00 for Panel dues, due 01/30/2027",
            "$50.00 for Website listing, due 01/30/2027",
          ],
        },
      },
      { action: "billed", recordName: "As of 12/30/2026", after: { amount: "100.00" } },
    ]);
    expect(items).toHaveLength(4);
    expect((await historyOf(grown)).total).toBe(0);
  });

  test("shows that archiving ended an enrolment, and what was billed before", async () => {
    const plan = await aPlan();
    await subscribeEverybody(plan, { start_date: "2026-12-01" });
    await subscribeEverybody(await aPlan("Website listing"));
    await app.db
      .updateTable("networks")
      .set({ timeZone: "Pacific/Kiritimati" }) // where it is already 12/01
      .where("id", "=", network.id)
      .execute();
    await archive(plan);
    expect((await historyOf(maya)).items[0]).toMatchObject({
      action: "unsubscribed by archiving",
      recordType: "plan",
      recordId: plan,
      recordName: "Panel dues",
      before: { archived: false },
      after: { archived: true, debits: ["$50.00 for Panel dues, due 12/01/2026"] },
    });
    expect(await actionsOf(maya)).toEqual([
      "unsubscribed by archiving",
      "enrolled by Subscribe all",
      "enrolled by Subscribe all",
    ]);
  });

  test("shows the attorney's own changes once, and none of other attorneys", async () => {
    const plan = await aPlan();
    const body = {
      attorney_id: maya.id,
      lrs_subscription_id: plan,
      start_date: "2026-11-30",
      bill_immediately: true,
    };
    const enrolment = await admin.call(enrolAttorney, { body });
    await subscribeEverybody(plan); // already enrolled
    await admin.call(unsubscribe, { params: { id: enrolment.id }, body: { archived: true } });
    await archive(plan); // already unsubscribed
    expect(await actionsOf(maya)).toEqual(["unsubscribed", "enrolled"]);
    expect(await actionsOf(grace)).toEqual([
      "unsubscribed by archiving",
      "enrolled by Subscribe all",
    ]);
  });

  test("is newest first across pages, each entry once", async () => {
    const plan = await aPlan();
    await subscribeEverybody(plan);
    for (const month of ["2026-12-30", "2027-01-30", "2027-02-28"]) {
      await bill(month);
      const body = { attorney_id: maya.id, paused_until: "2099-01-01" };
      await admin.call(pauseAttorney, { body });
    }
    await archive(plan);
    const whole = await historyOf(maya);
    expect(whole.total).toBe(8);
    expect(whole.items.map(({ id }) => id)).toEqual(
      whole.items.map(({ id }) => id).toSorted((a, b) => b - a),
    );
    const pages = [];
    for (let page = 1; page <= 3; page += 1)
      pages.push(...(await historyOf(maya, { page, per_page: 3 })).items);
    expect(pages).toEqual(whole.items);
  });

  test("can also be filtered by record and person", async () => {
    const plan = await aPlan();
    await subscribeEverybody(plan);
    await bill("2026-12-30");
    expect(await actionsOf(maya, { record_type: "billing run" })).toEqual(["billed"]);
    expect(await actionsOf(maya, { record_type: "plan" })).toEqual(["enrolled by Subscribe all"]);
    expect(await actionsOf(maya, { who: "Nobody" })).toEqual([]);
    expect(await actionsOf(maya, { from: "2026-12-01" })).toEqual([]);
  });

  test("lists a limited number of a run's debits, with the count of the rest", async () => {
    const { id: run } = await app.db
      .insertInto("billingRuns")
      .values({ networkId: network.id, asOf: "2026-11-30", startedBy: "Ada Min" })
      .returning("id")
      .executeTakeFirstOrThrow();
    const made = [];
    for (let count = 0; count < 14; count += 1)
      made.push(await makeDebit(app.db, network, maya, { amountCents: 100 }));
    await sql`alter table debits disable trigger user`.execute(app.db);
    await app.db.updateTable("debits").set({ billingRunId: run }).where("id", "in", made).execute();
    await sql`alter table debits enable trigger user`.execute(app.db);
    await sql`insert into audit_entries (network_id, actor_name, action, record_type, record_id)
      values (${network.id}, 'Daily billing', 'billed', 'billing run', ${run})`.execute(app.db);
    const one = expect.stringMatching(/^\$1\.00 for Panel dues, due /);
    const debits = [...Array.from({ length: 12 }, () => one), "and 2 more"];
    expect((await historyOf(maya)).items).toMatchObject([{ after: { amount: "14.00", debits } }]);
  });
});

test("the activity of all attorneys shows the whole change", async () => {
  const plan = await aPlan();
  await subscribeEverybody(plan);
  await archive(plan);
  const { items } = await admin.call(listActivity);
  expect(items).toMatchObject([
    { action: "archived", after: { archived: true, unsubscribed: 2 } },
    { action: "subscribed all", after: { subscribed: 2 } },
    { action: "defined" },
  ]);
});

test("another network's runs and plans are in nobody's history here", async () => {
  const elsewhere = await makeNetwork(app.db);
  const stranger = await signedIn(app, "admin", elsewhere);
  await makeAttorney(app.db, elsewhere);
  const body = { name: "Dues", payment_amount: "50", payment_frequency_in_months: 1 };
  const plan = await stranger.call(createPlan, { body });
  await stranger.call(subscribeAll, {
    body: { lrs_subscription_id: plan.id, start_date: "2026-11-30" },
  });
  expect((await historyOf(maya)).total).toBe(0);
});
