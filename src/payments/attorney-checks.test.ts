import { describe, expect } from "vitest";
import { showAttorney } from "#people/contract.ts";
import { adjustDebit } from "#dues/ledger/contract.ts";
import { confirmChecks, payByCheck } from "#payments/contract.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { type Visitor } from "#tests/support/visitor.ts";
import { admin, app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";

const test = appTest({ lawyer: true, network: {}, attorney: {} });

const owing = (amountCents: number) => makeDebit(app.db, network, attorney, { amountCents });

const pay = (payer: Visitor, shares: Record<number, unknown>, checkNumber: unknown = "1001") =>
  payer.ask(payByCheck, { body: { payment_hash: shares, check_number: checkNumber } });

const decide = (statuses: Record<number, unknown>, by = admin) =>
  by.ask(confirmChecks, { body: { statuses } });

/** The pending shares of a debit, as an administrator sees them. */
async function pendingOn(debitId: number) {
  const { object } = await admin.ask(showAttorney, { params: { id: attorney.id } });
  return object.outstandingPayments.find((debit) => debit.id === debitId)?.pendingPayments ?? [];
}

async function paymentsMade(): Promise<number> {
  const rows = await app.db
    .selectFrom("payments")
    .select("id")
    .where("networkId", "=", network.id)
    .execute();
  return rows.length;
}

describe("paying by check", () => {
  test("reserves each debit's share; balances stay until an administrator decides", async () => {
    const [first, second] = [await owing(10_000), await owing(5_000)];
    const { status, object } = await pay(lawyer, { [first]: "60.00", [second]: 50 });
    expect(status).toBe(200);
    expect(object.balance).toBe("150.00");
    expect(
      object.debits.map(({ id, balance, pendingPayments }) => [
        id,
        balance,
        pendingPayments.map((share) => [share.checkNumber, share.quantity]),
      ]),
    ).toEqual([
      [first, "100.00", [["1001", "60.00"]]],
      [second, "50.00", [["1001", "50.00"]]],
    ]);
    expect(object.checkPayments).toMatchObject([
      { checkNumber: "1001", quantity: "50.00", status: "pending", name: "Panel dues" },
      { checkNumber: "1001", quantity: "60.00", status: "pending" },
    ]);
    expect(object.subscriptions).toEqual([]); // plans are for administrators
    expect(await standingOf(app.db, first)).toEqual({ balance: 10_000, pending: 6_000 });
  });

  test.each([5, 6, 20])(
    "pays %i debits by one check, or none if one share is too large",
    async (count) => {
      const debits: number[] = [];
      for (let number = 0; number < count; number += 1) debits.push(await owing(5_000));
      const shares = Object.fromEntries(debits.map((debit, place) => [debit, `${place + 1}.00`]));
      const last = debits.at(-1) ?? 0;
      const tooMuch = await pay(lawyer, { ...shares, [last]: "50.01" });
      expect([tooMuch.status, tooMuch.errors[0]?.path]).toEqual([409, `payment_hash.${last}`]);
      expect(await paymentsMade()).toBe(0);
      expect((await pay(lawyer, shares)).status).toBe(200);
      for (const [place, debit] of debits.entries())
        expect(await standingOf(app.db, debit)).toEqual({
          balance: 5_000,
          pending: (place + 1) * 100,
        });
      expect(await ledgerOffences(app.db, network.id)).toEqual([]);
    },
  );

  test("may be recorded by an administrator, who gets the attorney's record back", async () => {
    const debit = await owing(5_000);
    const { object } = await pay(admin, { [debit]: "50.00" });
    expect(object.id).toBe(attorney.id);
    expect(object.checkPayments).toHaveLength(1);
  });

  test.each([
    ["zero", 0],
    ["zero as text", "0.00"],
    ["nothing", null],
    ["empty text", ""],
    ["spaces", "  "],
  ])("leaves out a debit with %s, even an unknown one", async (_, amount) => {
    const debit = await owing(5_000);
    const { status, object } = await pay(lawyer, { [debit]: "20", 999_999: amount });
    expect(status).toBe(200);
    expect(object.checkPayments).toHaveLength(1);
  });

  test.each([
    ["text that is no amount", { amount: "abc" }],
    ["a third decimal", { amount: "0.001" }],
    ["a third decimal in a number", { amount: 1.005 }],
    ["a negative amount", { amount: "-1.00" }],
    ["a negative number", { amount: -1 }],
    ["a list", { amount: ["1.00"] }],
    ["an object", { amount: { amount: 1 } }],
    ["a yes", { amount: true }],
    ["a comma", { amount: "1,00" }],
    ["a dollar sign", { amount: "$1.00" }],
    ["more than a million", { amount: "1000000.01" }],
    ["an endless number", { amount: 1e300 }],
  ])("is refused for %s", async (_, { amount }) => {
    const debit = await owing(5_000);
    const { status, errors } = await pay(lawyer, { [debit]: amount });
    expect(status).toBe(422);
    expect(errors).toMatchObject([{ path: `payment_hash.${debit}` }]);
    expect(await paymentsMade()).toBe(0);
  });

  test.each([
    ["nothing at all", {}],
    ["nothing but zeros", { 1: 0, 2: "", 3: null }],
    ["a list", []],
    ["text", "1:2"],
    ["a number", 5],
    ["an absent map", undefined],
    ["names that are no numbers", { abc: 1 }],
    ["a name with a leading zero", { "01": 1 }],
    ["a negative name", { "-1": 1 }],
    ["a name that is too long", { "9999999999999999": 1 }],
    ["a prototype's name", { constructor: 1 }],
  ])("is refused for %s", async (_, hash) => {
    const { status, errors } = await lawyer.ask(payByCheck, {
      body: { payment_hash: hash, check_number: "1" },
    });
    expect(status).toBe(422);
    expect(errors[0]?.path).toMatch(/^payment_hash/);
  });

  test("is refused for the key __proto__, which JavaScript would drop", async () => {
    const debit = await owing(5_000);
    const reply = await lawyer.sendRaw({
      method: "POST",
      url: "/lrs_subscription_check_payments/",
      headers: { "x-csrf-token": lawyer.csrf, "content-type": "application/json" },
      payload: `{"check_number":"1","payment_hash":{"${debit}":"1","__proto__":"1"}}`,
    });
    expect(reply).toMatchObject({ status: 422, errors: [{ path: "payment_hash.__proto__" }] });
  });

  test("of a million dollars is accepted, of a cent more in total is refused", async () => {
    const [first, second] = [await owing(100_000_000), await owing(5_000)];
    expect(await pay(lawyer, { [first]: "1000000.00", [second]: "0.01" })).toMatchObject({
      status: 422,
      message: "Payment hash must pay at most 1,000,000.00 dollars in total.",
    });
    expect((await pay(lawyer, { [first]: "1000000.00" })).status).toBe(200);
  });

  test("accepts one cent", async () => {
    const debit = await owing(5_000);
    expect((await pay(lawyer, { [debit]: 0.01 })).status).toBe(200);
    expect(await standingOf(app.db, debit)).toEqual({ balance: 5_000, pending: 1 });
  });

  test.each([
    ["1", 200],
    ["A-1", 200],
    [" 77 ", 200], // trimmed
    ["1".repeat(32), 200],
    ["1".repeat(33), 422],
    ["", 422],
    ["   ", 422],
    ["1 2", 422],
    ["#1", 422],
    ["1\u0000", 422],
    ["№1", 422],
    [1001, 422],
    [null, 422],
    [["1"], 422],
  ])("with the check number %j is answered %i", async (checkNumber, status) => {
    const debit = await owing(5_000);
    const reply = await pay(lawyer, { [debit]: 1 }, checkNumber);
    expect(reply.status).toBe(status);
    expect(reply.errors.map((error) => error.path)).toEqual(status === 422 ? ["check_number"] : []);
  });

  test("accepts at most the balance less what is pending, all or nothing", async () => {
    const [first, second] = [await owing(10_000), await owing(5_000)];
    await pay(lawyer, { [first]: "60" });
    const refused = await pay(lawyer, { [second]: "10", [first]: "40.01" }, "1002");
    const message = expect.stringMatching(
      /^At most \$40\.00 can be paid on Panel dues, due \d{2}\/\d{2}\/\d{4}\. The rest is paid or pending\.$/,
    );
    const errors = [{ path: `payment_hash.${first}`, message }];
    expect(refused).toMatchObject({ status: 409, message, errors });
    expect(await standingOf(app.db, second)).toMatchObject({ pending: 0 });
    expect(await paymentsMade()).toBe(1);
    expect((await pay(lawyer, { [second]: "10", [first]: "40.00" }, "1002")).status).toBe(200);
    expect((await pay(lawyer, { [first]: "0.01" }, "1003")).status).toBe(409);
  });

  test("covers debits of one attorney only", async () => {
    const colleague = await makeAttorney(app.db, network);
    const [mine, theirs] = [await owing(5_000), await makeDebit(app.db, network, colleague)];
    const refused = await pay(admin, { [mine]: "1", [theirs]: "1" });
    expect(refused).toMatchObject({ status: 422, errors: [{ path: "payment_hash" }] });
    expect(refused.message).toContain("same attorney");
    expect(await paymentsMade()).toBe(0);
  });

  test("finds only the payer's own debits", async () => {
    const colleague = await makeAttorney(app.db, network);
    const theirs = await makeDebit(app.db, network, colleague);
    const other = await makeNetwork(app.db);
    const foreign = await makeDebit(app.db, other, await makeAttorney(app.db, other));
    const mine = await owing(5_000);
    for (const id of [theirs, foreign, 999_999, 999_999_999_999_999])
      expect(await pay(lawyer, { [mine]: "1", [id]: "1" })).toMatchObject({ status: 404 });
    expect(await pay(admin, { [mine]: "1", [foreign]: "1" })).toMatchObject({ status: 404 });
    expect(await paymentsMade()).toBe(0);
  });
});

describe("the same check number", () => {
  test("on the same debit is a duplicate until it is denied", async () => {
    const debit = await owing(10_000);
    await pay(lawyer, { [debit]: "10" });
    expect(await pay(lawyer, { [debit]: "10" })).toMatchObject({
      status: 409,
      message: "Check 1001 has already been recorded on one of these debits.",
    });
    const [share] = await pendingOn(debit);
    await decide({ [share?.id ?? 0]: "denied" });
    expect((await pay(lawyer, { [debit]: "10" })).status).toBe(200);
  });

  test("stays a duplicate once it was approved", async () => {
    const debit = await owing(10_000);
    await pay(lawyer, { [debit]: "10" });
    const [share] = await pendingOn(debit);
    await decide({ [share?.id ?? 0]: "approved" });
    expect((await pay(lawyer, { [debit]: "10" })).status).toBe(409);
  });

  test("may be used on another debit and by another attorney", async () => {
    const colleague = await makeAttorney(app.db, network);
    const theirs = await makeDebit(app.db, network, colleague);
    for (const debit of [await owing(5_000), await owing(5_000), theirs])
      expect((await pay(admin, { [debit]: "10" })).status).toBe(200);
  });

  test("sent twice at the same time is recorded once", async () => {
    const debit = await owing(10_000);
    const replies = await Promise.all([1, 2, 3, 4].map(() => pay(lawyer, { [debit]: "10" })));
    expect(replies.map((reply) => String(reply.status)).toSorted()).toEqual([
      "200",
      "409",
      "409",
      "409",
    ]);
    expect(await standingOf(app.db, debit)).toEqual({ balance: 10_000, pending: 1_000 });
  });
});

describe("confirming checks", () => {
  test("decides the shares of one check one by one, and answers the affected debits", async () => {
    const [first, second] = [await owing(10_000), await owing(5_000)];
    await pay(lawyer, { [first]: "60", [second]: "50" });
    const [[one], [two]] = [await pendingOn(first), await pendingOn(second)];
    const { status, object } = await decide({
      [one?.id ?? 0]: "approved",
      [two?.id ?? 0]: "denied",
    });
    expect(status).toBe(200);
    expect(
      object.map(({ id, balance, pendingPayments }) => [id, balance, pendingPayments]),
    ).toEqual([
      [first, "40.00", []],
      [second, "50.00", []],
    ]);
    const { object: record } = await lawyer.ask(showAttorney, { params: { id: attorney.id } });
    expect(record.checkPayments.map(({ quantity, status: word }) => [quantity, word])).toEqual([
      ["50.00", "denied"],
      ["60.00", "approved"],
    ]);
    expect(record.balance).toBe("90.00");
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });

  test("of the whole balance removes the debit from the outstanding debits", async () => {
    const debit = await owing(5_000);
    await pay(lawyer, { [debit]: "50" });
    const [share] = await pendingOn(debit);
    const { object } = await decide({ [share?.id ?? 0]: "approved" });
    expect(object).toMatchObject([{ id: debit, balance: "0.00" }]);
    const { object: record } = await lawyer.ask(showAttorney, { params: { id: attorney.id } });
    expect(record).toMatchObject({ debits: [], outstandingPayments: [], balance: "0.00" });
  });

  test("is all or nothing: with an unknown or decided check, none is decided", async () => {
    const [first, second] = [await owing(10_000), await owing(5_000)];
    await pay(lawyer, { [first]: "60", [second]: "50" });
    const [[one], [two]] = [await pendingOn(first), await pendingOn(second)];
    const [oneId, twoId] = [one?.id ?? 0, two?.id ?? 0];
    expect((await decide({ [oneId]: "approved", 999_999: "denied" })).status).toBe(404);
    expect(await pendingOn(first)).toHaveLength(1);
    await decide({ [twoId]: "approved" });
    const refused = await decide({ [oneId]: "approved", [twoId]: "denied" });
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.message).toContain("already been approved");
    expect(await pendingOn(first)).toHaveLength(1);
    expect(await standingOf(app.db, second)).toEqual({ balance: 0, pending: 0 });
  });

  test("decides each check once, however many decide it at the same time", async () => {
    const debit = await owing(10_000);
    await pay(lawyer, { [debit]: "60" });
    const [share] = await pendingOn(debit);
    const words = ["approved", "denied", "approved", "denied", "approved", "denied"];
    const replies = await Promise.all(words.map((word) => decide({ [share?.id ?? 0]: word })));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
    expect(replies.filter((reply) => reply.status === 409)).toHaveLength(5);
    const won = words[replies.findIndex((reply) => reply.status === 200)];
    expect(await standingOf(app.db, debit)).toEqual({
      balance: won === "approved" ? 4_000 : 10_000,
      pending: 0,
    });
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });

  test.each([
    ["no check", {}],
    ["an unknown word", { 1: "maybe" }],
    ["no word", { 1: null }],
    ["a number for a word", { 1: 1 }],
    ["a list", []],
    ["text", "approved"],
    ["an absent map", undefined],
    ["a name that is no number", { one: "approved" }],
  ])("is refused for %s", async (_, statuses) => {
    const { status, errors } = await admin.ask(confirmChecks, { body: { statuses } });
    expect(status).toBe(422);
    expect(errors[0]?.path).toMatch(/^statuses/);
  });

  test("of a thousand checks is accepted, of one more is refused", async () => {
    const many = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [index + 1_000_000, "denied"]),
      );
    expect((await decide(many(1000))).status).toBe(404);
    expect((await decide(many(1001))).status).toBe(422);
  });
});

