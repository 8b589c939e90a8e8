import { createHash } from "node:crypto";
import { type Cents, centsFromDollars } from "#kit/domain/money.ts";
import type { Card } from "../cards.ts";
import { listAt, textAt, type Json } from "../json.ts";

/** The `transactionRequest` of a createTransactionRequest, with its login and refId. */
export interface TransactionRequest {
  login: string;
  refId: string | undefined;
  fields: Json | undefined;
}

/** Decimal dollars; at most two decimals here, above zero. */
export function amountOf({ fields }: TransactionRequest): Cents | null {
  const amount = centsFromDollars(textAt(fields, "amount") ?? "");
  return amount !== null && amount > 0 ? amount : null;
}

/** The merchant's own text, which the reporting calls repeat. */
export function describedBy({ fields, refId }: TransactionRequest) {
  return {
    refId,
    invoiceNumber: textAt(fields, "order", "invoiceNumber"),
    description: textAt(fields, "order", "description"),
  };
}

export function settingOf({ fields }: TransactionRequest, name: string): string | undefined {
  const settings = listAt(fields, "transactionSettings", "setting");
  return textAt(
    settings.find((each) => textAt(each, "settingName") === name),
    "settingValue",
  );
}

/** Authorize.Net compares all of these, including the window. Source: "Response for Duplicate Transactions". */
export function duplicateKeyOf(request: TransactionRequest, card: Card): string {
  const { login, fields } = request;
  const billed = ["firstName", "lastName", "company", "address", "city", "state", "zip"];
  const values = [
    login,
    card.fingerprint,
    card.expMonth,
    card.expYear,
    textAt(fields, "transactionType"),
    amountOf(request),
    textAt(fields, "order", "invoiceNumber"),
    textAt(fields, "poNumber"),
    textAt(fields, "customer", "id"),
    ...billed.map((name) => textAt(fields, "billTo", name)),
    settingOf(request, "duplicateWindow"),
  ];
  return createHash("sha256").update(JSON.stringify(values)).digest("base64url");
}
