import { sql } from "kysely";
import { cents, type Cents, formatMoney, sum } from "#kit/domain/money.ts";
import type { Actor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { debitName, debitNames } from "#kit/db/debit-names.ts";
import { invalid, notFound, Refusal } from "#kit/contract/refusal.ts";
import type { PaymentHash } from "#payments/contract.ts";

export interface PaymentShare {
  debitId: number;
  amountCents: Cents;
}

/** The shares of a payment in debit order, without zeros. */
export function sharesOf(hash: PaymentHash): PaymentShare[] {
  return Object.entries(hash)
    .filter(([, amount]) => amount > 0)
    .map(([debitId, amount]) => ({ debitId: Number(debitId), amountCents: amount }))
    .toSorted((a, b) => a.debitId - b.debitId);
}

export function totalOf(shares: PaymentShare[]): Cents {
  return sum(shares.map((share) => share.amountCents));
}

/** A locked debit to pay. */
export interface DebitToPay {
  id: number;
  /** Its name for messages; null if no message needs it. */
  title: string | null;
  attorneyId: number;
  balanceCents: Cents;
  pendingCents: Cents;
}

/** A debit's (alias `d`) name in messages: "Panel dues, due 11/01/2026". */
export const titleOfDebit = sql<string>`(
  select ${debitName} || ', due ' || to_char(d.due_on, 'MM/DD/YYYY') from (select) as one ${debitNames})`;

/**
 * Lock the debits of a payment in id order and check with `payingAttorneyOf` that it may be made. Answers the attorney who
 * owes them.
 */
export async function lockDebitsToPay(
  tx: Db,
  actor: Actor,
  shares: PaymentShare[],
): Promise<{ attorneyId: number }> {
  const debits = await tx
    .selectFrom("debits as d")
    .select(["id", "attorneyId", "balanceCents", "pendingCents", titleOfDebit.as("title")])
    .where("networkId", "=", actor.networkId)
    .where(
      "id",
      "in",
      shares.map((share) => share.debitId),
    )
    .orderBy("id")
    .forUpdate()
    .execute();
  return { attorneyId: payingAttorneyOf(actor, shares, debits) };
}

/**
 * The attorney whose debits a payment pays. Throws 404 unless the actor may pay each debit, 422 unless all belong to one
 * attorney, 409 if a share exceeds the balance less what is pending. Debits and shares must be in the same order. Source:
 * domain rules §4.
 */
export function payingAttorneyOf(
  actor: Actor,
  shares: PaymentShare[],
  debits: DebitToPay[],
): number {
  const isOthers = (debit: { attorneyId: number }) =>
    actor.role === "attorney" && debit.attorneyId !== actor.attorneyId;
  const [first] = debits;
  if (!first || debits.length < shares.length || debits.some(isOthers)) throw notFound("debit");
  if (debits.some((debit) => debit.attorneyId !== first.attorneyId))
    throw invalid("payment_hash", "All debits of one payment must belong to the same attorney.");
  for (const [index, debit] of debits.entries()) {
    const available = cents(debit.balanceCents - debit.pendingCents);
    if ((shares[index]?.amountCents ?? 0) > available)
      throw amountTooLarge(`payment_hash.${debit.id}`, debit.title, available);
  }
  return first.attorneyId;
}

/** 409 for a share above the debit's balance less what is pending. */
export function amountTooLarge(path: string, title: string | null, available: Cents): Refusal {
  const message = `At most ${formatMoney(available)} can be paid on ${title}. The rest is paid or pending.`;
  return new Refusal(409, message, { errors: [{ path, message }] });
}

/** What an attorney can pay now: the balance less what is pending. */
export async function sumAvailable(tx: Db, networkId: number, attorneyId: number): Promise<Cents> {
  const { rows } = await sql<{ available: Cents }>`
    select coalesce(sum(balance_cents - pending_cents), 0)::bigint as available from debits
    where network_id = ${networkId} and attorney_id = ${attorneyId}`.execute(tx);
  return rows[0]?.available ?? cents(0);
}
