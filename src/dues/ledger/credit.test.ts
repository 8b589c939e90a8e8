import { beforeEach, describe, expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { showAttorney } from "#people/contract.ts";
import { listActivity } from "#office/activity/contract.ts";
import { listJournal } from "#dues/ledger/journal/contract.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import {
  adjustDebit,
  changeCredit,
  changeMoneySettings,
  createCharge,
  listOutstanding,
  showCredit,
  spendOwnCredit,
} from "#dues/ledger/contract.ts";
import { payByCheck } from "#payments/contract.ts";
import * as subscriptions from "#dues/plans/contract.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { aCredit, creditOf, ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolment } from "#tests/support/records/dues.ts";
import { aFoundCharge } from "#tests/support/found-charges.ts";
import { admin, app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";

const today = "2026-05-10";

const test = appTest({
  clock: "2026-05-10T16:00:00Z",
  network: {},
  attorney: {},
  lawyer: true,
});

const receive = (amountCents: number) => aCredit(app.db, network, attorney.id, amountCents);
const debitOf = (amountCents: number, dueOn = "2026-01-31") =>
  makeDebit(app.db, network, attorney, { amountCents, dueOn });
const ask = (body: Record<string, unknown>, id = attorney.id) =>
  admin.ask(changeCredit, { params: { id }, body });
const apply = (debit_id: number, amount: string) => ask({ action: "apply", debit_id, amount });
const giveBack = (amount: string, note: unknown = "Sent a check") =>
  ask({ action: "give_back", amount, note });
const left = () => creditOf(app.db, attorney.id);
const expectNoOffences = async () => expect(await ledgerOffences(app.db, network.id)).toEqual([]);

/** The amounts used of each receipt, oldest first. */
const takenOf = async () =>
  (
    await app.db
      .selectFrom("credits")
      .select(["amountCents", "leftCents"])
      .where("attorneyId", "=", attorney.id)
      .orderBy("id")
      .execute()
  ).map(({ amountCents, leftCents }) => amountCents - leftCents);

describe("an attorney's credit", () => {
  test("is zero until a check brings some", async () => {
    const { object } = await admin.ask(showCredit, { params: { id: attorney.id } });
    expect(object).toEqual({ credit: "0.00", entries: [] });
    const record = await lawyer.ask(showAttorney, { params: { id: attorney.id } });
    expect(record.object).toMatchObject({ credit: "0.00", hasHadCredit: false });
  });

  test("is shown with its history, newest first, to the attorney and administrators", async () => {
    const number = await receive(10_000);
    const debit = await debitOf(3000);
    await apply(debit, "30.00");
    await giveBack("25.00", "Check 77 of ours");
    for (const visitor of [admin, lawyer]) {
      const { object } = await visitor.ask(showCredit, { params: { id: attorney.id } });
      expect(object.credit).toBe("45.00");
      expect(
        object.entries.map(({ kind, amount, cause, debitId }) => [kind, amount, cause, debitId]),
      ).toEqual([
        ["given_back", "-25.00", "Check 77 of ours", null],
        ["applied", "-30.00", "Panel dues, due 01/31/2026", debit],
        ["received", "100.00", `Check ${number}`, null],
      ]);
      const record = await visitor.ask(showAttorney, { params: { id: attorney.id } });
      expect(record.object).toMatchObject({ credit: "45.00", hasHadCredit: true });
    }
    await expectNoOffences();
  });
});

describe("applying credit by hand", () => {
  test("pays a debit, and the debit shows it", async () => {
    await receive(5000);
    const debit = await debitOf(7500);
    expect((await apply(debit, "50.00")).object.credit).toBe("0.00");
    const [owed] = await admin.call(listOutstanding, { query: { attorney_id: attorney.id } });
    expect(owed).toMatchObject({ balance: 2500, paidFromCredit: 5000, pending: 0 });
    await expectNoOffences();
  });

  test("uses the oldest receipt first, across several", async () => {
    for (const amount of [1000, 2000, 4000]) await receive(amount);
    await apply(await debitOf(2500), "25.00");
    expect(await takenOf()).toEqual([1000, 1500, 0]);
    await giveBack("30.00");
    expect(await takenOf()).toEqual([1000, 2000, 2500]);
    await expectNoOffences();
  });

  test("pays a debit in full, and a later increase is owed again", async () => {
    await receive(5000);
    const debit = await debitOf(5000);
    await apply(debit, "50.00");
    expect(await admin.call(listOutstanding, { query: { attorney_id: attorney.id } })).toEqual([]);
    await admin.call(adjustDebit, {
      body: { debit_id: debit, direction: "increase", amount: "1.00" },
    });
    const [owed] = await admin.call(listOutstanding, { query: { attorney_id: attorney.id } });
    expect(owed).toMatchObject({ balance: 100, paidFromCredit: 5000 });
  });

  test("is refused for more than the credit, and for more than can be paid on the debit", async () => {
    const debit = await debitOf(5000);
    const none = await apply(debit, "0.01");
    expect([none.status, none.message]).toEqual([409, "This attorney has no credit."]);
    await receive(4000);
    const over = await apply(debit, "40.01");
    expect(over.status).toBe(409);
    expect(over.errors).toEqual([
      { path: "amount", message: "This attorney has $40.00 of credit. Enter at most that amount." },
    ]);
    await admin.call(payByCheck, {
      body: { payment_hash: { [debit]: "20.00" }, check_number: "1001" },
    });
    const pending = await apply(debit, "30.01");
    expect([pending.status, pending.message]).toEqual([
      409,
      "At most $30.00 can be applied to this debit: its balance less pending payments.",
    ]);
    expect((await apply(debit, "30.00")).status).toBe(200);
    expect(await standingOf(app.db, debit)).toEqual({ balance: 2000, pending: 2000 });
    await expectNoOffences();
  });

  test("never pays another attorney's debit", async () => {
    await receive(5000);
    const colleague = await makeAttorney(app.db, network);
    const theirs = await makeDebit(app.db, network, colleague);
    const refused = await apply(theirs, "10.00");
    expect([refused.status, refused.errors]).toEqual([
      422,
      [
        {
          path: "debit_id",
          message:
            "This debit belongs to another attorney. Choose a debit of the attorney who has the credit.",
        },
      ],
    ]);
    const other = await makeNetwork(app.db);
    const foreign = await makeDebit(app.db, other, await makeAttorney(app.db, other));
    expect((await apply(foreign, "10.00")).status).toBe(404);
    expect(await left()).toBe(5000);
  });

  test.each([
    [{ action: "apply", amount: "1.00" }, "debit_id"],
    [{ action: "apply", debit_id: 1 }, "amount"],
    [{ action: "apply", debit_id: 1, amount: "0.00" }, "amount"],
    [{ action: "apply", debit_id: 1, amount: "1.001" }, "amount"],
    [{ action: "apply", debit_id: 1, amount: "1.00", note: "no" }, "note"],
    [{ action: "give_back", amount: "1.00" }, "note"],
    [{ action: "give_back", amount: "1.00", note: " " }, "note"],
    [{ action: "give_back", amount: "-1.00", note: "x" }, "amount"],
    [{ action: "spend", amount: "1.00" }, "action"],
    [{}, "action"],
  ])("%j is refused for its %s", async (body, field) => {
    const reply = await ask(body);
    expect([reply.status, reply.errors.map(({ path }) => path)]).toEqual([422, [field]]);
  });

  test("refunds only credit paid by check, and records which check; credit from a card is refunded to the card", async () => {
    await aFoundCharge(app.db, network, { attorneyId: attorney.id, amountCents: 2000 });
    const refused = async (amount: string) => (await giveBack(amount)).message;
    expect((await giveBack("0.01")).status).toBe(409);
    expect(await refused("0.01")).toBe(
      "This credit was paid by card. Refund the card payment instead.",
    );
    const number = await receive(3000);
    expect(await refused("30.01")).toBe(
      "You can refund at most $30.00 here, the part paid by check. To refund the rest, refund the card payment.",
    );
    expect((await giveBack("30.00")).status).toBe(200);
    expect(await takenOf()).toEqual([0, 3000]);
    const { items } = await admin.call(listJournal, { query: { account: "bank" } });
    expect(items).toMatchObject([{ amount: 3000, to: "credit", reference: number }]);
    await expectNoOffences();
  });

  test("is audited with the amounts before and after", async () => {
    await receive(5000);
    const debit = await debitOf(8000);
    await apply(debit, "20.00");
    await giveBack("30.00", "Sent back");
    const trail = await app.db
      .selectFrom("auditEntries")
      .select(["action", "recordType", "recordId", "before", "after"])
      .where("networkId", "=", network.id)
      .orderBy("id")
      .execute();
    expect(trail).toEqual([
      {
        action: "applied credit",
        recordType: "debit",
        recordId: debit,
        before: { balance: "80.00", credit: "50.00" },
        after: { amount: "20.00", balance: "60.00", credit: "30.00" },
      },
      {
        action: "gave back credit",
        recordType: "attorney",
        recordId: attorney.id,
        before: { credit: "30.00" },
        after: { amount: "30.00", credit: "0.00", note: "Sent back" },
      },
    ]);
  });
});

describe("a lawyer's own use of credit", () => {
  const use = (amount: string) => lawyer.ask(spendOwnCredit, { body: { amount } });

  test("pays debits, oldest due first, and records who did it", async () => {
    for (const amount of [1000, 7000]) await receive(amount);
    const later = await debitOf(4000, "2026-04-30");
    const older = await debitOf(2500, "2026-02-28");
    expect((await use("60.00")).object.credit).toBe("20.00");
    const owed = await admin.call(listOutstanding, { query: { attorney_id: attorney.id } });
    expect(owed).toMatchObject([{ id: later, balance: 500, paidFromCredit: 3500 }]);
    expect(await takenOf()).toEqual([1000, 5000]);
    const { items } = await admin.call(listActivity, { query: { attorney_id: attorney.id } });
    expect(items.slice(0, 2)).toMatchObject([
      {
        action: "applied credit",
        recordId: later,
        before: { credit: "55.00", balance: "40.00" },
        after: { credit: "20.00", amount: "35.00", balance: "5.00" },
      },
      { recordId: older, before: { credit: "80.00" }, after: { credit: "55.00" } },
    ]);
    await expectNoOffences();
  });

  test("is refused for more than the credit, and for more than can be paid", async () => {
    expect((await use("1.00")).message).toBe(
      "You have no credit, or no debit can be paid from it now.",
    );
    await receive(3000);
    const debit = await debitOf(5000);
    expect(await use("30.01")).toMatchObject({
      status: 409,
      errors: [{ path: "amount", message: "At most $30.00 can be paid from your credit now." }],
    });
    await admin.call(payByCheck, {
      body: { payment_hash: { [debit]: "45.00" }, check_number: "1001" },
    });
    expect((await use("5.01")).status).toBe(409);
    expect((await use("5.00")).status).toBe(200);
    await expectNoOffences();
  });

  test("pressed twice at the same time uses it once", async () => {
    await receive(8000);
    await debitOf(2000);
    await debitOf(4000, "2026-02-28");
    const replies = await Promise.all([use("60.00"), use("60.00"), use("60.00")]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(await left()).toBe(2000);
    await expectNoOffences();
  });

  test("is for lawyers only: administrators apply credit by hand", async () => {
    const stranger = await makeAttorney(app.db, network);
    await aCredit(app.db, network, stranger.id, 5000);
    await debitOf(1000);
    expect((await use("10.00")).status).toBe(409);
  });
});

describe("new debits", () => {
  let plan: Awaited<ReturnType<typeof makePlan>>;
  beforeEach(async () => {
    plan = await makePlan(app.db, network, { amountCents: 5000 });
  });
  const bill = () => runBilling(app.db, network.admin, plainDate(today));
  const owed = async () =>
    (await admin.call(listOutstanding, { query: { attorney_id: attorney.id } })).map(
      ({ dueDate, balance, paidFromCredit }) => [dueDate, balance, paidFromCredit],
    );
  const enrol = () => makeEnrolment(app.db, attorney, plan, { startDate: "2026-02-01" });
  const terms = () => ({
    lrs_subscription_id: plan.id,
    start_date: today,
    bill_immediately: true,
  });

  test("of a billing run are paid from credit, oldest due first, as far as it goes", async () => {
    await enrol();
    await receive(4000);
    await receive(8000);
    expect(await bill()).toMatchObject({ debits: 4, failures: 0 });
    expect(await owed()).toEqual([
      ["2026-04-01", 3000, 2000],
      ["2026-05-01", 5000, 0],
    ]);
    expect(await left()).toBe(0);
    const { object } = await admin.ask(showCredit, { params: { id: attorney.id } });
    expect(object.entries.map(({ amount, cause }) => [amount, cause]).slice(0, 4)).toEqual([
      ["-20.00", "Panel dues, due 04/01/2026 (automatically)"],
      ["-50.00", "Panel dues, due 03/01/2026 (automatically)"],
      ["-10.00", "Panel dues, due 02/01/2026 (automatically)"],
      ["-40.00", "Panel dues, due 02/01/2026 (automatically)"],
    ]);
    await expectNoOffences();
  });

  test("leave unneeded credit, and earlier debits stay owed", async () => {
    const body = {
      attorney_ids: [attorney.id],
      name: "Course",
      amount: "90",
      due_on: "2026-01-01",
    };
    await admin.call(createCharge, { body });
    await enrol();
    await receive(50_000);
    await bill();
    expect(await left()).toBe(30_000);
    expect(await owed()).toEqual([["2026-01-01", 9000, 0]]);
    await expectNoOffences();
  });

  test("are not paid when the network applies credit by hand", async () => {
    await admin.call(changeMoneySettings, { body: { applies_credit_automatically: false } });
    await enrol();
    await receive(5000);
    await bill();
    expect(await left()).toBe(5000);
    expect((await owed()).length).toBe(4);
  });

  test("of an attorney billed immediately are paid from credit", async () => {
    await receive(2000);
    await admin.call(subscriptions.enrolAttorney, {
      body: { attorney_id: attorney.id, ...terms() },
    });
    expect(await owed()).toEqual([[today, 3000, 2000]]);
    await expectNoOffences();
  });

  test("of a Subscribe all are paid from each attorney's own credit", async () => {
    const [rich = 0, poor = 0] = await makePanel(app.db, network, 3);
    await aCredit(app.db, network, rich, 7000);
    await aCredit(app.db, network, poor, 1000);
    await admin.call(subscriptions.subscribeAll, { body: terms() });
    expect([await creditOf(app.db, rich), await creditOf(app.db, poor)]).toEqual([2000, 0]);
    const { rows } = { rows: await balances() };
    expect(rows).toEqual([0, 4000, 5000, 5000]);
    await expectNoOffences();
  });

  test("of an undone Subscribe all restore the credit", async () => {
    await receive(2000);
    const { batchId } = await admin.call(subscriptions.subscribeAll, { body: terms() });
    expect(await left()).toBe(0);
    await admin.call(subscriptions.undoSubscribeAll, { params: { id: batchId } });
    expect([await left(), await owed()]).toEqual([2000, []]);
    const { object } = await admin.ask(showCredit, { params: { id: attorney.id } });
    expect(object.entries[0]).toMatchObject({
      kind: "reversed",
      amount: "20.00",
      cause: "Panel dues, due 05/10/2026 (Subscribe all was undone)",
    });
    await expectNoOffences();
  });

  test("of an attorney who is unsubscribed, or whose plan is archived, are paid from credit", async () => {
    const enrolment = await enrol();
    await receive(15_000);
    const ended = { body: { archived: true } };
    await admin.call(subscriptions.unsubscribe, { params: { id: enrolment }, ...ended });
    expect(await owed()).toEqual([["2026-05-01", 5000, 0]]);
    await enrol();
    await receive(20_000);
    await admin.call(subscriptions.archivePlan, { params: { id: plan.id }, ...ended });
    expect(await owed()).toEqual([["2026-05-01", 5000, 0]]);
    await expectNoOffences();
  });

  test("of a charge are paid from credit", async () => {
    await receive(1000);
    const body = { attorney_ids: [attorney.id], name: "Late fee", amount: "25", due_on: today };
    await admin.call(createCharge, { body });
    expect(await owed()).toEqual([[today, 1500, 1000]]);
    await expectNoOffences();
  });

  test("of another network do not use this network's credit", async () => {
    await receive(5000);
    const other = await makeNetwork(app.db);
    const stranger = await makeAttorney(app.db, other);
    await makeEnrolment(app.db, stranger, await makePlan(app.db, other), {
      startDate: "2026-05-01",
    });
    await runBilling(app.db, other.admin, plainDate(today));
    expect(await left()).toBe(5000);
  });

  test("many thousands together are paid in order, within the credit", async () => {
    const panel = await makePanel(app.db, network, 1200);
    for (const id of panel.slice(0, 40)) await aCredit(app.db, network, id, 100 * (1 + (id % 90)));
    const before = await totalCredit();
    await admin.call(subscriptions.subscribeAll, { body: terms() });
    const paid = (await balances()).map((balance) => 5000 - balance);
    expect(paid.reduce((sum, one) => sum + one, 0)).toBe(before - (await totalCredit()));
    expect(paid.filter((one) => one > 0)).toHaveLength(40);
    await expectNoOffences();
  });

  const totalCredit = async () =>
    (
      await app.db
        .selectFrom("credits")
        .select("leftCents")
        .where("networkId", "=", network.id)
        .execute()
    ).reduce((sum, { leftCents }) => sum + leftCents, 0);

  const balances = async () =>
    (
      await app.db
        .selectFrom("debits")
        .select("balanceCents")
        .where("networkId", "=", network.id)
        .orderBy("balanceCents")
        .execute()
    ).map(({ balanceCents }) => balanceCents);
});

test("16 concurrent requests that apply, refund and bill never take it below zero or overpay a debit", async () => {
  const plan = await makePlan(app.db, network, { amountCents: 700 });
  for (let made = 0; made < 3; made += 1)
    await makeEnrolment(app.db, attorney, plan, { startDate: "2026-02-01" });
  for (const amount of [900, 3700, 7000, 400]) await receive(amount);
  const debits = [await debitOf(1500), await debitOf(1500), await debitOf(1500)];
  const replies = await Promise.all(
    Array.from({ length: 16 }, async (_, client) => {
      const statuses: number[] = [];
      for (let round = 0; round < 4; round += 1) {
        const turn = client + round;
        const debit = debits[turn % 3] ?? 0;
        if (turn % 4 === 0) await runBilling(app.db, network.admin, plainDate(today));
        else if (turn % 4 === 1) statuses.push((await giveBack("3.00")).status);
        else if (turn % 4 === 2) {
          const body = { debit_id: debit, amount: "1.00" };
          statuses.push((await admin.ask(adjustDebit, { body })).status);
        } else statuses.push((await apply(debit, "4.00")).status);
      }
      return statuses;
    }),
  );
  expect(new Set(replies.flat())).toEqual(new Set([200, 409]));
  expect(await left()).toBeLessThan(300); // more could have been refunded
  await expectNoOffences();
});
