import { sql } from "kysely";
import { expect } from "vitest";
import { showAttorney } from "#people/contract.ts";
import { recordCardTransaction } from "#cards/contract.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { makeMatters } from "#main/demo/records/matters.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { payByCheck } from "#payments/contract.ts";
import { changeSettings } from "#referrals/suspension/contract.ts";
import { admin, app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { aCheck, decideCheck } from "#tests/support/check-records.ts";
import { aFoundCharge } from "#tests/support/found-charges.ts";
import { todayInNewYork } from "#tests/support/today.ts";

const test = appTest({
  clock: "2026-11-30T17:00:00Z",
  network: {},
  attorney: { firstName: "Ada", lastName: "Byron" },
  lawyer: true,
});

const record = () => admin.call(showAttorney, { params: { id: attorney.id } });

test("a record counts open and overdue referrals, and names those that cause a suspension", async () => {
  expect((await record()).referrals).toEqual({ open: 0, overdue: 0, mustFile: 0, late: [] });
  const late = await makeMatter(app.db, network, {
    attorney,
    dueOn: "2026-09-01",
    lastName: "Ortega",
  });
  await makeMatter(app.db, network, { attorney, dueOn: "2026-11-29" }); // overdue, within the grace period
  await makeMatter(app.db, network, { attorney, dueOn: "2026-11-30" }); // due today
  await makeMatter(app.db, network); // nobody's
  const open = { open: 3, overdue: 2, mustFile: 0, late: [] };
  expect((await record()).referrals).toEqual(open);
  await admin.call(changeSettings, { body: { suspends_overdue_attorneys: true } });
  const suspended = {
    ...open,
    mustFile: 1,
    late: [{ id: late, name: "Jane Ortega", reportDueOn: "2026-09-01" }],
  };
  expect((await record()).referrals).toEqual(suspended);
  const own = await lawyer.call(showAttorney, { params: { id: attorney.id } });
  expect(own.referrals).toEqual(suspended);
});

test("of many late referrals, the oldest twenty are named and all are counted", async () => {
  const late = Array.from({ length: 25 }, (_, index) => ({
    attorneyId: attorney.id,
    firstName: "Jane",
    lastName: `Doe ${index}`,
    status: "open" as const,
    referredAt: "2026-06-01T12:00:00Z",
    reportDueOn: `2026-07-${String(30 - index).padStart(2, "0")}`,
  }));
  await makeMatters(app.db, network, late);
  await admin.call(changeSettings, { body: { suspends_overdue_attorneys: true } });
  const { referrals } = await record();
  expect(referrals).toMatchObject({ open: 25, overdue: 25, mustFile: 25 });
  expect(referrals.late).toHaveLength(20);
  expect(referrals.late[0]).toMatchObject({ name: "Jane Doe 24", reportDueOn: "2026-07-06" });
});

test("a record lists each check's credit and its status, also of a check that is only credit", async () => {
  const debit = await makeDebit(app.db, network, attorney, { amountCents: 1000 });
  const check = (number: string, part: { shares?: Record<string, number>; creditCents: number }) =>
    aCheck(app.db, network, { number, parts: [{ attorneyId: attorney.id, ...part }] });
  await check("1042", { shares: { [debit]: 1000 }, creditCents: 250 });
  await decideCheck(app.db, network, await check("1043", { creditCents: 500 }), "approved");
  const { checkPayments, creditPayments } = await record();
  expect(creditPayments).toMatchObject([
    { checkNumber: "1043", quantity: 500, status: "approved" },
    { checkNumber: "1042", quantity: 250, status: "pending" },
  ]);
  expect(checkPayments).toMatchObject([
    { paymentId: creditPayments[1]?.paymentId, quantity: 1000, status: "pending" },
  ]);
});

test("a record lists a card payment that became credit, with the amount that still counts", async () => {
  const charge = { attorneyId: attorney.id, amountCents: 2000 };
  const { paymentId: id } = await aFoundCharge(app.db, network, charge);
  const kept = async () => (await record()).creditPayments;
  const payment = { paymentId: id, checkNumber: null, quantity: 2000 };
  expect(await kept()).toMatchObject([{ ...payment, status: "paid", received: 2000 }]);
  const on = todayInNewYork();
  for (const [kind, amount, status, received] of [
    ["refund", "5", "partly refunded", 1500],
    ["chargeback", "15", "charged back", 0],
  ] as const) {
    await admin.call(recordCardTransaction, { params: { id }, body: { kind, amount, on } });
    expect(await kept()).toMatchObject([{ ...payment, status, received }]);
  }
});

test("a check too old for its shares to be listed does not list its credit either", async () => {
  const debit = await makeDebit(app.db, network, attorney, { amountCents: 1000 });
  await sql`insert into debits (network_id, attorney_id, enrolment_id, period, due_on, amount_cents, balance_cents,
      income_account)
    select network_id, attorney_id, enrolment_id, nth, due_on + nth, amount_cents, balance_cents, income_account
    from debits, generate_series(1, 1000) as nth where id = ${debit}`.execute(app.db);
  const debits = await app.db
    .selectFrom("debits")
    .select("id")
    .where("attorneyId", "=", attorney.id)
    .orderBy("id")
    .execute();
  const check = (number: string, ids: number[], creditCents: number) => {
    const shares = Object.fromEntries(ids.map((id) => [id, 1000]));
    return aCheck(app.db, network, {
      number,
      parts: [{ attorneyId: attorney.id, shares, creditCents }],
    });
  };
  const [oldest, ...others] = debits.map(({ id }) => id);
  await check("1042", oldest ? [oldest] : [], 250);
  await check("1043", others.slice(0, 999), 500);
  const credits = async () => (await record()).creditPayments.map(({ checkNumber }) => checkNumber);
  expect(await credits()).toEqual(["1043", "1042"]); // a thousand shares
  await check("1044", others.slice(999), 0);
  expect(await credits()).toEqual(["1043"]);
});

test("a payment's shares have their debits' due dates", async () => {
  const debits = [
    await makeDebit(app.db, network, attorney, { dueOn: "2026-09-01" }),
    await makeDebit(app.db, network, attorney, { dueOn: "2026-10-01" }),
  ];
  const hash = Object.fromEntries(debits.map((id) => [id, "10"]));
  await admin.call(payByCheck, { body: { payment_hash: hash, check_number: "1042" } });
  const { checkPayments } = await record();
  expect(new Set(checkPayments.map(({ paymentId }) => paymentId)).size).toBe(1);
  expect(checkPayments.map(({ dueDate }) => dueDate).toSorted()).toEqual([
    "2026-09-01",
    "2026-10-01",
  ]);
});
