import { randomInt } from "node:crypto";
import type { HttpAnswer } from "../call-handler.ts";
import { textAt } from "../json.ts";
import { refusal } from "./answers.ts";
import { sendEvent } from "./events.ts";
import { takeNonce } from "./nonces.ts";
import { type AnetStore, insertTransaction } from "./store.ts";
import { type CardOutcome, outcomeAfterFilters, outcomeForAmount } from "./test-cards.ts";
import { duplicateAnswer, failed, transactionAnswer } from "./transaction-answers.ts";
import {
  amountOf,
  describedBy,
  duplicateKeyOf,
  settingOf,
  type TransactionRequest,
} from "./transaction-request.ts";

/** authCaptureTransaction: charge the nonce's card. */
export function charge(store: AnetStore, request: TransactionRequest): HttpAnswer {
  const nonce = takeNonce(store, request);
  if ("code" in nonce) return refusal(nonce.code, nonce.text, request.refId);
  const amountCents = amountOf(request);
  if (amountCents === null) return failed(request, "5", "A valid amount is required.");
  const duplicateKey = duplicateKeyOf(request, nonce.card);
  const duplicate = duplicateAnswer(store, request, duplicateKey);
  if (duplicate) return duplicate;
  const zip = textAt(request.fields, "billTo", "zip") ?? nonce.zip;
  const outcome = outcomeForAmount(
    outcomeAfterFilters(nonce.outcome, nonce.cvv, zip),
    amountCents,
    settingOf(request, "allowPartialAuth"),
  );
  if (outcome.responseCode === "3") return failed(request, outcome.reason, outcome.text);
  const transaction = insertTransaction(store, {
    ...describedBy(request),
    login: request.login,
    type: "authCaptureTransaction",
    status: statusAfter(outcome),
    outcome,
    authCode: isAuthorised(outcome) ? authCode() : "",
    avs: zip ? "Y" : "P",
    cvv: nonce.cvv,
    amountCents: outcome.onCardCents ?? amountCents,
    ...(outcome.onCardCents !== undefined && {
      requestedCents: amountCents,
      splitTenderId: String(randomInt(100_000, 1_000_000)),
    }),
    card: nonce.card,
    duplicateKey,
  });
  if (isAuthorised(outcome)) sendEvent(store, "authcapture.created", transaction);
  else if (outcome.responseCode === "4") sendEvent(store, "fraud.held", transaction);
  return transactionAnswer(transaction, request);
}

const isAuthorised = ({ responseCode, onCardCents }: CardOutcome) =>
  responseCode === "1" || onCardCents !== undefined;

function statusAfter(outcome: CardOutcome): string {
  if (outcome.responseCode === "4")
    return isAuthorised(outcome) ? "authorizedPendingRelease" : "FDSPendingReview";
  return outcome.responseCode === "2" ? "declined" : "capturedPendingSettlement";
}

function authCode(): string {
  return randomInt(36 ** 5, 36 ** 6)
    .toString(36)
    .toUpperCase();
}
