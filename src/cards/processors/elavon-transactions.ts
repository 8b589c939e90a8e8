import { Temporal } from "temporal-polyfill";
import { centsFromDollars } from "#kit/domain/money.ts";
import { fullRefundKind, voidOf } from "#cards/processors/charge-events.ts";
import { listTransactions, type Transaction, unknown } from "#cards/processors/elavon-gateway.ts";
import { isReversed, returnsOf, voidOrReturn } from "#cards/processors/elavon-refunds.ts";
import { instantOf } from "#cards/processors/elavon-times.ts";
import type {
  Account,
  Charge,
  ChargeOutcome,
  LookUpOutcome,
  UnknownOutcome,
} from "#cards/processors/processor.ts";
import { onlyPartApproved, sentence } from "#cards/processors/wording.ts";

export const isTestAnswer = (found: Transaction) =>
  found["ssl_approval_code"] === "123456" &&
  found["ssl_avs_response"] === "X" &&
  /^0+/.test(found["ssl_txn_id"] ?? "");

/** `ssl_result` is not reliable in queries: message, approval code and status decide. */
export async function outcomeOf(
  account: Account,
  found: Transaction,
  sought: Charge,
): Promise<ChargeOutcome> {
  const transactionId = found["ssl_txn_id"] ?? "";
  const amountCents = centsFromDollars(found["ssl_amount"] ?? "");
  const charged = { transactionId, amountCents: amountCents ?? sought.amountCents, card: null };
  const voided = { kind: "approved" as const, ...charged, since: [voidOf(charged)] };
  const says = found["ssl_result_message"] ?? "";
  const status = found["ssl_trans_status"] ?? "";
  if (found["ssl_transaction_type"] !== "SALE")
    return isReversed(found)
      ? voided
      : { kind: "declined", message: "This transaction is not a sale." };
  const hasApproval = Boolean(found["ssl_approval_code"]);
  if (isPartial(found) || (hasApproval && failsRule(found)))
    return (await undo(account, found)) ?? voided;
  if (!hasApproval || failsRule(found) || !/^(APPROVA|SUCCESS|APPROBAT)/.test(says))
    return {
      kind: "declined",
      message: `declined: ${sentence(says, "The card was declined.")}`,
      transactionId,
    };
  if (status === "REV")
    return { ...unknown("Converge holds the payment for review."), transactionId };
  if (amountCents === null) return { ...unknown("Converge gave no amount."), transactionId };
  if (isBefore(found["ssl_txn_time"] ?? "", sought.session?.startedAt ?? sought.startedAt))
    return { kind: "declined", message: "This transaction is older than the payment." };
  const brand = found["ssl_card_short_description"] ?? "";
  const lastFour = (found["ssl_card_number"] ?? "").slice(-4);
  const since = status === "STL" ? await returnsOf(account, found) : [];
  return { kind: "approved", transactionId, amountCents, card: { brand, lastFour }, since };
}

const isPartial = (found: Transaction) => (found["ssl_result_message"] ?? "").startsWith("PARTIAL");

/** Refused by the merchant's own rules, before the bank was reached (PRE) or after it approved. */
const failsRule = (found: Transaction) => /^(PST|FPR|PRE)$/.test(found["ssl_trans_status"] ?? "");

/** An approval that we do not post must not stay on the payer's card. Null once it is undone. */
async function undo(account: Account, found: Transaction): Promise<UnknownOutcome | null> {
  const amountCents = centsFromDollars(found["ssl_amount"] ?? "");
  const undone =
    amountCents === null
      ? unknown("Converge gave no amount.")
      : await voidOrReturn(account, found, {
          amountCents,
          chargedCents: amountCents,
          isRest: true,
          otherRefunds: [],
          wasAskedBefore: true,
        });
  if (undone.kind === "done") return null;
  const problem = "An approval that cannot be posted has not been voided yet.";
  return { ...unknown(problem), transactionId: found["ssl_txn_id"] ?? "" };
}

/** For the payer: why a sale that the browser reports as approved does not count. */
export function reversalReason(found: Transaction): string {
  if (isPartial(found)) return `declined: ${onlyPartApproved}`;
  return failsRule(found)
    ? "declined: The card did not pass the referral service's checks. Nothing was charged. Use another card, or pay by check."
    : "This transaction was voided.";
}

/** Whether a Converge time is before an instant; clocks may differ by some minutes. */
function isBefore(easternTime: string, instant: string): boolean {
  const time = instantOf(easternTime);
  const earliest = Temporal.Instant.from(instant).subtract({ minutes: 5 });
  return time !== null && Temporal.Instant.compare(time, earliest) < 0;
}

/** The charge made in a session: found by our reference among the sales since it was opened. */
export async function findCharge(account: Account, sought: Charge): Promise<LookUpOutcome> {
  const reference = sought.session?.reference ?? sought.reference;
  const started = sought.session?.startedAt ?? sought.startedAt;
  // Wide enough for clock differences and the repeated hour in autumn.
  const from = Temporal.Instant.from(started).subtract({ minutes: 70 });
  const listed = await listTransactions(
    account,
    { from, to: from.add({ minutes: 210 }) },
    reference,
  );
  const ours = listed.filter(
    (each) => each["ssl_invoice_number"] === reference && !isTestAnswer(each),
  );
  if (ours.length === 0) return { kind: "missing" };
  const outcomes: LookUpOutcome[] = [];
  for (const each of ours) outcomes.push(await outcomeOf(account, each, sought));
  // A session may have five declines before its approval, which is what counts and may still come.
  const isStillApproved = (each: LookUpOutcome) =>
    each.kind === "approved" && !fullRefundKind(each);
  return (
    outcomes.find(isStillApproved) ??
    outcomes.find(({ kind }) => kind === "unknown") ??
    outcomes.find(({ kind }) => kind === "approved") ?? { kind: "missing", wasDeclined: true }
  );
}
