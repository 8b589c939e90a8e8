import { type RawBuilder, sql } from "kysely";
import { expect } from "vitest";
import { inTransaction } from "#kit/db/transaction.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { closeBooksThrough, reopenBooksAfter } from "#dues/ledger/journal/books.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";
import { aChargedDebit } from "#tests/support/check-records.ts";
import { onDay } from "#tests/support/on-day.ts";

const test = databaseTest({ asOwner: true });

/** The faults found in a network's closed books. */
async function foundIn({ id }: MadeNetwork): Promise<string[]> {
  const results = await verifyLedger(db, id);
  return results.flatMap(({ name, examples }) =>
    name === "closed books" ? examples.map(({ offence }) => offence) : [],
  );
}

/** Write with every trigger disabled, as an operator in psql could. */
async function damage(statement: RawBuilder<unknown>): Promise<void> {
  const turn = (which: string) =>
    sql.raw(
      `alter table entries ${which} trigger user; alter table book_closings ${which} trigger user`,
    );
  await inTransaction(db, async (tx) => {
    for (const step of [turn("disable"), statement, turn("enable")]) await step.execute(tx);
  });
}

test("finds an earlier closing whose totals have changed, and a closing that was deleted", async () => {
  const network = await makeNetwork(db, { timeZone: "UTC" });
  const admin = { ...network.admin, timeZone: "UTC" };
  const attorney = await makeAttorney(db, network);
  await onDay(db, network, "2026-02-10", (tx) =>
    aChargedDebit(tx, network, attorney, { amountCents: 2500 }),
  );
  for (const through of ["2026-01-31", "2026-02-28"])
    await inTransaction(db, (tx) => closeBooksThrough(tx, admin, { through, note: "" }));
  const found = () => foundIn(network);
  expect(await found()).toEqual([]);
  await damage(sql`update entries set day = '2026-01-10' where network_id = ${network.id}`);
  const wrong = (account: string, debits: string, credits: string) =>
    `${account} through 2026-01-31: debits ${debits} and credits ${credits} by the entries, 0.00 and 0.00 when it was closed`;
  expect(await found()).toEqual([
    wrong("other_income", "0.00", "25.00"),
    wrong("receivable", "25.00", "0.00"),
  ]);
  await damage(sql`update entries set day = '2026-02-10' where network_id = ${network.id}`);
  await damage(
    sql`delete from book_closings where network_id = ${network.id} and through = '2026-02-28'`,
  );
  expect(await found()).toEqual([
    "closed the books through 2026-02-28, according to Activity, is not recorded",
  ]);
});

test("finds an entry on a closed day, until the day is reopened", async () => {
  const network = await makeNetwork(db, { timeZone: "UTC" });
  const admin = { ...network.admin, timeZone: "UTC" };
  await aChargedDebit(db, network, await makeAttorney(db, network), { amountCents: 2500 });
  const found = () => foundIn(network);
  await inTransaction(db, (tx) =>
    closeBooksThrough(tx, admin, { through: "2024-03-31", note: "" }),
  );
  expect(await found()).toEqual([]);
  await damage(sql`update entries set day = '2024-03-31' where network_id = ${network.id}`);
  const wrong = (account: string, debits: string, credits: string) =>
    `${account} through 2024-03-31: debits ${debits} and credits ${credits} by the entries, 0.00 and 0.00 when it was closed`;
  expect(await found()).toEqual([
    wrong("other_income", "0.00", "25.00"),
    wrong("receivable", "25.00", "0.00"),
  ]);
  await inTransaction(db, (tx) =>
    reopenBooksAfter(tx, admin, { after: "2024-02-29", reason: "It was entered late." }),
  );
  expect(await found()).toEqual([]);
});
