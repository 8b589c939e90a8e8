import { sql } from "kysely";
import { expect } from "vitest";
import { cents } from "#kit/domain/money.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { creditHeldMoney } from "#payments/deposits/held-money.ts";
import { chargeAttorneys } from "#dues/ledger/charges.ts";
import { db } from "#tests/support/database-test.ts";
import {
  aBankedDeposit,
  aCheck,
  aHeldCheck,
  bounceCheck,
  decideCheck,
  spendCredit,
} from "#tests/support/check-records.ts";
import { aFoundCharge } from "#tests/support/found-charges.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import {
  attorney,
  check,
  creditOfCheck,
  damage,
  damagedLedgerTest,
  debit,
  found,
  network,
  other,
} from "#tests/support/damaged-ledger.ts";

const test = damagedLedgerTest();

/** A check of $7.00 on the first debit and $3.00 on the other, which was denied, in a banked deposit. */
async function bankedInPart(): Promise<number> {
  const shares = { [debit]: 700, [other]: 300 };
  const mixed = await aCheck(db, network, { parts: [{ attorneyId: attorney.id, shares }] });
  await decideCheck(db, network, mixed, "approved", [other]);
  return await aBankedDeposit(db, network, [mixed], "Operating");
}

/** A condition: the network's entries with a cause. */
const ofCause = (cause: string) => sql`network_id = ${network.id} and cause = ${cause}`;

const cashOffence = (account: string, entries: string, others: string) =>
  `${account}: ${entries} by the entries, ${others} by checks, deposits and cards`;

test("finds nothing wrong with the cash of checks partly decided, held, refunded, banked and returned", async () => {
  const shares = { [debit]: 200, [other]: 100 };
  await aCheck(db, network, {
    parts: [{ attorneyId: attorney.id, shares, creditCents: 50 }],
  });
  const decide = async (onDebit: number, status: "approved" | "denied") =>
    await sql`update payment_allocations set status = ${status}, decided_at = now()
      where debit_id = ${onDebit} and status = 'pending'`.execute(db);
  await decide(debit, "approved");
  expect(await found()).toEqual({});
  await spendCredit(db, network, attorney.id, { amountCents: 400 });
  await bankedInPart();
  await spendCredit(db, network, attorney.id, { amountCents: 100 });
  await decide(other, "denied");
  await aBankedDeposit(db, network, [check], "Savings");
  expect(await found()).toEqual({});
  await bounceCheck(db, network, check);
  expect(await found()).toEqual({});
});

const broughtByCheck = (status: string, left: string, brought: string) =>
  `check C1 (${check}) of 30.00, ${status}: its payments add up to 30.00, shares ${status}, credit left ${left}, brought ${brought}`;

const ofDeposit = (id: number, number: number, checks: string, entry: string) =>
  `deposit ${number} (${id}) in Operating: its checks add up to ${checks}, its entry to ${entry}`;

const tookBack = (id: number, number: string, from: string) =>
  expect.stringMatching(
    new RegExp(`^check ${number} \\(${id}\\): entry \\d+ \\(reversal\\) of 10\\.00 from ${from}$`),
  );

test("finds an approved share missing from undeposited checks", async () => {
  await damage(sql`delete from entries where ${ofCause("payment")}`);
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["balances", "shares", "checks", "cash", "receivables"]);
  expect(broken["cash"]).toEqual([cashOffence("undeposited", "20.00", "30.00")]);
});

test("finds a banked deposit without a bank entry", async () => {
  const deposit = await bankedInPart();
  await damage(sql`delete from entries where ${ofCause("deposit")}`);
  expect(await found()).toEqual({
    cash: [
      cashOffence("bank:Operating", "0.00", "10.00"),
      cashOffence("undeposited", "40.00", "30.00"),
    ],
    deposits: [ofDeposit(deposit, 1, "10.00", "0.00")],
  });
});

test("finds a deposit with an entry in another bank or on another day", async () => {
  const deposit = await bankedInPart();
  const entry = sql`update entries set to_account = 'bank:Savings' where ${ofCause("deposit")}`;
  await damage(entry);
  expect(await found()).toEqual({
    accounts: [
      expect.stringMatching(/^entry \d+ \(deposit\) of 10\.00 from undeposited to bank:Savings$/),
    ],
    cash: [
      cashOffence("bank:Operating", "0.00", "10.00"),
      cashOffence("bank:Savings", "10.00", "0.00"),
    ],
  });
  await damage(
    sql`update entries set to_account = 'bank:Operating' where ${ofCause("deposit")}`,
    sql`update deposits set banked_on = banked_on - 1 where id = ${deposit}`,
  );
  expect(await found()).toEqual({
    days: [
      expect.stringMatching(/^entry \d+ \(deposit\) of 10\.00 is of .*, banked on /),
      expect.stringMatching(/^entry \d+ \(held\) of 3\.00 is of .*, banked on /),
    ],
  });
});

