import { createHash } from "node:crypto";
import { type Cents, centsFromDollars } from "#domain/money.ts";
import type { Card } from "../cards.ts";
import type { House } from "../house.ts";
import { at, listAt, textAt, type Tree } from "../tree.ts";
import type { Ledger, Transaction } from "./ledger.ts";

/** A merchant who has proved who they are. */
export interface Merchant {
  login: string;
  signatureKey: string;
}

type Happened = (
  event:
    | "authcapture.created"
    | "authorization.created"
    | "void.created"
    | "refund.created"
    | "fraud.held",
  transaction: Transaction,
) => void;

export interface Counter {
  house: House;
  ledger: Ledger;
  happened: Happened;
}

/** Authorize.Net compares all of these, the window itself included. Source: "Response for Duplicate Transactions". */
export function samenessOf(
  merchant: Merchant,
  wanted: Tree | undefined,
  card: Card,
  window: string | undefined,
): string {
  const billed = ["firstName", "lastName", "company", "address", "city", "state", "zip"];
  const values = [
    merchant.login,
    card.fingerprint,
    card.expMonth,
    card.expYear,
    textAt(wanted, "transactionType"),
    amountOf(wanted),
    textAt(wanted, "order", "invoiceNumber"),
    textAt(wanted, "poNumber"),
    textAt(wanted, "customer", "id"),
    ...billed.map((name) => textAt(wanted, "billTo", name)),
    window,
  ];
  return createHash("sha256").update(JSON.stringify(values)).digest("base64url");
}

export function earlierWith(
  { ledger, house }: Counter,
  sameness: string,
  windowSeconds: number,
): Transaction | null {
  const since = house.clock.now() - Math.min(windowSeconds, 28_800) * 1_000;
  const found = ledger.transactions
    .values()
    .find((each) => each.sameness === sameness && each.at > since);
  return found ?? null;
}

export function ofMerchant({ ledger }: Counter, { login }: Merchant, transId: string | undefined) {
  const found = ledger.transactions.get(transId ?? "");
  return found?.login === login ? found : null;
}

export function described(wanted: Tree | undefined, refId: string | undefined) {
  return {
    refId,
    invoiceNumber: textAt(wanted, "order", "invoiceNumber"),
    description: textAt(wanted, "order", "description"),
    customer: texts(at(wanted, "customer")),
    billTo: texts(at(wanted, "billTo")),
  };
}

function texts(tree: Tree | undefined): Record<string, string> | undefined {
  if (typeof tree !== "object" || tree === null || Array.isArray(tree)) return undefined;
  return Object.fromEntries(Object.keys(tree).map((name) => [name, textAt(tree, name) ?? ""]));
}

/** Decimal dollars; at most two decimals here, above zero. */
export function amountOf(wanted: Tree | undefined): Cents | null {
  const amount = centsFromDollars(textAt(wanted, "amount") ?? "");
  return amount !== null && amount > 0 ? amount : null;
}

export function setting(wanted: Tree | undefined, name: string): string | undefined {
  const settings = listAt(wanted, "transactionSettings", "setting");
  return textAt(
    settings.find((each) => textAt(each, "settingName") === name),
    "settingValue",
  );
}
