import { beforeEach, expect } from "vitest";
import { listActivity } from "#office/activity/contract.ts";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan, type MadePlan } from "#main/demo/records/dues.ts";
import { makeEnrolment } from "#tests/support/records/dues.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import * as contract from "#dues/plans/contract.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { ledgerOffences } from "#tests/support/ledger.ts";

const test = appTest({ clock: "2026-05-10T16:00:00Z", network: {} });

let plan: MadePlan;
let panel: number[];

/** Five attorneys: one is already in the plan, and one has left. */
beforeEach(async () => {
  plan = await makePlan(app.db, network);
  panel = await makePanel(app.db, network, 3);
  const enrolled = await makeAttorney(app.db, network);
  await makeEnrolment(app.db, enrolled, plan);
  const left = await makeAttorney(app.db, network, { leftOn: "2026-05-01" });
  panel.push(enrolled.id, left.id);
});

const terms = (changes: Record<string, unknown> = {}) => ({
  body: {
    attorney_ids: panel,
    lrs_subscription_id: plan.id,
    start_date: "2026-05-10",
    bill_immediately: true,
    note: "",
    ...changes,
  },
});
const enrol = (changes = {}) => admin.ask(contract.enrolChosen, terms(changes));
const preview = (changes = {}) => admin.ask(contract.previewEnrolChosen, terms(changes));

test("enrolls chosen attorneys as previewed, and undoes all of it", async () => {
  expect((await preview()).object).toEqual({
    toSubscribe: 3,
    alreadySubscribed: 1,
    left: 1,
    billedToday: "150.00",
  });
  expect((await preview({ bill_immediately: false })).object).toMatchObject({
    billedToday: "0.00",
  });
  const { object: made } = await enrol();
  expect(made).toMatchObject({ subscribed: 3, alreadySubscribed: 1, left: 1, debitsCreated: 3 });
  expect((await enrol()).object).toMatchObject({ subscribed: 0, alreadySubscribed: 4, left: 1 });
  const record = await admin.call(contract.showPlan, { params: { id: plan.id } });
  expect(record).toMatchObject({
    enrolledCount: 4,
    owed: 15_000,
    batches: [{ id: made.batchId, ofAll: false, enrolments: 3 }],
  });

  const { items } = await admin.call(listActivity, { query: { record_type: "plan" } });
  expect(items.find(({ undoBatchId }) => undoBatchId === made.batchId)).toMatchObject({
    action: "subscribed several",
    after: { subscribed: 3, alreadySubscribed: 1, debitsCreated: 3 },
  });
  const params = { id: made.batchId };
  expect(await admin.call(contract.previewUndo, { params })).toMatchObject({
    enrolments: 3,
    debits: 3,
    amount: 15_000,
  });
  expect(await admin.call(contract.undoSubscribeAll, { params })).toEqual({
    ended: 3,
    reversed: 15_000,
  });
  expect(await admin.ask(contract.undoSubscribeAll, { params })).toMatchObject({
    status: 409,
    message: "This batch of enrolments has already been undone.",
  });
  const history = await admin.call(listActivity, { query: { attorney_id: panel[0] } });
  expect(history.items.map(({ action, undoBatchId }) => ({ action, undoBatchId }))).toEqual([
    { action: "unsubscribed by undo", undoBatchId: null },
    { action: "enrolled with others", undoBatchId: null },
  ]);
  expect(await ledgerOffences(app.db, network.id)).toEqual([]);
});

test("two concurrent requests by filters enroll each attorney once", async () => {
  const byFilters = { attorney_ids: undefined, filters: { search: "panel" } };
  const replies = await Promise.all([enrol(byFilters), enrol(byFilters)]);
  expect(new Set(replies.map(({ object }) => object.subscribed))).toEqual(new Set([0, 3]));
  expect((await preview({ attorney_ids: undefined, filters: {} })).object).toMatchObject({
    toSubscribe: 0,
    alreadySubscribed: 4,
    left: 0,
  });
});

test("is refused completely for an unknown attorney, another network's plan or an archived one", async () => {
  const other = await makeNetwork(app.db);
  const stranger = await makeAttorney(app.db, other);
  const strange = { attorney_ids: [panel[0], stranger.id] };
  const foreign = { lrs_subscription_id: (await makePlan(app.db, other)).id };
  const ahead = { start_date: "2026-05-11" };
  const archived = await makePlan(app.db, network);
  const params = { id: archived.id };
  await admin.call(contract.archivePlan, { params, body: { archived: true } });
  for (const act of [enrol, preview]) {
    expect(await act(strange)).toMatchObject({
      status: 404,
      message: "There is no such attorney.",
    });
    expect(await act(foreign)).toMatchObject({
      status: 404,
      message: "There is no such subscription.",
    });
    expect(await act(ahead)).toMatchObject({ status: 422 });
    expect(await act({ lrs_subscription_id: archived.id })).toMatchObject({
      status: 409,
      message: "This subscription is archived. No one can be added to it.",
    });
  }
  const { enrolledCount } = await admin.call(contract.showPlan, { params: { id: plan.id } });
  expect(enrolledCount).toBe(1);
});
