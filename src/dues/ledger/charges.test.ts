import { describe, expect } from "vitest";
import { listActivity } from "#office/activity/contract.ts";
import { plainDate } from "#kit/domain/calendar.ts";
import { cents } from "#kit/domain/money.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { chargeAttorneys } from "#dues/ledger/charges.ts";
import {
  adjustDebit,
  createCharge,
  listOutstanding,
  previewCharges,
} from "#dues/ledger/contract.ts";
import { payByCheck } from "#payments/contract.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { aCredit, ledgerOffences } from "#tests/support/ledger.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";

const test = appTest({
  clock: "2026-05-10T16:00:00Z",
  network: {},
  attorney: { firstName: "Grace", lastName: "Hopper" },
  lawyer: true,
});

const fee = { name: "Late fee", amount: "25.00", due_on: "2026-05-10" };
const charge = (body: Record<string, unknown>) =>
  admin.ask(createCharge, { body: { ...fee, ...body } });
const preview = (body: Record<string, unknown>) =>
  admin.ask(previewCharges, { body: { amount: "25.00", ...body } });
const owedBy = async (attorney_id: number) =>
  await admin.call(listOutstanding, { query: { attorney_id } });
const charges = async () =>
  (await app.db.selectFrom("charges").select("id").where("networkId", "=", network.id).execute())
    .length;

