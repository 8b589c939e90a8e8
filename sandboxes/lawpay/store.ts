import { randomBytes } from "node:crypto";
import { type Cents, sum } from "#kit/domain/money.ts";
import type { Card } from "../cards.ts";
import type { SandboxContext } from "../context.ts";
import type { Json } from "../json.ts";
import type { Collection } from "../record-store.ts";
import type { CardOutcome } from "./test-cards.ts";

/** The owner of a request's key, and the transactions it may see. */
export interface Caller {
  /** The merchant's public key, the same for both secret keys. */
  merchant: string;
  mode: "TEST" | "LIVE";
  accountId: string;
  trustAccountId: string;
}

export interface Token {
  id: string;
  merchant: string;
  card: Card;
  outcome: CardOutcome;
  /** Name and address, as received. */
  payer: Record<string, string>;
  madeAt: number;
  isUsed: boolean;
}

export type Status = "PENDING" | "AUTHORIZED" | "COMPLETED" | "VOIDED" | "FAILED";

export interface Transaction {
  id: string;
  merchant: string;
  mode: "TEST" | "LIVE";
  type: "CHARGE" | "REFUND";
  accountId: string;
  status: Status;
  failureCode?: string | undefined;
  amountCents: Cents;
  authorizationCode: string;
  reference: string;
  card: Card;
  payer: Record<string, string>;
  outcome: CardOutcome;
  chargeId?: string | undefined;
  createdAt: number;
  modifiedAt: number;
}

export interface LawPayRequest {
  store: LawPayStore;
  caller: Caller;
  id: string;
  body: Json;
  query: URLSearchParams;
  /** Transactions younger than this (milliseconds) must not be found yet. */
  listedUntil: number;
}

export interface LawPayStore {
  context: SandboxContext;
  tokens: Collection<Token>;
  transactions: Collection<Transaction>;
}

export function openLawPayStore(context: SandboxContext): LawPayStore {
  return {
    context,
    tokens: context.records.collection("lawpay.tokens"),
    transactions: context.records.collection("lawpay.transactions"),
  };
}

/** 22 URL-safe characters. */
export function newId(): string {
  return randomBytes(16).toString("base64url");
}

export function insertTransaction(
  { context, transactions }: LawPayStore,
  transaction: Omit<Transaction, "id" | "createdAt" | "modifiedAt">,
): Transaction {
  const id = newId();
  const now = context.clock.now();
  return transactions.set(id, { ...transaction, id, createdAt: now, modifiedAt: now });
}

export function updateTransaction(
  { context, transactions }: LawPayStore,
  transaction: Transaction,
  changes: Partial<Transaction>,
): Transaction {
  const modifiedAt = context.clock.now();
  return transactions.set(transaction.id, { ...transaction, ...changes, modifiedAt });
}

export function refundsOf(store: LawPayStore, chargeId: string): Transaction[] {
  return store.transactions.values().filter((each) => each.chargeId === chargeId);
}

export function refundedCents(store: LawPayStore, chargeId: string): Cents {
  const active = refundsOf(store, chargeId).filter(({ status }) => !/VOIDED|FAILED/.test(status));
  return sum(active.map(({ amountCents }) => amountCents));
}

const cardTypes: Partial<Record<Card["brand"], string>> = {
  visa: "VISA",
  mastercard: "MASTERCARD",
  amex: "AMERICAN_EXPRESS",
  discover: "DISCOVER",
  diners: "DINERS_CLUB",
  jcb: "JCB",
};

const time = (ms: number) => new Date(ms).toISOString();

/** A transaction as sent over the wire; a charge includes its refunds. */
export function transactionJson(store: LawPayStore, transaction: Transaction): object {
  const { id, type, status, outcome } = transaction;
  return {
    id,
    created: time(transaction.createdAt),
    modified: time(transaction.modifiedAt),
    account_id: transaction.accountId,
    type,
    status,
    failure_code: transaction.failureCode,
    amount: transaction.amountCents,
    currency: "USD",
    reference: transaction.reference,
    charge_id: transaction.chargeId,
    ...(type === "CHARGE" && {
      auto_capture: true,
      amount_refunded: refundedCents(store, id),
      authorization_code: transaction.authorizationCode,
      cvv_result: outcome.cvv,
      avs_result: outcome.avs,
      method: cardJson(transaction.card, transaction.payer),
      refunds: refundsOf(store, id).map((refund) => transactionJson(store, refund)),
    }),
  };
}

export function tokenJson({ id, card, payer, madeAt }: Token): object {
  return { id, created: time(madeAt), modified: time(madeAt), ...cardJson(card, payer) };
}

function cardJson(card: Card, payer: Record<string, string>) {
  return {
    type: "card",
    number: `************${card.last4}`,
    fingerprint: card.fingerprint,
    card_type: cardTypes[card.brand] ?? "UNKNOWN",
    exp_month: card.expMonth,
    exp_year: card.expYear,
    ...payer,
  };
}
