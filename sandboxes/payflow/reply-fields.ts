import { type Cents, centsFromDollars, dollarsText } from "#kit/domain/money.ts";
import type { Card } from "../cards.ts";
import type { Fields } from "./name-value.ts";
import { textOf } from "./results.ts";
import type { Transaction } from "./store.ts";

/** `1234.50`, without a currency sign, above zero. Null for anything else. */
export function amountIn({ AMT: amount = "" }: Fields): Cents | null {
  const cents = /^\d+(\.\d{1,2})?$/.test(amount) ? centsFromDollars(amount) : null;
  return cents !== null && cents > 0 ? cents : null;
}

/** A refusal before anything was run: no PNREF. */
export function refused(result: number, detail = ""): Fields {
  return { RESULT: String(result), RESPMSG: `${textOf(result)}${detail && `: ${detail}`}` };
}

export function answerOf(transaction: Transaction): Fields {
  const { result, type } = transaction;
  return {
    RESULT: String(result),
    PNREF: transaction.pnref,
    RESPMSG: result === 0 && type === "A" ? "Verified" : textOf(result),
    ...detailsOf(transaction),
  };
}

/** The fields that sales and inquiries share. The letters for address and code always match. */
export function detailsOf(transaction: Transaction): Fields {
  const { authCode, card } = transaction;
  const month = String(card.expMonth).padStart(2, "0");
  return {
    ...(authCode !== "" && { AUTHCODE: authCode }),
    AVSADDR: "Y",
    AVSZIP: "Y",
    CVV2MATCH: "Y",
    AMT: dollarsText(transaction.amountCents),
    ACCT: card.last4,
    EXPDATE: `${month}${String(card.expYear % 100).padStart(2, "0")}`,
    CARDTYPE: cardTypes[card.brand] ?? "",
    TRANSTIME: pacificTime(transaction.at),
  };
}

const cardTypes: Partial<Record<Card["brand"], string>> = {
  visa: "0",
  mastercard: "1",
  discover: "2",
  amex: "3",
  diners: "4",
  jcb: "5",
};

/** `2026-11-21 01:02:03`, in PayPal's Pacific time. */
export function pacificTime(ms: number): string {
  return new Date(ms).toLocaleString("sv-SE", { timeZone: "America/Los_Angeles" });
}
