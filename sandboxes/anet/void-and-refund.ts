import { randomUUID } from "node:crypto";
import type { Cents } from "#kit/domain/money.ts";
import type { HttpAnswer } from "../call-handler.ts";
import { textAt } from "../json.ts";
import { amountToRefund } from "../sandbox.ts";
import { sendEvent } from "./events.ts";
import {
  type AnetStore,
  findTransaction,
  insertTransaction,
  refundedCents,
  type Transaction,
} from "./store.ts";
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
  const voided = markVoided(store, found);
  // The outcome of the void: the charge's own may be a hold or a partial approval.
  return transactionAnswer({ ...voided, outcome: approved }, request);
}

/** In the Merchant Interface; false if it is too late. */
export function voidAtProcessor(store: AnetStore, id: string): boolean {
  const found = store.transactions.get(id);
  if (!found || !voidable.test(found.status)) return false;
  markVoided(store, found);
  return true;
}

function markVoided(store: AnetStore, charge: Transaction): Transaction {
  const voided = store.transactions.set(charge.transId, { ...charge, status: "voided" });
  sendEvent(store, "void.created", voided);
  return voided;
}

const maxAgeMs = 180 * 86_400_000;

/** refundTransaction: after settlement, in whole or in part, up to the amount. */
export function refund(store: AnetStore, request: TransactionRequest): HttpAnswer {
  const { fields, login } = request;
  const charged = findTransaction(store, login, textAt(fields, "refTransId") ?? "");
  const last4 = (textAt(fields, "payment", "creditCard", "cardNumber") ?? "").slice(-4);
  const amountCents = amountOf(request);
  if (amountCents === null) return failed(request, "5", "A valid amount is required.");
  if (!charged) return notFound(request);
  if (!isRefundable(store, charged) || charged.card.last4 !== last4) {
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
  const refunded = insertRefund(store, charged, amountCents, {
    ...describedBy(request),
    duplicateKey,
  });
  return transactionAnswer(refunded, request);
}

/**
 * In the Merchant Interface, as a linked refund. Its invoice number there is unknown: here it gets none, so
 * only its details say which charge it belongs to.
 */
export function refundAtProcessor(store: AnetStore, id: string, wanted?: number): boolean {
  const charged = store.transactions.get(id);
  if (!charged || !isRefundable(store, charged)) return false;
  const amountCents = amountToRefund(charged.amountCents - refundedCents(store, id), wanted);
  if (amountCents === null) return false;
  insertRefund(store, charged, amountCents, { duplicateKey: randomUUID() });
  return true;
}

function isRefundable({ context }: AnetStore, charged: Transaction): boolean {
  const isTooOld = context.clock.now() - charged.at > maxAgeMs;
  return charged.status === "settledSuccessfully" && !isTooOld;
}

function insertRefund(
  store: AnetStore,
  charged: Transaction,
  amountCents: Cents,
  described: Pick<Transaction, "duplicateKey" | "refId" | "invoiceNumber" | "description">,
): Transaction {
  const refunded = insertTransaction(store, {
    ...described,
    login: charged.login,
    type: "refundTransaction",
    status: "refundPendingSettlement",
    outcome: approved,
    authCode: "",
    avs: "P",
    cvv: "",
    amountCents,
    card: charged.card,
    refTransId: charged.transId,
  });
  sendEvent(store, "refund.created", refunded);
  return refunded;
}