test("finds a denied part of a deposited check that is not held", async () => {
  await bankedInPart();
  await damage(sql`delete from entries where ${ofCause("held")}`);
  expect(await found()).toEqual({
    cash: [cashOffence("held", "0.00", "-3.00"), cashOffence("undeposited", "27.00", "30.00")],
    checks: [expect.stringMatching(/^check D\d+ \(\d+\) of 10\.00, mixed: .*, brought 7\.00$/)],
    held: [
      expect.stringMatching(/^check D\d+ \(\d+\), mixed, denied 3\.00: held 0\.00, left 0\.00$/),
    ],
  });
});

test("finds money that a returned check left in its bank", async () => {
  const deposit = await aBankedDeposit(db, network, [check], "Operating");
  await bounceCheck(db, network, check);
  await damage(sql`update entries set from_account = 'undeposited' where ${ofCause("reversal")}`);
  expect(await found()).toEqual({
    "returned checks": [tookBack(check, "C1", "undeposited, deposited to bank:Operating")],
    cash: [
      cashOffence("bank:Operating", "10.00", "0.00"),
      cashOffence("undeposited", "-10.00", "0.00"),
    ],
    deposits: [ofDeposit(deposit, 1, "0.00", "30.00")],
  });
});

test("finds two deposits of one bank with swapped amounts, and a check in the wrong one", async () => {
  const second = await aCheck(db, network, {
    number: "C2",
    parts: [{ attorneyId: attorney.id, shares: { [debit]: 1000 } }],
  });
  await decideCheck(db, network, second, "approved");
  const first = await aBankedDeposit(db, network, [check], "Operating");
  const last = await aBankedDeposit(db, network, [second], "Operating");
  await damage(sql`update entries set amount_cents = 2000 where ${ofCause("deposit")}`);
  expect(await found()).toEqual({
    deposits: [ofDeposit(first, 1, "30.00", "20.00"), ofDeposit(last, 2, "10.00", "20.00")],
  });
  await damage(
    sql`update entries set amount_cents = case deposit_id when ${first} then 3000 else 1000 end where ${ofCause("deposit")}`,
    sql`update received_checks set deposit_id = ${first} where id = ${second}`,
  );
  expect(await found()).toEqual({
    deposits: [ofDeposit(first, 1, "40.00", "30.00"), ofDeposit(last, 2, "0.00", "10.00")],
  });
});

test("finds two returned checks reversed from each other's account", async () => {
  const parts = [{ attorneyId: attorney.id, shares: { [debit]: 1000 } }];
  const [banked, kept] = [
    await aCheck(db, network, { number: "C2", parts }),
    await aCheck(db, network, {
      number: "C3",
      parts: [{ attorneyId: attorney.id, shares: { [other]: 1000 } }],
    }),
  ];
  for (const one of [banked, kept]) await decideCheck(db, network, one, "approved");
  await aBankedDeposit(db, network, [banked], "Operating");
  for (const one of [banked, kept]) await bounceCheck(db, network, one);
  expect(await found()).toEqual({});
  await damage(sql`update entries set from_account = case from_account when 'undeposited' then 'bank:Operating'
    else 'undeposited' end where ${ofCause("reversal")}`);
  expect((await found())["returned checks"]).toEqual([
    tookBack(banked, "C2", "undeposited, deposited to bank:Operating"),
    tookBack(kept, "C3", "bank:Operating, in no banked deposit"),
  ]);
});

test("finds a check with another payer or number than its payments", async () => {
  const stranger = await makeAttorney(db, network);
  const offence = `${broughtByCheck("approved", "15.00", "30.00")}, of another payer or number`;
  await damage(sql`update received_checks set attorney_id = ${stranger.id} where id = ${check}`);
  expect(await found()).toEqual({ checks: [offence] });
  await damage(
    sql`update received_checks set attorney_id = ${attorney.id}, check_number = 'C9' where id = ${check}`,
  );
  expect(await found()).toEqual({ checks: [offence.replace("C1", "C9")] });
});

test("finds an entry with another check than its own", async () => {
  const second = await aCheck(db, network, {
    number: "C2",
    parts: [{ attorneyId: attorney.id, shares: { [other]: 1000 } }],
  });
  await decideCheck(db, network, second, "approved");
  await damage(
    sql`update entries set received_check_id = ${second} where ${ofCause("payment")} and debit_id = ${debit}`,
  );
  expect(await found()).toEqual({
    checks: [
      broughtByCheck("approved", "15.00", "20.00"),
      `check C2 (${second}) of 10.00, approved: its payments add up to 10.00, shares approved, credit left 0.00, brought 20.00`,
    ],
  });
});

