import { beforeEach, describe, expect } from "vitest";
import { showAttorney } from "#people/contract.ts";
import { adjustDebit, listOutstanding } from "#dues/ledger/contract.ts";
import { payByCheck } from "#payments/contract.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { ledgerOffences } from "#tests/support/ledger.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";

let debit: number;

const test = appTest({ network: {}, attorney: {} });
beforeEach(async () => {
  debit = await makeDebit(app.db, network, attorney, { amountCents: 10_000, note: "Panel A" });
});

const adjust = (changes: Record<string, unknown>, by = admin) =>
  by.ask(adjustDebit, { body: { debit_id: debit, amount: "25.00", ...changes } });

describe("adjusting a balance", () => {
  test("decreases it by default, and returns the updated debit", async () => {
    const { status, object } = await adjust({ adjustment_note: " Hardship " });
    expect(status).toBe(200);
    expect(object).toEqual({
      id: debit,
      attorneyId: attorney.id,
      name: "Panel dues",
      note: "Panel A",
      description: "",
      amount: "100.00",
      balance: "75.00",
      dueDate: "2026-01-31",
      createdAt: expect.stringMatching(/Z$/),
      pending: "0.00",
      pendingPayments: [],
      adjustments: [
        {
          id: expect.any(Number),
          createdAt: expect.stringMatching(/Z$/),
          quantity: "25.00", // positive: the balance decreased
          note: "Hardship",
        },
      ],
      paidFromCredit: "0.00",
    });
  });

  test("increases it, shown as a negative quantity", async () => {
    const { object } = await adjust({ direction: "increase", amount: "0.01" });
    expect(object).toMatchObject({
      balance: "100.01",
      adjustments: [{ quantity: "-0.01", note: "" }],
    });
  });

  test("keeps every adjustment, oldest first", async () => {
    await adjust({ amount: 10, adjustment_note: "First" });
    await adjust({ amount: "5", direction: "increase", adjustment_note: "Second" });
    const { object } = await adjust({ amount: "95.00", adjustment_note: "Third" });
    expect(object.adjustments.map(({ quantity, note }) => [quantity, note])).toEqual([
      ["10.00", "First"],
      ["-5.00", "Second"],
      ["95.00", "Third"],
    ]);
    expect(object.balance).toBe("0.00");
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });

  test("can take the whole balance, and not a cent more", async () => {
    const refused = await adjust({ amount: "100.01" });
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.message).toContain("$100.00");
    expect((await adjust({ amount: "100.00" })).object.balance).toBe("0.00");
    expect((await adjust({ amount: "0.01" })).status).toBe(409);
  });

  test("cannot take pending amounts", async () => {
    await admin.call(payByCheck, {
      body: { payment_hash: { [debit]: "60" }, check_number: "1001" },
    });
    expect((await adjust({ amount: "40.01" })).status).toBe(409);
    expect((await adjust({ amount: "40.00" })).object).toMatchObject({
      balance: "60.00",
      pendingPayments: [{ checkNumber: "1001", quantity: "60.00" }],
    });
  });

  test("to zero removes the debit from those owed, and an increase restores it", async () => {
    const owed = async () =>
      (await admin.call(listOutstanding, { query: { attorney_id: attorney.id } })).length;
    await adjust({ amount: "100" });
    expect(await owed()).toBe(0);
    await adjust({ amount: "1", direction: "increase" });
    expect(await owed()).toBe(1);
  });

  test.each([
    ["amount", "0.00", 422],
    ["amount", 0, 422],
    ["amount", "0.01", 200],
    ["amount", 0.01, 200],
    ["amount", "-1", 422],
    ["amount", "1.001", 422],
    ["amount", 1.001, 422],
    ["amount", "1000000.01", 422],
    ["amount", "ten", 422],
    ["amount", "", 422],
    ["amount", null, 422],
    ["amount", undefined, 422],
    ["direction", "decrease", 200],
    ["direction", "increase", 200],
    ["direction", undefined, 200],
    ["direction", "Increase", 422],
    ["direction", "", 422],
    ["direction", null, 422],
    ["adjustment_note", "x".repeat(2000), 200],
    ["adjustment_note", "x".repeat(2001), 422],
    ["adjustment_note", "two\nlines", 200],
    ["adjustment_note", "NUL\u0000", 422],
    ["adjustment_note", undefined, 200],
    ["debit_id", "1", 422],
    ["debit_id", 0, 422],
    ["debit_id", undefined, 422],
    ["debit_id", 999_999, 404],
  ])("with %s %j returns %i", async (field, value, status) => {
    const reply = await adjust({ [field]: value });
    expect(reply.status).toBe(status);
    expect(reply.errors.map((error) => error.path)).toEqual(status === 422 ? [field] : []);
  });

  test("increases by at most a million", async () => {
    expect((await adjust({ amount: "1000000.01", direction: "increase" })).status).toBe(422);
    const { object } = await adjust({ amount: "1000000.00", direction: "increase" });
    expect(object.balance).toBe("1000100.00");
  });

  test("by many requests at the same time takes the balance once", async () => {
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => adjust({ amount: "30.00" })),
    );
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(3);
    expect(replies.filter((reply) => reply.status === 409)).toHaveLength(9);
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });

  test("is audited with the balance before and after", async () => {
    await adjust({ adjustment_note: "Hardship" });
    const trail = await app.db
      .selectFrom("auditEntries")
      .select(["action", "recordType", "recordId", "before", "after"])
      .where("networkId", "=", network.id)
      .execute();
    expect(trail).toEqual([
      {
        action: "decreased balance",
        recordType: "debit",
        recordId: debit,
        before: { balance: "100.00" },
        after: { balance: "75.00", adjustmentId: expect.any(Number), note: "Hardship" },
      },
    ]);
  });
});

describe("what an attorney owes", () => {
  test("is listed oldest due first, then by id, without debits at zero", async () => {
    const make = (dueOn: string, amountCents = 1000) =>
      makeDebit(app.db, network, attorney, { dueOn, amountCents });
    const [later, sameDay, earlier] = [
      await make("2026-03-01"),
      await make("2026-03-01"),
      await make("2025-12-31"),
    ];
    await adjust({ debit_id: later, amount: "10.00" });
    const { object } = await admin.ask(listOutstanding, { query: { attorney_id: attorney.id } });
    expect(object.map(({ id }) => id)).toEqual([earlier, debit, sameDay]);
  });

  test("is the same in the attorney's record, to the cent, for the attorney and administrators", async () => {
    await makeDebit(app.db, network, attorney, { amountCents: 1 });
    const lawyer = await signedIn(app, attorney, network);
    for (const visitor of [admin, lawyer]) {
      const { object: record } = await visitor.ask(showAttorney, { params: { id: attorney.id } });
      const list = await visitor.ask(listOutstanding, { query: { attorney_id: attorney.id } });
      expect(record.balance).toBe("100.01");
      expect(record.outstandingPayments).toEqual(list.object);
      expect(record.debits).toEqual(list.object);
    }
  });
});
