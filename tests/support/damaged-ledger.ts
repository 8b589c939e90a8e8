import { type RawBuilder, sql } from "kysely";
import { beforeEach, expect } from "vitest";
import { inTransaction } from "#kit/db/transaction.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";
import { aChargedDebit, aCheck, decideCheck, spendCredit } from "#tests/support/check-records.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";

export let network: MadeNetwork;
export let attorney: MadeAttorney;
export let debit: number;
export let other: number;
export let check: number;

/**
 * The `test` of a file whose database has the ledger of a small network, to damage as the owner of its tables: two
 * charges of $25.00. Check C1 paid $10.00 of the first and brought $20.00 of credit, $5.00 of which pays the other.
 */
export function damagedLedgerTest() {
  const test = databaseTest({ asOwner: true });
  beforeEach(async () => {
    network = await makeNetwork(db);
    attorney = await makeAttorney(db, network);
    debit = await aChargedDebit(db, network, attorney);
    other = await aChargedDebit(db, network, attorney);
    check = await aCheck(db, network, {
      number: "C1",
      parts: [{ attorneyId: attorney.id, shares: { [debit]: 1000 }, creditCents: 2000 }],
    });
    await decideCheck(db, network, check, "approved");
    await spendCredit(db, network, attorney.id, { amountCents: 500, debitId: other });
  });
  return test;
}

/** The faults found in the network, by name of check. */
export async function found(): Promise<Record<string, string[]>> {
  const results = await verifyLedger(db, network.id);
  const wrong = results.filter(({ offenders }) => offenders > 0);
  return Object.fromEntries(
    wrong.map(({ name, examples }) => [name, examples.map(({ offence }) => offence)]),
  );
}

/** Write with every trigger disabled, as an operator in psql could. */
export async function damage(...statements: RawBuilder<unknown>[]): Promise<void> {
  const tables = [
    "entries",
    "credits",
    "payment_allocations",
    "received_checks",
    "deposits",
    "book_closings",
    "charges",
    "debits",
    "enrolments",
  ];
  const turn = (which: string) =>
    tables.map((table) => `alter table ${table} ${which} trigger user`).join("; ");
  await inTransaction(db, async (tx) => {
    await sql.raw(turn("disable")).execute(tx);
    for (const statement of statements) await statement.execute(tx);
    await sql`set constraints all immediate`.execute(tx);
    await sql.raw(turn("enable")).execute(tx);
  });
}

/** What is said of the credit that check C1 brought. */
export const creditOfCheck = (status: string, received: string) => [
  expect.stringMatching(
    new RegExp(
      `^payment \\d+ of check C1, ${status}, with credit of 20\\.00: received ${received}$`,
    ),
  ),
];
