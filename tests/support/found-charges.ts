import { sql } from "kysely";
import { type Cents, cents } from "#kit/domain/money.ts";
import type { Db } from "#kit/db/database.ts";
import { networkDay } from "#kit/db/network-day.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { lockPayment, type PaymentKey, processorAsDoer } from "#cards/charge/locked-payment.ts";
import { postUnmatchedCharge } from "#cards/reconcile/found-charges.ts";
import type { ProcessorName, TransactionKind } from "#cards/shapes.ts";
import { recordTransaction } from "#cards/transactions/record-transaction.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";

interface FoundCharge {
  attorneyId: number;
  amountCents: number;
  processor?: ProcessorName;
  transactionId?: string;
}

/**
 * A card charge of an attorney that was found at its processor: it pays the oldest debits, and the rest
 * becomes credit. The network needs no processor of its own.
 */
export async function aFoundCharge(
  db: Db,
  network: MadeNetwork,
  { attorneyId, amountCents, processor = "stripe", transactionId = "T1" }: FoundCharge,
): Promise<PaymentKey> {
  const networkId = network.id;
  await sql`
    insert into card_processors (network_id, processor, live, brandmarks, public_keys, encrypted_secrets, key_version)
    select ${networkId}, ${processor}, false, '{visa}', '{}', 'x', 1
    where not exists (select from card_processors where network_id = ${networkId} and processor = ${processor})`.execute(
    db,
  );
  const { id: cardProcessorId } = await db
    .selectFrom("cardProcessors")
    .select("id")
    .where("networkId", "=", networkId)
    .where("processor", "=", processor)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirstOrThrow();
  const found = { networkId, attorneyId, processor, cardProcessorId, sessionId: null };
  const charge = { ...found, transactionId, amountCents: cents(amountCents), card: null };
  await inTransaction(db, (tx) => postUnmatchedCharge(tx, charge, network.admin));
  const { paymentId } = await db
    .selectFrom("cardPayments")
    .select("paymentId")
    .where("networkId", "=", networkId)
    .where("transactionId", "=", transactionId)
    .executeTakeFirstOrThrow();
  return { networkId, attorneyId, paymentId };
}

/** The processor reports today that something has happened to a card payment. */
export async function happened(
  db: Db,
  key: PaymentKey,
  kind: TransactionKind,
  amountCents: number,
): Promise<void> {
  const amount: Cents = cents(amountCents);
  await inTransaction(db, async (tx) => {
    const payment = await lockPayment(tx, key);
    const on = networkDay(key.networkId);
    const one = { kind, amountCents: amount, on, processorId: null, by: "processor" } as const;
    await recordTransaction(tx, payment, one, { author: processorAsDoer(payment) });
  });
}
