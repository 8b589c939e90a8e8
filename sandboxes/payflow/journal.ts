import { randomBytes } from "node:crypto";
import { type Cents, sum } from "#domain/money.ts";
import type { Card } from "../cards.ts";
import type { House } from "../house.ts";
import type { Shelf } from "../shelf.ts";
import type { Fields } from "./name-value.ts";

/** Made by the server, to be used by a browser's form within twenty minutes. */
export interface SecureToken {
  token: string;
  id: string;
  vendor: string;
  type: "A" | "S";
  amountCents: Cents;
  /** The request that made it, without credentials. */
  fields: Fields;
  madeAt: number;
  submissions: number;
  isUsed: boolean;
}

/** `held` waits for the merchant; of an `unclear` one nobody can say yet; a `refused` one came to nothing. */
export type TransactionState =
  | "authorized"
  | "pending"
  | "settled"
  | "failed to settle"
  | "voided"
  | "held"
  | "unclear"
  | "refused";

export interface Transaction {
  pnref: string;
  vendor: string;
  /** Authorisation or verification, sale, credit. */
  type: "A" | "S" | "C";
  result: number;
  amountCents: Cents;
  card: Card;
  /** What a charge by reference to this one will answer with. */
  laterResult: number;
  letters: { address: string; zip: string; code: string };
  authCode: string;
  state: TransactionState;
  /** What a voided one was before. */
  voidedFrom?: TransactionState | undefined;
  custref: string;
  invnum: string;
  origId?: string | undefined;
  secureToken?: string | undefined;
  at: number;
}

/** The first answer under a request id. */
interface KeptAnswer {
  fields: Fields;
  at: number;
}

/** What this sandbox remembers. */
export interface Journal {
  house: House;
  tokens: Shelf<SecureToken>;
  transactions: Shelf<Transaction>;
  answers: Shelf<KeptAnswer>;
  /** Whether the merchant has allowed reference transactions; a new account has not. */
  takesReferences: boolean;
}

export function openJournal(house: House): Journal {
  return {
    house,
    tokens: house.memory.shelf("payflow.tokens"),
    transactions: house.memory.shelf("payflow.transactions"),
    answers: house.memory.shelf("payflow.answers"),
    takesReferences: false,
  };
}

/** Twelve letters and digits; the first tells the kind of account it was made with. */
export function newPnref(): string {
  return `A${randomBytes(8).toString("hex").slice(0, 11).toUpperCase()}`;
}

export function isPnref(text: string): boolean {
  return /^[A-Za-z0-9]{12}$/.test(text);
}

export function creditedCents({ transactions }: Journal, saleId: string): Cents {
  const credits = transactions
    .values()
    .filter(({ type, origId, state }) => type === "C" && origId === saleId && state !== "voided");
  return sum(credits.map(({ amountCents }) => amountCents));
}

/** The nightly batch, with what an earlier one failed to settle. Answers how many it held. */
export function settle({ transactions }: Journal, failing: string[]): number {
  const due = transactions
    .values()
    .filter(({ state }) => state === "pending" || state === "failed to settle");
  for (const each of due) {
    const state = failing.includes(each.pnref) ? "failed to settle" : "settled";
    transactions.set(each.pnref, { ...each, state });
  }
  return due.length;
}

/** The merchant accepts or rejects what the fraud filters hold; what is unclear turns out to be done, or not. */
export function decide(
  { transactions }: Journal,
  id: string,
  decision: "approve" | "decline",
): boolean {
  const found = transactions.get(id);
  if (found?.state !== "held" && found?.state !== "unclear") return false;
  if (decision === "approve") {
    const result = found.state === "held" ? 0 : found.result;
    transactions.set(id, { ...found, state: "pending", result });
  } else if (found.state === "held") {
    transactions.set(id, { ...found, state: "voided", voidedFrom: "held", result: 128 });
  } else transactions.set(id, { ...found, state: "refused" });
  return true;
}

/** Void what has not settled; false when it is too late, or nothing stands. */
export function voidSale({ transactions }: Journal, id: string): boolean {
  const found = transactions.get(id);
  const isOpen = found && /^(pending|authorized|held|unclear)$/.test(found.state);
  if (isOpen) transactions.set(id, { ...found, state: "voided", voidedFrom: found.state });
  return isOpen === true;
}

const cardTypes: Partial<Record<Card["brand"], string>> = {
  visa: "0",
  mastercard: "1",
  discover: "2",
  amex: "3",
  diners: "4",
  jcb: "5",
};

export const cardTypeOf = ({ brand }: Card) => cardTypes[brand] ?? "";

export function expiryOf({ expMonth, expYear }: Card): string {
  return `${String(expMonth).padStart(2, "0")}${String(expYear % 100).padStart(2, "0")}`;
}

/** `2026-11-21 01:02:03`, in Pacific time as PayPal tells it. */
export function timeOf(ms: number): string {
  return new Date(ms).toLocaleString("sv-SE", { timeZone: "America/Los_Angeles" });
}