describe("charging attorneys", () => {
  test("creates an ordinary debit for each chosen attorney", async () => {
    const [first = 0, second = 0, third = 0] = await makePanel(app.db, network, 3);
    const reply = await charge({ attorney_ids: [first, third, first], note: "Missed the dinner" });
    expect(reply.object).toEqual({ created: 2, amount: "50.00" });
    expect(await owedBy(second)).toEqual([]);
    for (const id of [first, third])
      expect(await owedBy(id)).toMatchObject([
        { name: "Late fee", note: "Missed the dinner", amount: 2500, dueDate: "2026-05-10" },
      ]);
    const [debit] = await owedBy(first);
    const body = { payment_hash: { [debit?.id ?? 0]: "10.00" }, check_number: "1001" };
    await admin.call(payByCheck, { body });
    const adjusted = await admin.ask(adjustDebit, { body: { debit_id: debit?.id, amount: "5" } });
    expect(adjusted.object).toMatchObject({ name: "Late fee", balance: "20.00", pending: "10.00" });
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });

  test("charges the whole panel, and no attorney of another network", async () => {
    await makePanel(app.db, network, 4);
    const stranger = await makeAttorney(app.db, await makeNetwork(app.db));
    expect((await preview({ all: true })).object).toEqual({
      attorneys: 5,
      amount: "25.00",
      total: "125.00",
      fromCredit: "0.00",
    });
    expect((await charge({ all: true })).object).toEqual({ created: 5, amount: "125.00" });
    const { rows } = { rows: await app.db.selectFrom("debits").selectAll().execute() };
    expect(rows.filter(({ attorneyId }) => attorneyId === stranger.id)).toEqual([]);
  });

  test("twice makes two charges, without a question", async () => {
    await charge({ attorney_ids: [attorney.id] });
    await charge({ attorney_ids: [attorney.id] });
    expect(await owedBy(attorney.id)).toHaveLength(2);
  });

  test("charges no one if one of them is not on the panel", async () => {
    const stranger = await makeAttorney(app.db, await makeNetwork(app.db));
    for (const id of [stranger.id, 999_999_999])
      for (const call of [charge, preview]) {
        const refused = await call({ attorney_ids: [attorney.id, id] });
        expect([refused.status, refused.message]).toEqual([404, "There is no such attorney."]);
      }
    expect([await charges(), await owedBy(attorney.id)]).toEqual([0, []]);
  });

  test("does not change billing: a charge has no enrolment", async () => {
    await charge({ attorney_ids: [attorney.id], due_on: "2026-12-31" });
    expect(await runBilling(app.db, network.admin, plainDate("2027-01-31"))).toMatchObject({
      debits: 0,
    });
    const broken = (await verifyLedger(app.db, network.id)).filter((check) => check.offenders > 0);
    expect(broken).toEqual([]);
  });

  test("can be due up to a year ago, or later", async () => {
    for (const [due_on, status] of [
      ["2025-05-10", 200],
      ["2025-05-09", 422],
      ["2027-05-10", 200],
    ] as const) {
      const reply = await charge({ attorney_ids: [attorney.id], due_on });
      expect([due_on, reply.status]).toEqual([due_on, status]);
      if (status === 422)
        expect(reply.errors).toEqual([
          { path: "due_on", message: "The due date must be at most a year ago." },
        ]);
    }
  });

  test.each([
    ["attorney_ids", {}],
    ["attorney_ids", { attorney_ids: [1], all: true }],
    ["attorney_ids", { attorney_ids: [] }],
    ["attorney_ids", { attorney_ids: Array.from({ length: 1001 }, (_, index) => index + 1) }],
    ["attorney_ids.0", { attorney_ids: ["1"] }],
    ["all", { all: false }],
    ["name", { all: true, name: " " }],
    ["name", { all: true, name: "two\nlines" }],
    ["amount", { all: true, amount: "0" }],
    ["amount", { all: true, amount: "1000000.01" }],
    ["due_on", { all: true, due_on: "tomorrow" }],
    ["note", { all: true, note: "x".repeat(2001) }],
    ["plan", { all: true, plan: 1 }],
  ])("is refused for its %s: %j", async (field, body) => {
    const reply = await charge(body);
    expect([reply.status, reply.errors.map(({ path }) => path)]).toEqual([422, [field]]);
    expect(await charges()).toBe(0);
  });

  test("previews what credit will pay, and then credit pays it", async () => {
    const [rich = 0] = await makePanel(app.db, network, 1);
    await aCredit(app.db, network, rich, 9000);
    await aCredit(app.db, network, attorney.id, 1000);
    expect((await preview({ all: true })).object).toEqual({
      attorneys: 2,
      amount: "25.00",
      total: "50.00",
      fromCredit: "35.00",
    });
    await charge({ all: true });
    expect(await owedBy(rich)).toEqual([]);
    expect(await owedBy(attorney.id)).toMatchObject([{ balance: 1500, paidFromCredit: 1000 }]);
  });

  test("appears in each attorney's history, with the amount paid from credit", async () => {
    const [other = 0] = await makePanel(app.db, network, 1);
    await aCredit(app.db, network, attorney.id, 1000);
    await charge({ attorney_ids: [attorney.id, other], note: "For 2026" });
    await charge({ attorney_ids: [other], name: "Course" });
    const activity = await admin.call(listActivity);
    expect(activity.items).toMatchObject([
      { action: "charged", recordType: "charge", recordName: "Course", attorneyId: other },
      {
        recordName: "Late fee",
        attorneyId: null,
        after: { name: "Late fee", amount: "25.00", attorneys: 2, paidFromCredit: "10.00" },
      },
    ]);
    const own = await admin.call(listActivity, { query: { attorney_id: attorney.id } });
    expect(own.items).toMatchObject([
      {
        action: "charged",
        before: null,
        after: {
          amount: "25.00",
          debits: ["$25.00 for Late fee, due 05/10/2026"],
          paidFromCredit: "10.00",
          note: "For 2026",
        },
      },
    ]);
  });

  test("in a larger change returns the charge and its debits", async () => {
    const ids = await makePanel(app.db, network, 2);
    const { chargeId, debitIds } = await inTransaction(app.db, (tx) =>
      chargeAttorneys(tx, network.admin, {
        attorneyIds: ids.toReversed(),
        name: "Returned check",
        amountCents: cents(3500),
        dueOn: "2026-05-10",
        note: "",
      }),
    );
    const debits = await app.db
      .selectFrom("debits")
      .select(["id", "attorneyId"])
      .where("chargeId", "=", chargeId)
      .orderBy("id")
      .execute();
    expect(debits.map(({ id }) => id)).toEqual(debitIds);
    expect(debits.map(({ attorneyId }) => attorneyId)).toEqual(ids);
  });
});
