import { Temporal } from "temporal-polyfill";
import { type Cents, cents } from "#kit/domain/money.ts";
import {
  type ChargeEvent,
  fullRefundKind,
  unrefunded,
  voidOf,
} from "#cards/processors/charge-events.ts";
import { callGateway, codeOf, messageOf, read } from "#cards/processors/lawpay-gateway.ts";
import type {
  Account,
  Approved,
  Charge,
  ChargeOutcome,
  LookUpOutcome,
  RefundOutcome,
  RefundRequest,
} from "#cards/processors/processor.ts";
import { isPart, refuseAboveRest } from "#cards/processors/refund-rest.ts";
import { isSuccess, listAt, readJson, textAt } from "#cards/processors/send-request.ts";
import { declinedByBank, sentence } from "#cards/processors/wording.ts";

export const usedBefore = "The card details have expired or were already used. Enter them again.";

/** Declines often come without text, so these are ours, by code. */
export const declineSentences: Record<string, string> = {
  card_declined: declinedByBank,
  card_declined_insufficient_funds: "The card was declined: insufficient funds.",
  card_declined_limit_exceeded: "The card was declined: its limit is exceeded.",
  card_declined_processing_error: "The card could not be processed. Try again or use another card.",
  card_declined_refer_to_issuer: "The card was declined. Ask your bank.",
  card_declined_hold: "The card was declined: it is on hold. Ask your bank.",
  card_declined_no_account: "The card was declined: there is no such account.",
  card_type_not_accepted: "This type of card is not accepted.",
  card_cvv_incorrect: "The card code is not correct.",
  card_avs_rejected: "The address does not match the card.",
  card_number_invalid: "The card number is not valid.",
  card_number_incorrect: "The card number is not valid.",
  card_expired: "The card has expired.",
  payment_method_expired: "The card details have expired. Enter them again.",
  no_card_details_or_token_present: usedBefore,
};

/** AUTHORIZED means success for a sale: the daily run captures it. Its amount is the amount charged. */
export function outcomeOf(transaction: unknown): ChargeOutcome {
  const transactionId = textAt(transaction, "id");
  const status = textAt(transaction, "status");
  if (/^(AUTHORIZED|COMPLETED|VOIDED)$/.test(status)) {
    const amount = Number(textAt(transaction, "amount"));
    if (!Number.isSafeInteger(amount) || amount <= 0)
      return { kind: "unknown", problem: "LawPay gave no amount.", transactionId };
    const brand = textAt(transaction, "method", "card_type").replaceAll("_", " ");
    const lastFour = textAt(transaction, "method", "number").slice(-4);
    const charged = { transactionId, amountCents: cents(amount) };
    return {
      kind: "approved",
      ...charged,
      card: { brand, lastFour },
      since:
        status === "VOIDED"
          ? [voidOf(charged, textAt(transaction, "modified") || null)]
          : refundsOf(transaction),
    };
  }
  if (status === "FAILED") {
    const message = declineSentences[textAt(transaction, "failure_code")] ?? declinedByBank;
    return { kind: "declined", message, transactionId };
  }
  return { kind: "unknown", problem: `LawPay says: ${status || "nothing"}.`, transactionId };
}

/** Refunds that were or will be carried out, made here or elsewhere: a charge lists its refunds. */
function refundsOf(charge: unknown): ChargeEvent[] {
  const carriedOut = listAt(charge, "refunds").filter(
    (refund) => !/^(VOIDED|FAILED)$/.test(textAt(refund, "status")),
  );
  return carriedOut.map((refund) => ({
    kind: "refund",
    amountCents: cents(Number(textAt(refund, "amount"))),
    on: textAt(refund, "created") || null,
    processorId: textAt(refund, "id"),
    reference: textAt(refund, "reference") || null,
  }));
}

export async function lookUp(account: Account, sought: Charge): Promise<LookUpOutcome> {
  const found = sought.transactionId
    ? await read(account, `/transactions/${encodeURIComponent(sought.transactionId)}`)
    : await findByReference(account, sought);
  return found ? outcomeOf(found) : { kind: "missing" };
}

/** The search matches parts of text, so the reference is compared here. */
async function findByReference(account: Account, sought: Charge): Promise<unknown> {
  const since = Temporal.Instant.from(sought.startedAt).subtract({ minutes: 10 });
  const query = new URLSearchParams({
    qf: `reference:${sought.reference}`,
    account_id: account.keys["accountId"] ?? "",
    start_date: since.toString({ fractionalSecondDigits: 3 }),
    order_by: "-created",
    page_size: "20",
  });
  const { results } = await read(account, `/transactions?${query}`);
  return listAt(results).find(
    (each) => textAt(each, "reference") === sought.reference && textAt(each, "type") === "CHARGE",
  );
}

/**
 * Void a whole charge if that is still possible; otherwise refund what is wanted and still left, never the
 * same amount twice. A partial refund also works before settlement.
 */
export async function voidOrRefund(
  account: Account,
  request: RefundRequest,
): Promise<RefundOutcome> {
  const id = encodeURIComponent(request.transactionId);
  const outcome = outcomeOf(await read(account, `/transactions/${id}`));
  const charged: Pick<Approved, "transactionId" | "amountCents" | "since"> =
    outcome.kind === "approved" ? outcome : { ...request, amountCents: request.chargedCents };
  const since = charged.since ?? [];
  const made = since.find(({ reference }) => reference === request.reference);
  if (made) return { kind: "done", how: "refunded", processorId: made.processorId };
  const left = unrefunded(charged.amountCents, since);
  if (left < request.amountCents && !request.isRest) return refuseAboveRest(left);
  const how = fullRefundKind(charged);
  if (how) return { kind: "done", how };
  const voided = isPart(request) ? null : await voidWhole(account, id, request);
  return voided ?? (await refund(account, id, { ...request, amountCents: smaller(left, request) }));
}

const smaller = (left: Cents, { amountCents }: RefundRequest) =>
  left < amountCents ? left : amountCents;

/** Null if it is too late. */
async function voidWhole(
  account: Account,
  id: string,
  { reference, transactionId }: RefundRequest,
): Promise<RefundOutcome | null> {
  const voided = await callGateway(account, `/transactions/${id}/void`, { reference });
  if (isSuccess(voided) && textAt(readJson(voided), "status") === "VOIDED")
    return { kind: "done", how: "voided", processorId: transactionId };
  if (isSuccess(voided)) return { kind: "unknown", problem: "LawPay did not say it was voided." };
  return voided.status >= 500 ? { kind: "unknown", problem: `HTTP ${voided.status}.` } : null;
}

async function refund(
  account: Account,
  id: string,
  { amountCents, reference }: RefundRequest,
): Promise<RefundOutcome> {
  const refunded = await callGateway(account, `/charges/${id}/refund`, {
    amount: amountCents,
    reference,
  });
  const json = readJson(refunded);
  if (isSuccess(refunded) && textAt(json, "type") === "REFUND")
    return { kind: "done", how: "refunded", processorId: textAt(json, "id") };
  if (isSuccess(refunded)) return { kind: "unknown", problem: "LawPay gave no refund id." };
  if (refunded.status >= 500 || codeOf(json) === "unavailable_due_to_capture_in_process")
    return { kind: "unknown", problem: sentence(messageOf(json), `HTTP ${refunded.status}.`) };
  return {
    kind: "refused",
    message: `LawPay refused the refund: ${sentence(messageOf(json), "")}`,
    exceedsRest: codeOf(json) === "refund_exceeds_transaction",
  };
}