test("finds one paper check recorded twice", async () => {
  const parts = [{ attorneyId: attorney.id, creditCents: 100 }];
  await sql`alter table received_checks disable trigger once`.execute(db);
  const second = await aCheck(db, network, { number: "0c-1", parts });
  await sql`alter table received_checks enable trigger once`.execute(db);
  await decideCheck(db, network, second, "approved");
  expect(await found()).toEqual({
    checks: [`check 0c-1 of one payer is recorded as ${check} and ${second}`],
  });
});

test("finds credit from a card that was refunded otherwise", async () => {
  const { paymentId } = await aFoundCharge(db, network, {
    attorneyId: attorney.id,
    amountCents: 6000,
  });
  const ofPayment = sql`network_id = ${network.id} and payment_id = ${paymentId}`;
  await damage(
    sql`insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id)
      select network_id, 'credit_given_back', 'bank', 'credit', 100, network_day(network_id), attorney_id, id
      from credits where ${ofPayment}`,
    sql`update credits set left_cents = left_cents - 100 where ${ofPayment}`,
  );
  expect(await found()).toEqual({
    credit: [
      expect.stringMatching(/^credit \d+ of 25\.00: .*, from a card and refunded otherwise 1\.00$/),
    ],
  });
});

test("finds held money that became credit of another check", async () => {
  const held = await aHeldCheck(db, network, attorney, 700);
  await inTransaction(db, (tx) =>
    creditHeldMoney(tx, network.admin, { checkId: held, attorneyId: attorney.id }),
  );
  expect(await found()).toEqual({});
  await damage(sql`update credits set payment_id = (
    select id from payments where network_id = ${network.id} and received_check_id = ${check}
    ) where network_id = ${network.id} and amount_cents = 700`);
  expect(await found()).toEqual({
    credit: [
      expect.stringMatching(
        new RegExp(`^credit \\d+ of 7\\.00: .*, of check ${check} with entries of another$`),
      ),
    ],
  });
});

test("finds held money with another attorney than its check's", async () => {
  const stranger = await makeAttorney(db, network);
  await bankedInPart();
  await damage(sql`update entries set attorney_id = ${stranger.id} where ${ofCause("held")}`);
  expect(await found()).toEqual({
    accounts: [expect.stringMatching(/^entry \d+ \(held\) of 3\.00 from held to undeposited$/)],
  });
});

test("finds a charge or an adjustment with another income account than its debit's", async () => {
  const paid = await makeDebit(db, network, attorney);
  const { id } = await db
    .selectFrom("entries")
    .select("id")
    .where("debitId", "=", paid)
    .executeTakeFirstOrThrow();
  const entry = (from: string) =>
    `entry ${id} (charge) of 50.00 from ${from} to receivable, debit ${paid}`;
  await damage(sql`update debits set income_account = 'dues_income:Gold' where id = ${paid}`);
  expect(await found()).toEqual({ accounts: [entry("dues_income:Panel dues")] });
  await damage(
    sql`update debits set income_account = 'dues_income:Panel dues' where id = ${paid}`,
    sql`update entries set from_account = 'dues_income:Gold' where id = ${id}`,
  );
  expect(await found()).toEqual({ accounts: [entry("dues_income:Gold")] });
  await damage(
    sql`update entries set from_account = 'dues_income:Panel dues' where id = ${id}`,
    sql`insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id)
      values (${network.id}, 'adjustment', 'receivable', 'other_income', 100, network_day(${network.id}), ${attorney.id}, ${paid})`,
    sql`update debits set balance_cents = balance_cents - 100 where id = ${paid}`,
  );
  expect(await found()).toEqual({
    accounts: [
      expect.stringMatching(/^entry \d+ \(adjustment\) of 1\.00 from receivable to other_income/),
    ],
  });
});

test("finds an entry with another day than the one it was recorded on", async () => {
  await damage(sql`update entries set day = day - 1 where ${ofCause("payment")}`);
  expect(await found()).toEqual({
    days: [expect.stringMatching(/^entry \d+ \(payment\) of 10\.00 is of .*, recorded on [\d-]+$/)],
  });
});

test("finds a charge with fewer debits than in Activity", async () => {
  const stranger = await makeAttorney(db, network);
  const charge = {
    attorneyIds: [attorney.id, stranger.id],
    name: "Course",
    amountCents: cents(700),
  };
  const { chargeId } = await inTransaction(db, (tx) =>
    chargeAttorneys(tx, network.admin, { ...charge, dueOn: "2026-05-01", note: "" }),
  );
  expect(await found()).toEqual({});
  const ofStranger = sql`network_id = ${network.id} and attorney_id = ${stranger.id}`;
  await damage(
    sql`delete from entries where ${ofStranger}`,
    sql`delete from debits where ${ofStranger}`,
  );
  expect(await found()).toEqual({
    charges: [`charge ${chargeId} of 2 attorneys according to Activity: 1 debits`],
  });
});

