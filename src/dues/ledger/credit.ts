import { sql } from "kysely";
import { spreadCredit, takeFromCredit } from "#kit/domain/credit.ts";
import { type Cents, cents, dollarsText, formatMoney, sum } from "#kit/domain/money.ts";
import type { Actor, Admin, AttorneyActor, ChangeAuthor } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { networkDay } from "#kit/db/network-day.ts";
import { debitNames, debitTitle } from "#kit/db/debit-names.ts";
import { type RawJson, selectJsonOrThrow } from "#kit/db/json-query.ts";
import { listJson, shapeJson, tableJson } from "#kit/db/shape-json.ts";
import { invalid, notFound, Refusal } from "#kit/contract/refusal.ts";
import { refuseUnknownAttorney } from "#panel/known-attorney.ts";
import { Credit, CreditEntry, type CreditUse } from "#dues/ledger/contract.ts";

/** The most entries in one answer, newest first, as in an attorney's record. Published interface. */
const maxListed = 1000;

/** An attorney's credit with its entries, newest first. Throws 404 for an attorney who is not the actor's. */
export async function readCredit(
  tx: Db,
  actor: Actor,
  attorneyId: number,
): Promise<RawJson<Credit>> {
  await refuseUnknownAttorney(tx, actor, attorneyId);
  return await showCreditNow(tx, actor.networkId, attorneyId);
}

/**
 * Apply credit to one of the attorney's debits, or record a refund of it, oldest receipts first. Credit from a
 * card payment is refunded only to the card. Throws 404 for an unknown attorney or debit, 422 for another
 * attorney's debit, 409 for more than the credit, or than can be paid on the debit. Source: domain rules §10.
 */
export async function spendCredit(
  tx: Db,
  admin: Admin,
  { attorneyId, wanted }: { attorneyId: number; wanted: CreditUse },
): Promise<RawJson<Credit>> {
  await refuseUnknownAttorney(tx, admin, attorneyId);
  const receipts = await lockReceipts(tx, admin.networkId, attorneyId);
  const credit = sum(receipts.map(({ leftCents }) => leftCents));
  const debit =
    wanted.action === "apply" ? await lockDebit(tx, admin, attorneyId, wanted.debit_id) : null;
  refuseMoreThan(credit, wanted.amount);
  const usable = debit ? receipts : receipts.filter(({ method }) => method !== "online");
  if (!debit)
    refuseMoreThanFromChecks(sum(usable.map(({ leftCents }) => leftCents)), wanted.amount);
  if (debit) refuseMoreThanOwed(debit, wanted.amount);
  const entry = {
    networkId: admin.networkId,
    attorneyId,
    ...(debit ? appliedTo(debit.id) : givenBack(admin.networkId)),
    day: networkDay(admin.networkId),
    note: wanted.action === "give_back" ? wanted.note : "",
    actorUserId: admin.userId,
  };
  const checks = new Map(usable.map(({ id, receivedCheckId }) => [id, receivedCheckId]));
  await tx
    .insertInto("entries")
    .values(
      takeFromCredit(usable, wanted.amount).map((part) => ({
        ...entry,
        ...part,
        receivedCheckId: debit ? null : checks.get(part.creditId),
      })),
    )
    .execute();
  const left = cents(credit - wanted.amount);
  if (debit) await auditApplied(tx, admin, { debit, paid: wanted.amount, credit, left });
  if (wanted.action === "give_back")
    await audit(tx, admin, {
      action: "gave back credit",
      recordType: "attorney",
      recordId: attorneyId,
      before: { credit: dollarsText(credit) },
      after: {
        amount: dollarsText(wanted.amount),
        credit: dollarsText(left),
        note: wanted.note,
      },
    });
  notifyOnCommit(tx, admin.networkId, attorneyId);
  return await showCreditNow(tx, admin.networkId, attorneyId);
}

/**
 * Pay the attorney's own debits from their credit, oldest due first. Throws 409 for more than the credit, or
 * than can be paid. Locks the attorney, so two requests at the same time run one after the other.
 */
