import { randomBytes, randomInt } from "node:crypto";
import { type Cents, sum } from "#kit/domain/money.ts";
import type { Card } from "../cards.ts";
import type { SandboxContext } from "../context.ts";
import type { Collection } from "../record-store.ts";
import type { Fields } from "./name-value.ts";
import { stateAfter, type TransactionState } from "./results.ts";

/** Made by the server, for a browser's form to use within twenty minutes. */
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

export interface Transaction {
  pnref: string;
  vendor: string;
  type: "A" | "S" | "C";
  result: number;
  amountCents: Cents;
  card: Card;
  /** The RESULT of a later charge by reference to this one. */
  laterResult: number;
  authCode: string;
  state: TransactionState;
  voidedFrom?: Exclude<TransactionState, "voided"> | undefined;
  custref: string;
  invnum: string;
  /** For a charge by reference or a credit: the original transaction. */
  origId?: string | undefined;
  /** The token that a browser charged or verified it with. */
  secureToken?: string | undefined;
  at: number;
}

interface StoredAnswer {
  fields: Fields;
  at: number;
}

export interface PayflowStore {
  context: SandboxContext;
  tokens: Collection<SecureToken>;
  transactions: Collection<Transaction>;
  answers: Collection<StoredAnswer>;
  /** Whether the merchant has allowed reference transactions; a new account has not. */
  allowsReferences: boolean;
}

export function openPayflowStore(context: SandboxContext): PayflowStore {
  const { records } = context;
  return {
    context,
    tokens: records.collection("payflow.tokens"),
    transactions: records.collection("payflow.transactions"),
    answers: records.collection("payflow.answers"),
    allowsReferences: false,
  };
}

export function insertTransaction(
  { context, transactions }: PayflowStore,
  transaction: Omit<Transaction, "pnref" | "authCode" | "state" | "at">,
): Transaction {
  const pnref = newPnref();
  const { result, type } = transaction;
  return transactions.set(pnref, {
    ...transaction,
    pnref,
    authCode: result === 0 ? String(randomInt(1_000_000)).padStart(6, "0") : "",
    state: stateAfter(result, type),
    at: context.clock.now(),
  });
}

/** Twelve letters and digits; the first shows the kind of account. */
export function newPnref(): string {
  return `A${randomBytes(8).toString("hex").slice(0, 11).toUpperCase()}`;
}

/** The transaction in ORIGID, or the RESULT for a missing one. */
export function originalOf(
  { transactions }: PayflowStore,
  vendor: string,
  { ORIGID: id = "" }: Fields,
): Transaction | number {
  if (!/^[A-Za-z0-9]{12}$/.test(id)) return 7;
  const found = transactions.get(id);
  return found?.vendor === vendor ? found : 19;
}

export function creditedCents({ transactions }: PayflowStore, saleId: string): Cents {
  const credits = transactions
    .values()
    .filter(({ type, origId, state }) => type === "C" && origId === saleId && state !== "voided");
  return sum(credits.map(({ amountCents }) => amountCents));
}

/** The nightly batch, including sales that an earlier one failed to settle. Answers the batch's size. */
export function settle({ transactions }: PayflowStore, failing: string[]): number {
  const due = transactions
    .values()
    .filter(({ state }) => state === "pending" || state === "failed to settle");
  for (const each of due) {
    const state = failing.includes(each.pnref) ? "failed to settle" : "settled";
    transactions.set(each.pnref, { ...each, state });
  }
  return due.length;
}

/** The merchant accepts or rejects held sales; unclear sales turn out done or not. */
export function decide(
  { transactions }: PayflowStore,
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

/** Void a sale that has not settled; false if it is too late, or nothing is left to void. */
export function voidSale({ transactions }: PayflowStore, id: string): boolean {
  const found = transactions.get(id);
  if (!found || /^(settled|failed to settle|refused)$/.test(found.state)) return false;
  if (found.state === "voided") return false;
  transactions.set(id, { ...found, state: "voided", voidedFrom: found.state });
  return true;
}
