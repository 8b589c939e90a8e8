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

/** The shares of a payment in debit order, without those of zero. */
export function sharesOf(hash: PaymentHash): PaymentShare[] {
  return Object.entries(hash)
    .filter(([, amount]) => amount > 0)
    .map(([debitId, amount]) => ({ debitId: Number(debitId), amountCents: amount }))
    .toSorted((a, b) => a.debitId - b.debitId);
}

export function totalOf(shares: PaymentShare[]): Cents {
  return sum(shares.map((share) => share.amountCents));
}

/** A debit that is to be paid, as it is while it is locked. */
export interface DebitToPay {
  id: number;
  /** Its name for people; null where no message needs it. */
  title: string | null;
  attorneyId: number;
  balanceCents: Cents;
  pendingCents: Cents;
}

/** A debit's (alias `d`) name for people: "Panel dues, due 11/01/2026". */
export const titleOfDebit = sql<string>`(
  select ${debitName} || ', due ' || to_char(d.due_on, 'MM/DD/YYYY') from (select) as one ${debitNames})`;

/**
 * Lock the debits of a payment in id order and check that it may be made, as `payingAttorneyOf` says.
 * Answers the attorney whose debits they are.
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
 * The attorney whose debits a payment pays. It may be made when each debit is one that the actor may pay (404),
 * all belong to one attorney (422), and each share fits what is owed less what is pending (409).
 * Debits and shares come in the same order. Source: domain rules §4.
 */
export function payingAttorneyOf(
  actor: Actor,
  shares: PaymentShare[],
  debits: DebitToPay[],
): number {
  const isForeign = (debit: { attorneyId: number }) =>
    actor.role === "attorney" && debit.attorneyId !== actor.attorneyId;
  const [first] = debits;
  if (!first || debits.length < shares.length || debits.some(isForeign)) throw notFound("debit");
  if (debits.some((debit) => debit.attorneyId !== first.attorneyId))
    throw invalid("payment_hash", "All debits of one payment must belong to the same attorney.");
  for (const [index, debit] of debits.entries()) {
    const available = cents(debit.balanceCents - debit.pendingCents);
    if ((shares[index]?.amountCents ?? 0) > available)
      throw amountTooLarge(`payment_hash.${debit.id}`, debit.title, available);
  }
  return first.attorneyId;
}

/** A share is more than what is owed on its debit less what is pending. */
export function amountTooLarge(path: string, title: string | null, available: Cents): Refusal {
  const message = `At most ${formatMoney(available)} can be paid on ${title}: the rest is paid or awaits confirmation.`;
  return new Refusal(409, message, { errors: [{ path, message }] });
}

/** What an attorney can pay now: all that is owed less what is pending. */
export async function sumAvailable(tx: Db, networkId: number, attorneyId: number): Promise<Cents> {
  const { rows } = await sql<{ available: Cents }>`
    select coalesce(sum(balance_cents - pending_cents), 0)::bigint as available from debits
    where network_id = ${networkId} and attorney_id = ${attorneyId}`.execute(tx);
  return rows[0]?.available ?? cents(0);
}