export async function payFromOwnCredit(
  tx: Db,
  actor: AttorneyActor,
  amount: Cents,
): Promise<RawJson<Credit>> {
  const { networkId, attorneyId, userId } = actor;
  await tx
    .selectFrom("attorneys")
    .select("id")
    .where("networkId", "=", networkId)
    .where("id", "=", attorneyId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  const receipts = await lockReceipts(tx, networkId, attorneyId);
  const debits = await lockPayableDebits(tx, networkId, attorneyId);
  const credit = sum(receipts.map(({ leftCents }) => leftCents));
  const payable = sum(debits.map(({ payableCents }) => payableCents));
  const most = cents(Math.min(credit, payable));
  if (amount > most)
    throw tooLarge(
      most === 0
        ? "You have no credit, or no debit can be paid from it now."
        : `At most ${formatMoney(most)} can be paid from your credit now.`,
    );
  const parts = spreadCredit(receipts, debits, amount);
  await tx
    .insertInto("entries")
    .values(
      parts.map(({ creditId, debitId, amountCents }) => ({
        networkId,
        attorneyId,
        ...appliedTo(debitId),
        day: networkDay(networkId),
        creditId,
        amountCents,
        actorUserId: userId,
      })),
    )
    .execute();
  let before = credit;
  for (const debit of debits) {
    const own = parts.filter(({ debitId }) => debitId === debit.id);
    const paid = sum(own.map(({ amountCents }) => amountCents));
    if (paid === 0) continue;
    const left = cents(before - paid);
    await auditApplied(tx, actor, { debit, paid, credit: before, left });
    before = left;
  }
  notifyOnCommit(tx, networkId, attorneyId);
  return await showCreditNow(tx, networkId, attorneyId);
}

const appliedTo = (debitId: number) => ({
  cause: "credit_applied" as const,
  fromAccount: "receivable",
  toAccount: "credit",
  debitId,
});

/** From the bank of the newest deposit, or an unnamed bank if there is none. */
const givenBack = (networkId: number) => ({
  cause: "credit_given_back" as const,
  fromAccount: sql<string>`coalesce('bank:' || (
    select account_name from deposits where network_id = ${networkId} order by id desc limit 1), 'bank')`,
  toAccount: "credit",
  debitId: null,
});

/** Audit a debit paid from credit. `debit` and `credit` are as before the payment, `left` is the credit after it. */
async function auditApplied(
  tx: Db,
  author: ChangeAuthor,
  {
    debit: { id, balanceCents },
    paid,
    credit,
    left,
  }: {
    debit: { id: number; balanceCents: Cents };
    paid: Cents;
    credit: Cents;
    left: Cents;
  },
): Promise<void> {
  await audit(tx, author, {
    action: "applied credit",
    recordType: "debit",
    recordId: id,
    before: { balance: dollarsText(balanceCents), credit: dollarsText(credit) },
    after: {
      amount: dollarsText(paid),
      balance: dollarsText(cents(balanceCents - paid)),
      credit: dollarsText(left),
    },
  });
}

/** Debits that can be paid now, locked by id, oldest due first. */
async function lockPayableDebits(tx: Db, networkId: number, attorneyId: number) {
  const debits = await tx
    .selectFrom("debits")
    .select(["id", "dueOn", "balanceCents", "pendingCents"])
    .where("networkId", "=", networkId)
    .where("attorneyId", "=", attorneyId)
    .where("balanceCents", ">", cents(0))
    .whereRef("balanceCents", ">", "pendingCents")
    .orderBy("id")
    .forUpdate()
    .execute();
  return debits
    .map((debit) => ({ ...debit, payableCents: cents(debit.balanceCents - debit.pendingCents) }))
    .toSorted((a, b) => a.dueOn.localeCompare(b.dueOn) || a.id - b.id);
}

/** Receipts with credit left, oldest first, locked until the transaction ends. Call before locking debits. */
async function lockReceipts(tx: Db, networkId: number, attorneyId: number) {
  return await tx
    .selectFrom("credits")
    .innerJoin("payments", (join) =>
      join
        .onRef("payments.networkId", "=", "credits.networkId")
        .onRef("payments.id", "=", "credits.paymentId"),
    )
    .select(["credits.id", "credits.leftCents", "payments.method", "payments.receivedCheckId"])
    .where("credits.networkId", "=", networkId)
    .where("credits.attorneyId", "=", attorneyId)
    .where("credits.leftCents", ">", cents(0))
    .orderBy("credits.id")
    .forUpdate("credits")
    .execute();
}

async function lockDebit(tx: Db, admin: Admin, attorneyId: number, debitId: number) {
  const debit = await tx
    .selectFrom("debits")
    .select(["id", "attorneyId", "balanceCents", "pendingCents"])
    .where("networkId", "=", admin.networkId)
    .where("id", "=", debitId)
    .forUpdate()
    .executeTakeFirst();
  if (!debit) throw notFound("debit");
  if (debit.attorneyId !== attorneyId)
    throw invalid(
      "debit_id",
      "This debit belongs to another attorney. Choose a debit of the attorney who has the credit.",
    );
  return debit;
}

function refuseMoreThan(credit: Cents, amount: Cents): void {
  if (amount <= credit) return;
  const message =
    credit === 0
      ? "This attorney has no credit."
      : `This attorney has ${formatMoney(credit)} of credit. Enter at most that amount.`;
  throw tooLarge(message);
}

/** `ofChecks`: the part of the credit paid by check. */
function refuseMoreThanFromChecks(ofChecks: Cents, amount: Cents): void {
  if (amount <= ofChecks) return;
  throw tooLarge(
    ofChecks === 0
      ? "This credit was paid by card. Refund the card payment instead."
      : `You can refund at most ${formatMoney(ofChecks)} here, the part paid by check. To refund the rest, refund the card payment.`,
  );
}

function refuseMoreThanOwed(
  { balanceCents, pendingCents }: { balanceCents: Cents; pendingCents: Cents },
  amount: Cents,
): void {
  const available = cents(balanceCents - pendingCents);
  if (amount > available)
    throw tooLarge(
      `At most ${formatMoney(available)} can be applied to this debit: its balance less pending payments.`,
    );
}

const tooLarge = (message: string) =>
  new Refusal(409, message, { errors: [{ path: "amount", message }] });

/** The cause for people: the debit it was applied to or restored from, its check, or the note. */
const causeText = sql`case when x.debit_id is null then x.note
  else ${debitTitle} || case x.note when '' then '' else ' (' || x.note || ')' end end`;

const creditKind = sql`case x.cause when 'credit_received' then 'received' when 'credit_applied' then 'applied'
  when 'credit_given_back' then 'given_back' else 'reversed' end`;

async function showCreditNow(
  tx: Db,
  networkId: number,
  attorneyId: number,
): Promise<RawJson<Credit>> {
  const entry = tableJson(CreditEntry, "entries as x", {
    kind: creditKind,
    amount: sql`x.credit_cents`,
    cause: causeText,
    source: sql`case y.method when 'online' then 'card' else 'check' end`,
    cardPaymentId: sql`case when x.cause = 'credit_received' and y.method = 'online' and k.left_cents > 0 then y.id end`,
  });
  const credit = shapeJson(Credit, {
    credit: sql`(select coalesce(sum(left_cents), 0)::bigint from credits
      where network_id = ${networkId} and attorney_id = ${attorneyId} and left_cents > 0)`,
    entries: listJson(entry, {
      from: sql`entries x
        join credits k on k.network_id = x.network_id and k.id = x.credit_id
        join payments y on y.network_id = k.network_id and y.id = k.payment_id
        left join debits d on d.network_id = x.network_id and d.id = x.debit_id ${debitNames}
        where x.network_id = ${networkId} and x.attorney_id = ${attorneyId} and x.credit_id is not null`,
      order: sql`x.created_at desc, x.id desc`,
      limit: maxListed,
    }),
  });
  return await selectJsonOrThrow(tx, credit);
}
