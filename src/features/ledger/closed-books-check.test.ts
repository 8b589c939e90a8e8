import { sql } from "kysely";
import { expect } from "vitest";
import { inTransaction } from "#db/transaction.ts";
import { makeAttorney } from "#features/demo/records/attorneys.ts";
import { makeNetwork } from "#features/demo/records/networks.ts";
import { closeBooksThrough, reopenBooksAfter } from "#features/journal/books.ts";
import { verifyLedger } from "#features/ledger/verify-ledger.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";
import { aChargedDebit } from "#tests/support/desk.ts";

const test = databaseTest({ asOwner: true });

test("finds an entry that came to a closed day, until that is open again", async () => {
  const network = await makeNetwork(db, { timeZone: "UTC" });
  const admin = { ...network.admin, timeZone: "UTC" };
  await aChargedDebit(db, network, await makeAttorney(db, network), { amountCents: 2500 });
  const found = async () => {
    const results = await verifyLedger(db, network.id);
    return results.flatMap(({ name, examples }) =>
      name === "closed books" ? examples.map(({ offence }) => offence) : [],
    );
  };
  await inTransaction(db, (tx) =>
    closeBooksThrough(tx, admin, { through: "2024-03-31", note: "" }),
  );
  expect(await found()).toEqual([]);
  await inTransaction(db, async (tx) => {
    await sql`alter table entries disable trigger user`.execute(tx);
    await sql`update entries set day = '2024-03-31' where network_id = ${network.id}`.execute(tx);
    await sql`alter table entries enable trigger user`.execute(tx);
  });
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
