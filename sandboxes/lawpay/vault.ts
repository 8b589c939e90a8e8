import { randomBytes } from "node:crypto";
import { type Cents, sum } from "#domain/money.ts";
import type { Card } from "../cards.ts";
import type { House } from "../house.ts";
import type { Shelf } from "../shelf.ts";
import type { Verdict } from "./test-cards.ts";

/** Whose key a request came with, and which transactions it may therefore see. */
export interface Caller {
  /** The merchant's public key: what the two secret keys have in common. */
  merchant: string;
  mode: "TEST" | "LIVE";
  accountId: string;
  trustAccountId: string;
}

export interface Token {
  id: string;
  merchant: string;
  card: Card;
  hasCvv: boolean;
  verdict: Verdict;
  /** Name and address, as they came. */
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
  autoCapture: boolean;
  authorizationCode: string;
  reference: string;
  card: Card;
  payer: Record<string, string>;
  verdict: Verdict;
  /** Of a refund. */
  chargeId?: string | undefined;
  createdAt: number;
  modifiedAt: number;
}

export interface LawPayEvent {
  id: string;
  merchant: string;
  mode: "TEST" | "LIVE";
  type: string;
  createdAt: number;
  /** The transaction as it was then, as it goes over the wire. */
  shown: object;
}

/** What this sandbox remembers. */
export interface Vault {
  house: House;
  tokens: Shelf<Token>;
  transactions: Shelf<Transaction>;
  events: Shelf<LawPayEvent>;
}

export function openVault(house: House): Vault {
  return {
    house,
    tokens: house.memory.shelf("lawpay.tokens"),
    transactions: house.memory.shelf("lawpay.transactions"),
    events: house.memory.shelf("lawpay.events"),
  };
}

/** 22 URL-safe characters. */
export function newId(): string {
  return randomBytes(16).toString("base64url");
}

/** Put a transaction into another state; its event is recorded with it. */
export function change(vault: Vault, transaction: Transaction, changes: Partial<Transaction>) {
  const modifiedAt = vault.house.clock.now();
  const changed = vault.transactions.set(transaction.id, {
    ...transaction,
    ...changes,
    modifiedAt,
  });
  record(vault, changed, changed.status.toLowerCase());
  return changed;
}

export function record(vault: Vault, transaction: Transaction, what: string): void {
  const id = newId();
  const { merchant, mode } = transaction;
  vault.events.set(id, {
    id,
    merchant,
    mode,
    type: `transaction.${what}`,
    createdAt: vault.house.clock.now(),
    shown: shownTransaction(vault, transaction),
  });
}

export function refundsOf(vault: Vault, chargeId: string): Transaction[] {
  return vault.transactions.values().filter((each) => each.chargeId === chargeId);
}

export function refundedCents(vault: Vault, chargeId: string): Cents {
  const given = refundsOf(vault, chargeId).filter(
    ({ status }) => status !== "VOIDED" && status !== "FAILED",
  );
  return sum(given.map(({ amountCents }) => amountCents));
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

/** A transaction as it goes over the wire; a charge with its refunds. */
export function shownTransaction(vault: Vault, transaction: Transaction): object {
  const { id, type, status, verdict } = transaction;
  const isCharge = type === "CHARGE";
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
    ...(isCharge && {
      auto_capture: transaction.autoCapture,
      amount_refunded: refundedCents(vault, id),
      authorization_code: transaction.authorizationCode,
      cvv_result: verdict.cvv,
      avs_result: verdict.avs,
      method: shownCard(transaction.card, transaction.payer),
      refunds: refundsOf(vault, id).map((refund) => shownTransaction(vault, refund)),
    }),
  };
}

export function shownToken({ id, card, hasCvv, payer, madeAt }: Token): object {
  return {
    id,
    created: time(madeAt),
    modified: time(madeAt),
    ...shownCard(card, payer),
    ...(hasCvv && { cvv: "***" }),
  };
}

function shownCard(card: Card, payer: Record<string, string>) {
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
