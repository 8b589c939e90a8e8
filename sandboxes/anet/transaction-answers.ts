import { createHmac } from "node:crypto";
import { dollarsText } from "#domain/money.ts";
import type { Card } from "../cards.ts";
import type { WireAnswer } from "../desk.ts";
import { answer, messages, successful } from "./answers.ts";
import type { Transaction } from "./ledger.ts";
import type { Merchant } from "./wanted.ts";

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
  merchant: Merchant,
  refId: string | undefined,
  message?: { code: string; description: string },
): WireAnswer {
  const { verdict } = transaction;
  const isDecline = verdict.responseCode === "2";
  const said = message ?? { code: verdict.reason, description: verdict.text };
  const transactionResponse = {
    responseCode: verdict.responseCode,
    authCode: transaction.authCode,
    avsResultCode: transaction.avs,
    cvvResultCode: transaction.cvv,
    cavvResultCode: "",
    transId: transaction.transId,
    refTransID: transaction.refTransId ?? "",
    transHash: "",
    testRequest: "0",
    accountNumber: `XXXX${transaction.card.last4}`,
    accountType: accountTypeOf(transaction.card),
    ...(isDecline
      ? { errors: [{ errorCode: verdict.reason, errorText: verdict.text }] }
      : { messages: [said] }),
    ...partOf(transaction),
    transHashSha2: transactionHash(transaction, merchant),
    networkTransId: "",
  };
  // A decline comes in either shape: as Ok, or as an error. Here the issuer's come as Ok, a filter's as an error.
  const isError = isDecline && verdict.reason !== "2";
  return answer({
    transactionResponse,
    refId,
    messages: isError
      ? messages("Error", "E00027", "The transaction was unsuccessful.")
      : successful,
  });
}

/** What an approval in part says besides: how much of what was asked, and that nothing is left. */
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

function transactionHash({ transId, amountCents }: Transaction, merchant: Merchant): string {
  return createHmac("sha512", Buffer.from(merchant.signatureKey, "hex"))
    .update(`^${merchant.login}^${transId}^${dollarsText(amountCents)}^`)
    .digest("hex")
    .toUpperCase();
}

export function notFound(refId: string | undefined): WireAnswer {
  return failed(refId, "16", "The transaction cannot be found.");
}

/** Code 11. With a window named in the request it also tells the first one's id, declined ones' included. */
export function duplicate(refId: string | undefined, earlier: Transaction | null): WireAnswer {
  return failed(refId, "11", "A duplicate transaction has been submitted.", {
    transId: earlier?.transId ?? "0",
    authCode: earlier?.authCode ?? "",
  });
}

/** Response code 3: nothing was charged. */
export function failed(
  refId: string | undefined,
  errorCode: string,
  errorText: string,
  known = { transId: "0", authCode: "" },
): WireAnswer {
  return answer({
    transactionResponse: {
      responseCode: "3",
      authCode: known.authCode,
      avsResultCode: "P",
      cvvResultCode: "",
      cavvResultCode: "",
      transId: known.transId,
      refTransID: "",
      transHash: "",
      testRequest: "0",
      accountNumber: "",
      accountType: "",
      errors: [{ errorCode, errorText }],
      transHashSha2: "",
    },
    refId,
    messages: messages("Error", "E00027", "The transaction was unsuccessful."),
  });
}

/** In test mode nothing is stored. */
export function testAnswer(refId: string | undefined): WireAnswer {
  return answer({
    transactionResponse: {
      responseCode: "1",
      authCode: "000000",
      avsResultCode: "P",
      cvvResultCode: "",
      cavvResultCode: "",
      transId: "0",
      refTransID: "",
      transHash: "",
      testRequest: "1",
      accountNumber: "",
      accountType: "",
      messages: [{ code: "1", description: "This transaction has been approved." }],
    },
    refId,
    messages: successful,
  });
}
