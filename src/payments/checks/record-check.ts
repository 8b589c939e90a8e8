import type { PlainDate } from "#kit/domain/calendar.ts";
import { cents, type Cents, formatMoney, sum } from "#kit/domain/money.ts";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import type { RawJson } from "#kit/db/json-query.ts";
import { invalid, notFound, Refusal, refuseViolations } from "#kit/contract/refusal.ts";
import { refuseDay } from "#payments/checks/check-days.ts";
import { notifyOfAttorneys, showCheck } from "#payments/checks/checks.ts";
import type { Check, NewCheck } from "#payments/checks/contract.ts";
import { decideShares } from "#payments/decide-shares.ts";
import { amountTooLarge } from "#payments/payments.ts";
import { type CheckFound, type CheckToRecord, insertCheckQuery } from "#payments/insert-check.ts";
import { duplicateCheckRefusal } from "#payments/duplicate-checks.ts";

/**
 * Record a check of an attorney or a firm, spread over debits and credit to the cent, as pending or already approved. All
 * or nothing. Throws 422 if the parts do not add up or are not the payer's, 404 for anything outside the network; 409 for
 * more than the balance less what is pending, for a check number that the payer has used, or, without `another_check`,
 * that their firm or one of its attorneys has used. Source: domain rules §10; the book, rule 17.
 */
export async function recordWholeCheck(
  tx: Db,
  admin: ChangeAuthor,
  wanted: NewCheck,
  today: PlainDate,
): Promise<RawJson<Check>> {
  refuseMisfit(wanted);
  refuseDay("received_on", "Received on", wanted.received_on, today);
  const check = checkOf(wanted);
  const { rows } = await refuseViolations(
    {
      received_checks_once: () => alreadyRecorded(wanted.check_number, "for this payer"),
      received_checks_told_twice: (violation) =>
        duplicateCheckRefusal(wanted.check_number, violation, "admin"),
      payment_allocations_check_once: () =>
        alreadyRecorded(wanted.check_number, "on one of these debits"),
    },
    insertCheckQuery(admin, check).execute(tx),
  );
  const [answer] = rows;
  if (!answer?.checkId) throw refusalOf(check, answer);
  if (wanted.approve)
    await decideShares(tx, admin, { decision: "approved", checkIds: [answer.checkId] }); // the debits are already locked
  notifyOfAttorneys(tx, admin.networkId, answer.attorneyIds);
  return await showCheck(tx, admin.networkId, answer.checkId);
}

/** Throws 422 for what is wrong in the request itself. */
function refuseMisfit(wanted: NewCheck): void {
  if ((wanted.attorney_id === undefined) === (wanted.firm_id === undefined))
    throw invalid("attorney_id", "Choose one payer: an attorney or a firm.");
  const parts = [...Object.values(wanted.shares), ...Object.values(wanted.credits)];
  if (parts.length === 0)
    throw invalid("shares", "Place the check on at least one debit or on credit.");
  const placed = sum(parts);
  const difference = formatMoney(cents(Math.abs(wanted.amount - placed)));
  if (placed < wanted.amount)
    throw invalid(
      "shares",
      `The parts are ${difference} less than the check. Place the rest on debits or as credit.`,
    );
  if (placed > wanted.amount)
    throw invalid("shares", `The parts are ${difference} more than the check. Reduce them.`);
}

/** The check for `insertCheckQuery`, its parts in id order. */
function checkOf(wanted: NewCheck): CheckToRecord {
  const byId = (parts: Record<string, Cents>) =>
    Object.entries(parts)
      .map(([id, amountCents]) => ({ id: Number(id), amountCents }))
      .toSorted((a, b) => a.id - b.id);
  return {
    payer:
      wanted.attorney_id === undefined
        ? { kind: "firm", id: wanted.firm_id ?? 0 }
        : { kind: "attorney", id: wanted.attorney_id },
    checkNumber: wanted.check_number,
    amountCents: wanted.amount,
    receivedOn: wanted.received_on,
    note: wanted.note,
    isAnother: wanted.another_check,
    shares: byId(wanted.shares).map(({ id, amountCents }) => ({ debitId: id, amountCents })),
    credits: byId(wanted.credits).map(({ id, amountCents }) => ({ attorneyId: id, amountCents })),
    isApprovedNext: wanted.approve,
  };
}

const alreadyRecorded = (checkNumber: string, where: string) => {
  const message = `Check ${checkNumber} has already been recorded ${where}.`;
  return new Refusal(409, message, { errors: [{ path: "check_number", message }] });
};

/** Why the statement recorded nothing. */
function refusalOf(check: CheckToRecord, found: CheckFound | undefined): Error {
  const { shares, credits } = check;
  const { payerName = null, attorneys = [] } = found ?? {};
  const locked = new Map(found?.debits.map((debit) => [debit.id, debit]));
  const people = new Map(attorneys.map((attorney) => [attorney.id, attorney]));
  const isFirm = check.payer.kind === "firm";
  if (payerName === null) return notFound(isFirm ? "firm" : "attorney");
  if (locked.size < shares.length) return notFound("debit");
  if (credits.some(({ attorneyId }) => !people.has(attorneyId))) return notFound("attorney");
  for (const { id, attorneyId, title } of locked.values()) {
    const owner = people.get(attorneyId);
    const where = isFirm ? `who is not at ${payerName}` : `not by ${payerName}`;
    if (owner && !owner.belongs)
      return invalid(`shares.${id}`, `"${title}" is owed by ${owner.name}, ${where}.`);
  }
  for (const { attorneyId } of credits) {
    const owner = people.get(attorneyId);
    const why = isFirm ? `who is not at ${payerName}` : `because ${payerName} is the payer`;
    if (owner && !owner.belongs)
      return invalid(
        `credits.${attorneyId}`,
        `The check cannot become credit for ${owner.name}, ${why}.`,
      );
  }
  if (found?.isDuplicate) return alreadyRecorded(check.checkNumber, "for this payer");
  for (const { debitId, amountCents } of shares) {
    const debit = locked.get(debitId);
    const available = cents((debit?.balanceCents ?? 0) - (debit?.pendingCents ?? 0));
    if (debit && amountCents > available)
      return amountTooLarge(`shares.${debitId}`, debit.title, available);
  }
  return new Error("A valid check was not recorded.");
}
