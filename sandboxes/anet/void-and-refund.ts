import type { HttpAnswer } from "../call-handler.ts";
import { textAt } from "../json.ts";
import { sendEvent } from "./events.ts";
import { type AnetStore, findTransaction, insertTransaction, refundedCents } from "./store.ts";
import { approved } from "./test-cards.ts";
import { duplicateAnswer, failed, notFound, transactionAnswer } from "./transaction-answers.ts";
import {
  amountOf,
  describedBy,
  duplicateKeyOf,
  type TransactionRequest,
} from "./transaction-request.ts";

const voidable = /^(authorizedPendingRelease|(captured|refund)PendingSettlement|FDS.*)$/;

/** voidTransaction: before settlement. */
export function voidCharge(store: AnetStore, request: TransactionRequest): HttpAnswer {
  const id = textAt(request.fields, "refTransId") ?? "";
  const found = findTransaction(store, request.login, id);
  if (found?.status === "voided") {
    const again = { code: "310", description: "This transaction has already been voided." };
    return transactionAnswer({ ...found, outcome: approved }, request, again);
  }
  if (!found || !voidable.test(found.status)) return notFound(request);
  const voided = store.transactions.set(id, { ...found, status: "voided" });
  sendEvent(store, "void.created", voided);
  // The outcome of the void: that on the charge may have been a hold, or an approval of a part.
  return transactionAnswer({ ...voided, outcome: approved }, request);
}

const maxAgeMs = 180 * 86_400_000;

/** refundTransaction: after settlement, the whole or a part, up to the amount. */
export function refund(store: AnetStore, request: TransactionRequest): HttpAnswer {
  const { fields, login } = request;
  const charged = findTransaction(store, login, textAt(fields, "refTransId") ?? "");
  const last4 = (textAt(fields, "payment", "creditCard", "cardNumber") ?? "").slice(-4);
  const amountCents = amountOf(request);
  if (amountCents === null) return failed(request, "5", "A valid amount is required.");
  if (!charged) return notFound(request);
  const isTooOld = store.context.clock.now() - charged.at > maxAgeMs;
  if (charged.status !== "settledSuccessfully" || charged.card.last4 !== last4 || isTooOld) {
    const text = "The referenced transaction does not meet the criteria for issuing a credit.";
    return failed(request, "54", text);
  }
  if (refundedCents(store, charged.transId) + amountCents > charged.amountCents) {
    const text =
      "The sum of credits against the referenced transaction would exceed original debit amount.";
    return failed(request, "55", text);
  }
  const duplicateKey = duplicateKeyOf(request, charged.card);
  const duplicate = duplicateAnswer(store, request, duplicateKey);
  if (duplicate) return duplicate;
  const refunded = insertTransaction(store, {
    ...describedBy(request),
    login,
    type: "refundTransaction",
    status: "refundPendingSettlement",
    outcome: approved,
    authCode: "",
    avs: "P",
    cvv: "",
    amountCents,
    card: charged.card,
    refTransId: charged.transId,
    duplicateKey,
  });
  sendEvent(store, "refund.created", refunded);
  return transactionAnswer(refunded, request);
}
