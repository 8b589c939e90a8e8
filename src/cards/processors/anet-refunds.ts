import { dollarsText, zero } from "#kit/domain/money.ts";
import {
  callGateway,
  cardOf,
  detailsOf,
  problemText,
  unknown,
} from "#cards/processors/anet-gateway.ts";
import { findOurRefund, refundsOf } from "#cards/processors/anet-lists.ts";
import { isVoidable, voidWhole } from "#cards/processors/anet-transactions.ts";
import type {
  Account,
  Captured,
  RefundOutcome,
  RefundRequest,
} from "#cards/processors/processor.ts";
import {
  isPart,
  refuseAboveRest,
  refusePartUntilSettled,
  refundRest,
} from "#cards/processors/refund-rest.ts";
import { textAt, valueAt } from "#cards/processors/send-request.ts";
import { neverCollected, sentence } from "#cards/processors/wording.ts";

/* Authorize.Net's refunds of settled charges: each is a transaction of its own. */

export async function voidOrRefund(
  account: Account,
  captured: RefundRequest,
): Promise<RefundOutcome> {
  const charge = await detailsOf(account, captured.transactionId);
  const status = textAt(charge, "transactionStatus");
  if (status === "voided")
    return captured.isRest
      ? { kind: "done", how: "voided", processorId: captured.transactionId }
      : refuseAboveRest(zero);
  if (isVoidable(status))
    return isPart(captured)
      ? refusePartUntilSettled("Authorize.Net")
      : await voidWhole(account, captured);
  if (status === "settlementError") return { kind: "refused", message: neverCollected };
  if (status !== "settledSuccessfully") return unknown(`Authorize.Net says: ${status}.`);
  const made = captured.wasAskedBefore ? await findRefund(account, captured) : null;
  if (made !== null) return await outcomeOfRefund(account, made);
  const lastFour = cardOf(charge).lastFour || captured.lastFour;
  return await refundRest(
    captured,
    (amountCents) => refund(account, { ...captured, amountCents, lastFour }),
    () => refundsOf(account, charge, captured.chargedAt),
  );
}

/** The refund's id: the processor's, if known, otherwise found by our reference. */
const findRefund = async (account: Account, { processorId, reference, requestedAt }: Captured) =>
  processorId ?? (await findOurRefund(account, reference, requestedAt));

/** The outcome of an earlier refund whose answer was lost. */
async function outcomeOfRefund(account: Account, transactionId: string): Promise<RefundOutcome> {
  const status = textAt(await detailsOf(account, transactionId), "transactionStatus");
  if (/^refund(PendingSettlement|SettledSuccessfully)$/.test(status))
    return { kind: "done", how: "refunded", processorId: transactionId };
  if (/^(declined|expired|generalError|settlementError|voided)$/.test(status))
    return {
      kind: "refused",
      message: `Authorize.Net did not carry out the refund (${status}). You can try the refund again.`,
    };
  return unknown(`Authorize.Net says of the refund: ${status || "nothing"}.`);
}

/** Why an accepted refund failed; null while it has not. */
export async function whyRefundFailed(
  account: Account,
  captured: Captured,
): Promise<string | null> {
  const made = await findRefund(account, captured);
  if (made === null) return null;
  const outcome = await outcomeOfRefund(account, made);
  return outcome.kind === "refused" ? outcome.message : null;
}

/**
 * Each refund has its own invoice number, so Authorize.Net does not mistake another partial refund for a
 * repeat.
 */
async function refund(account: Account, captured: Captured): Promise<RefundOutcome> {
  const answer = await callGateway(account, "createTransaction", {
    refId: captured.reference,
    transactionRequest: {
      transactionType: "refundTransaction",
      amount: dollarsText(captured.amountCents),
      payment: { creditCard: { cardNumber: captured.lastFour, expirationDate: "XXXX" } },
      refTransId: captured.transactionId,
      order: { invoiceNumber: captured.reference },
      transactionSettings: {
        setting: [{ settingName: "duplicateWindow", settingValue: "28800" }],
      },
    },
  });
  const made = valueAt(answer, "transactionResponse");
  const reason = textAt(made, "errors", 0, "errorCode");
  if (textAt(made, "responseCode") === "1")
    return { kind: "done", how: "refunded", processorId: textAt(made, "transId") };
  // The same refund was sent before, and its answer was lost.
  if (reason === "11") return { kind: "done", how: "refunded" };
  const says = sentence(
    textAt(made, "errors", 0, "errorText") || problemText(answer),
    "It gave no reason.",
  );
  if (textAt(made, "responseCode") === "2" || /^(54|55|6|16)$/.test(reason))
    return {
      kind: "refused",
      message: `Authorize.Net refused the refund: ${says}`,
      // Unconfirmed: which of the two comes for a charge with nothing left.
      exceedsRest: /^5[45]$/.test(reason),
    };
  return unknown(says);
}
