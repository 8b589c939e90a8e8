import { type RawBuilder, sql } from "kysely";
import { beforeEach, expect } from "vitest";
import { cents } from "#domain/money.ts";
import { inTransaction } from "#db/transaction.ts";
import { verifyLedger } from "#features/ledger/verify-ledger.ts";
import { postUnmatchedCharge } from "#features/cards/reconcile/found-charges.ts";
import { takesCards } from "#tests/support/card-network.ts";
import { makeAttorney } from "#features/demo/records/attorneys.ts";
import { makeNetwork, type MadeNetwork } from "#features/demo/records/networks.ts";
import { makeDebit } from "#features/demo/records/dues.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";

let network: MadeNetwork;
let paymentId: number;

const test = databaseTest({ asOwner: true });

/** A network with a debit of $50.00, for which a card was charged $60.00. */
beforeEach(async () => {
  network = await makeNetwork(db);
  const attorney = await makeAttorney(db, network);
  await makeDebit(db, network, attorney);
  await takesCards({ db, secret: "a secret of this test" }, network, "elavon");
  const { id: cardProcessorId } = await db
    .selectFrom("cardProcessors")
    .select("id")
    .where("networkId", "=", network.id)
    .executeTakeFirstOrThrow();
  const charge = {
    networkId: network.id,
    attorneyId: attorney.id,
    processor: "elavon",
    cardProcessorId,
    sessionId: null,
    transactionId: "T1",
    amountCents: cents(6000),
    card: null,
  };
  await inTransaction(db, (tx) => postUnmatchedCharge(tx, charge, network.admin));
  const payment = await db
    .selectFrom("cardPayments")
    .select("paymentId")
    .where("networkId", "=", network.id)
    .executeTakeFirstOrThrow();
  paymentId = payment.paymentId;
});

async function found(): Promise<Record<string, string[]>> {
  const results = await verifyLedger(db, network.id);
  const wrong = results.filter(({ offenders }) => offenders > 0);
  return Object.fromEntries(
    wrong.map(({ name, examples }) => [name, examples.map(({ offence }) => offence)]),
  );
}

/** Write past every trigger and index, as an operator in despair might. */
async function damage(...statements: RawBuilder<unknown>[]): Promise<void> {
  const tables = ["card_payments", "payments", "payment_allocations", "unapplied_payments"];
  const turn = (which: string) =>
    tables.map((table) => `alter table ${table} ${which} trigger user`).join("; ");
  await inTransaction(db, async (tx) => {
    await sql.raw(turn("disable")).execute(tx);
    for (const statement of statements) await statement.execute(tx);
    await sql.raw(turn("enable")).execute(tx);
  });
}

test("a card payment that the product wrote is whole", async () => {
  expect(await found()).toEqual({});
});

test("finds a share that does not stand as its card does", async () => {
  await damage(
    sql`update card_payments set state = 'refunded', refunded_at = now() where payment_id = ${paymentId}`,
  );
  expect(await found()).toEqual({
    cards: [`card payment ${paymentId}: refunded, transaction T1, shares approved`],
    cash: ["clearing:elavon: 60.00 by the entries, 10.00 by checks, deposits and cards"],
  });
});

test("finds a payment by card that no processor was asked about", async () => {
  await damage(
    sql`update unapplied_payments set payment_id = null, charged_cents = amount_cents where network_id = ${network.id}`,
    sql`delete from card_payments where payment_id = ${paymentId}`,
  );
  expect(await found()).toEqual({
    cards: [`card payment ${paymentId}: no processor was asked`],
    cash: ["clearing:elavon: 60.00 by the entries, 10.00 by checks, deposits and cards"],
  });
});

test("finds money that is neither posted nor unapplied", async () => {
  await damage(
    sql`update unapplied_payments set amount_cents = 500 where network_id = ${network.id}`,
  );
  expect(await found()).toEqual({
    cash: [
      "clearing:elavon (unapplied): -10.00 by the entries, -5.00 by checks, deposits and cards",
      "clearing:elavon: 60.00 by the entries, 55.00 by checks, deposits and cards",
    ],
    transactions: ["elavon transaction T1 of 60.00: 5.00 unapplied and 50.00 posted"],
  });
});

test("a payment by card without its card side cannot be made, nor its share decided by hand", async () => {
  const attorney = await makeAttorney(db, network);
  const made = db
    .insertInto("payments")
    .values({
      networkId: network.id,
      attorneyId: attorney.id,
      method: "online",
      amountCents: cents(100),
      checkNumber: null,
      createdBy: null,
    })
    .execute();
  await expect(made).rejects.toThrow(/made with its processor/);
  const decided = sql`update payment_allocations set status = 'refunded' where payment_id = ${paymentId}`;
  await expect(decided.execute(db)).rejects.toThrow(/decided with its payment/);
});

test("a charge is posted once, whoever finds it", async () => {
  const again = db
    .updateTable("cardPayments")
    .set({ transactionId: "T2" })
    .where("paymentId", "=", paymentId)
    .execute();
  await expect(again).rejects.toThrow(/keeps its transaction/);
});
