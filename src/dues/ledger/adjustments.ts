import { dollarsText, formatMoney, negated, cents } from "#kit/domain/money.ts";
import type { Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { networkDay } from "#kit/db/network-day.ts";
import type { RawJson } from "#kit/db/json-query.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import type { Debit, NewAdjustment } from "#dues/ledger/contract.ts";
import { showDebit } from "#dues/ledger/debits.ts";

/**
 * Increase a debit's balance, or decrease it by at most the balance less pending payments.
 * Throws 404 for an unknown debit, 409 for a decrease that is too large. Source: domain rules §5.
 */
export async function adjust(tx: Db, admin: Admin, wanted: NewAdjustment): Promise<RawJson<Debit>> {
  const debit = await tx
    .selectFrom("debits")
    .select(["id", "attorneyId", "balanceCents", "pendingCents"])
    .where("networkId", "=", admin.networkId)
    .where("id", "=", wanted.debit_id)
    .forUpdate()
    .executeTakeFirst();
  if (!debit) throw notFound("debit");
  const available = cents(debit.balanceCents - debit.pendingCents);
  const isDecrease = wanted.direction === "decrease";
  if (isDecrease && wanted.amount > available)
    throw new Refusal(
      409,
      `The balance can be decreased by at most ${formatMoney(available)}: the balance less pending payments.`,
    );
  const amountCents = isDecrease ? negated(wanted.amount) : wanted.amount;
  const { id } = await tx
    .insertInto("entries")
    .values({
      networkId: admin.networkId,
      attorneyId: debit.attorneyId,
      debitId: debit.id,
      cause: "adjustment",
      fromAccount: isDecrease ? "receivable" : "adjustments",
      toAccount: isDecrease ? "adjustments" : "receivable",
      amountCents: wanted.amount,
      day: networkDay(admin.networkId),
      note: wanted.adjustment_note,
      actorUserId: admin.userId,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await audit(tx, admin, {
    action: isDecrease ? "decreased balance" : "increased balance",
    recordType: "debit",
    recordId: debit.id,
    before: { balance: dollarsText(debit.balanceCents) },
    after: {
      balance: dollarsText(cents(debit.balanceCents + amountCents)),
      adjustmentId: id,
      note: wanted.adjustment_note,
    },
  });
  notifyOnCommit(tx, admin.networkId, debit.attorneyId);
  return await showDebit(tx, admin.networkId, debit.id);
}