/* The rest tests rules that keys and constraints enforce, with those removed. */

test("finds credit with another attorney than its payment's", async () => {
  const stranger = await makeAttorney(db, network);
  await sql`
    alter table entries drop constraint if exists entries_credit;
    alter table credits drop constraint if exists credits_network_id_attorney_id_payment_id_fkey`.execute(
    db,
  );
  const held = await aHeldCheck(db, network, attorney, 700);
  await inTransaction(db, (tx) =>
    creditHeldMoney(tx, network.admin, { checkId: held, attorneyId: attorney.id }),
  );
  await damage(
    sql`update credits set attorney_id = ${stranger.id} where network_id = ${network.id} and amount_cents = 700`,
    sql`update entries set attorney_id = ${stranger.id} where ${ofCause("credit_received")} and amount_cents = 700`,
  );
  expect(await found()).toEqual({
    credit: [
      expect.stringMatching(
        new RegExp(`of attorney ${stranger.id} by a payment of attorney ${attorney.id}$`),
      ),
    ],
  });
});

test.for([
  ["of zero", "charge", sql`amount_cents = 0`, /of 0\.00 from other_income to receivable/],
  [
    "from an account to itself",
    "charge",
    sql`from_account = 'receivable'`,
    /from receivable to receivable/,
  ],
  [
    "from an unknown account",
    "charge",
    sql`from_account = 'petty_cash'`,
    /from petty_cash to receivable/,
  ],
  [
    "to an unknown account",
    "payment",
    sql`to_account = 'drawer:Front'`,
    /from receivable to drawer:Front/,
  ],
  [
    "to an account that its cause does not allow",
    "payment",
    sql`to_account = 'held'`,
    /from receivable to held/,
  ],
  [
    "with another attorney than its debit",
    "charge",
    sql`attorney_id = attorney_id + 1`,
    /to receivable, debit \d+$/,
  ],
  [
    "with another attorney than its credit",
    "credit_received",
    sql`attorney_id = attorney_id + 1`,
    /undeposited, credit \d+$/,
  ],
  ["of a missing debit", "charge", sql`debit_id = debit_id + 1000`, /to receivable, debit \d+$/],
  [
    "of missing credit",
    "credit_received",
    sql`credit_id = credit_id + 1000`,
    /undeposited, credit \d+$/,
  ],
  [
    "of receivables without a debit",
    "charge",
    sql`debit_id = null`,
    /from other_income to receivable$/,
  ],
  [
    "of credit without its receipt",
    "credit_received",
    sql`credit_id = null`,
    /from credit to undeposited$/,
  ],
  [
    "of a debit without receivables",
    "charge",
    sql`to_account = 'held'`,
    /from other_income to held, debit \d+$/,
  ],
] as const)("finds an entry %s", async ([, cause, change, offence]) => {
  await sql`
    alter table entries drop constraint if exists entries_accounts, drop constraint if exists entries_subject,
      drop constraint if exists entries_debit, drop constraint if exists entries_credit,
      drop constraint if exists entries_amount_cents_check`.execute(db);
  await damage(sql`
    update entries set ${change} where id = (select max(id) from entries where ${ofCause(cause)})`);
  const { accounts = [] } = await found();
  expect(accounts).toEqual([expect.stringMatching(new RegExp(`^entry \\d+ \\(${cause}\\) `))]);
  expect(accounts[0]).toMatch(offence);
});

test("finds that the credit of a check is missing", async () => {
  await damage(
    sql`delete from entries where network_id = ${network.id} and credit_id is not null`,
    sql`delete from credits where network_id = ${network.id}`,
    sql`update debits set balance_cents = 2500 where id = ${other}`,
  );
  expect(await found()).toEqual({
    cash: [cashOffence("undeposited", "10.00", "30.00")],
    checks: [broughtByCheck("approved", "0.00", "10.00")],
    "credit of checks": creditOfCheck("approved", "0.00"),
  });
});

test("finds more credit than its check brought", async () => {
  await damage(
    sql`update entries set amount_cents = 2500 where ${ofCause("credit_received")}`,
    sql`update credits set amount_cents = 2500, left_cents = 2000 where network_id = ${network.id}`,
  );
  expect(await found()).toEqual({
    cash: [cashOffence("undeposited", "35.00", "30.00")],
    checks: [broughtByCheck("approved", "20.00", "35.00")],
    "credit of checks": creditOfCheck("approved", "25.00"),
  });
});