describe("a check and other changes of a debit", () => {
  test("a pending amount cannot be adjusted away", async () => {
    const debit = await owing(10_000);
    await pay(lawyer, { [debit]: "60" });
    const decrease = (amount: string) =>
      admin.ask(adjustDebit, { body: { debit_id: debit, amount } });
    expect((await decrease("40.01")).status).toBe(409);
    expect((await decrease("40.00")).status).toBe(200);
    const [share] = await pendingOn(debit);
    expect((await decide({ [share?.id ?? 0]: "approved" })).status).toBe(200);
    expect(await standingOf(app.db, debit)).toEqual({ balance: 0, pending: 0 });
  });

  test("leaves audit entries of who recorded and who decided it", async () => {
    const debit = await owing(10_000);
    await pay(lawyer, { [debit]: "60" });
    const [share] = await pendingOn(debit);
    await decide({ [share?.id ?? 0]: "approved" });
    const trail = await app.db
      .selectFrom("auditEntries")
      .select(["action", "actorName"])
      .where("networkId", "=", network.id)
      .orderBy("id")
      .execute();
    expect(trail).toEqual([
      { action: "recorded check", actorName: `${attorney.firstName} ${attorney.lastName}` },
      { action: "approved check", actorName: "Ada Min" },
    ]);
  });
});
