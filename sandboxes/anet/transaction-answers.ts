import { dollarsText } from "#kit/domain/money.ts";
import type { HttpAnswer } from "../call-handler.ts";
import type { Card } from "../cards.ts";
import { answer, messages, successful } from "./answers.ts";
import type { AnetStore, Transaction } from "./store.ts";
import { settingOf, type TransactionRequest } from "./transaction-request.ts";

const accountTypes: Record<string, string> = {
  visa: "Visa",
  mastercard: "MasterCard",
  amex: "AmericanExpress",
  discover: "Discover",
  diners: "DinersClub",
  jcb: "JCB",
};

export const accountTypeOf = ({ brand }: Card) => accountTypes[brand] ?? "";

export function transactionAnswer(
  transaction: Transaction,
  { refId }: TransactionRequest,
  message?: { code: string; description: string },
): HttpAnswer {
  const { outcome } = transaction;
  const isDecline = outcome.responseCode === "2";
  const approval = message ?? { code: outcome.reason, description: outcome.text };
  const transactionResponse = {
    responseCode: outcome.responseCode,
    authCode: transaction.authCode,
    avsResultCode: transaction.avs,
    cvvResultCode: transaction.cvv,
    transId: transaction.transId,
    refTransID: transaction.refTransId ?? "",
    testRequest: "0",
    accountNumber: `XXXX${transaction.card.last4}`,
    accountType: accountTypeOf(transaction.card),
    ...(isDecline
      ? { errors: [{ errorCode: outcome.reason, errorText: outcome.text }] }
      : { messages: [approval] }),
    ...partOf(transaction),
  };
  // A decline may come as Ok or as an error. Here the issuer's come as Ok, a filter's as an error.
  const isError = isDecline && outcome.reason !== "2";
  return answer({ transactionResponse, refId, messages: isError ? unsuccessful : successful });
}

const unsuccessful = messages("Error", "E00027", "The transaction was unsuccessful.");

/** Extra fields of a partial approval: the requested and approved amounts, and that nothing is left. */
function partOf({ requestedCents, amountCents, splitTenderId }: Transaction): object | null {
  if (requestedCents === undefined) return null;
  return {
    splitTenderId,
    prePaidCard: {
      requestedAmount: dollarsText(requestedCents),
      approvedAmount: dollarsText(amountCents),
      balanceOnCard: "0.00",
    },
  };
}

export function notFound(request: TransactionRequest): HttpAnswer {
  return failed(request, "16", "The transaction cannot be found.");
}

/** Response code 3: nothing was charged. */
export function failed(
  { refId }: TransactionRequest,
  errorCode: string,
  errorText: string,
  { transId, authCode } = { transId: "0", authCode: "" },
): HttpAnswer {
  const transactionResponse = {
    responseCode: "3",
    authCode,
    avsResultCode: "P",
    cvvResultCode: "",
    transId,
    refTransID: "",
    testRequest: "0",
    accountNumber: "",
    accountType: "",
    errors: [{ errorCode, errorText }],
  };
  return answer({ transactionResponse, refId, messages: unsuccessful });
}

/** The answer to a repeat within the window (seconds, two minutes by default); null if it is not a repeat. */
export function duplicateAnswer(
  { transactions, context }: AnetStore,
  request: TransactionRequest,
  duplicateKey: string,
): HttpAnswer | null {
  const window = settingOf(request, "duplicateWindow");
  const since = context.clock.now() - Math.min(Number(window ?? "120"), 28_800) * 1_000;
  const isEarlier = (each: Transaction) => each.duplicateKey === duplicateKey && each.at > since;
  const earlier = transactions.values().find(isEarlier);
  if (!earlier) return null;
  // If the request names a window, the answer gives the first one's id, even of a decline.
  const known = window === undefined ? undefined : earlier;
  return failed(request, "11", "A duplicate transaction has been submitted.", known);
}
