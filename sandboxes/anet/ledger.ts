import { type Cents, sum } from "#domain/money.ts";
import type { Card } from "../cards.ts";
import type { House } from "../house.ts";
import type { Shelf } from "../shelf.ts";
import type { Verdict } from "./test-cards.ts";

/** One transaction as Authorize.Net keeps it: a charge or a refund. */
export interface Transaction {
  transId: string;
  login: string;
  type: string;
  /** transactionStatus of the reporting calls. */
  status: string;
  verdict: Verdict;
  authCode: string;
  avs: string;
  cvv: string;
  amountCents: Cents;
  /** Of one approved in part: what was asked for, and what the rest would be paid by. */
  requestedCents?: Cents;
  splitTenderId?: string;
  card: Card;
  /** Milliseconds since 1970. */
  at: number;
  refId?: string;
  invoiceNumber?: string;
  description?: string;
  customer?: Record<string, string>;
  billTo?: Record<string, string>;
  /** Of a refund: the charge. */
  refTransId?: string;
  batchId?: string;
  /** All that must be equal for a repeat to count as a duplicate. */
  sameness: string;
}

export interface Nonce {
  value: string;
  login: string;
  card: Card;
  verdict: Verdict;
  cvv: string;
  zip?: string;
  madeAt: number;
  isUsed: boolean;
}

interface Batch {
  batchId: string;
  login: string;
  /** ISO 8601. */
  settledAt: string;
}

export interface Webhook {
  webhookId: string;
  login: string;
  name: string;
  url: string;
  eventTypes: string[];
  status: "active" | "inactive";
}

/** What this sandbox remembers. */
export interface Ledger {
  transactions: Shelf<Transaction>;
  nonces: Shelf<Nonce>;
  batches: Shelf<Batch>;
  webhooks: Shelf<Webhook>;
}

export function openLedger({ memory }: House): Ledger {
  return {
    transactions: memory.shelf("anet.transactions"),
    nonces: memory.shelf("anet.nonces"),
    batches: memory.shelf("anet.batches"),
    webhooks: memory.shelf("anet.webhooks"),
  };
}

/** Transaction ids are digits, rising. */
export function nextTransId({ transactions }: Ledger): string {
  return String(60_200_000_000 + transactions.size + 1);
}

const unsettled = [
  "authorizedPendingCapture",
  "authorizedPendingRelease",
  "capturedPendingSettlement",
  "refundPendingSettlement",
];

/** Still to be settled or decided about, or refused: all that the unsettled list shows. */
export function isInOpenBatch(transaction: Transaction): boolean {
  return transaction.batchId === undefined;
}

export function isVoidable({ status }: Transaction): boolean {
  return unsettled.includes(status) || status.startsWith("FDS");
}

/** What has been given back of a charge, refunds that were voided left out. */
export function refundedCents(ledger: Ledger, transId: string): Cents {
  const back = ledger.transactions
    .values()
    .filter((each) => each.refTransId === transId && each.status !== "voided");
  return sum(back.map(({ amountCents }) => amountCents));
}

/** Answers how many transactions were settled. */
export function settle(ledger: Ledger, house: House, failing: string[]): number {
  let count = 0;
  for (const transaction of ledger.transactions.values().filter(isInOpenBatch)) {
    const next = afterSettlement(transaction, failing.includes(transaction.transId));
    if (!next) continue;
    const batchId = batchOf(ledger, house, transaction.login);
    ledger.transactions.set(transaction.transId, { ...transaction, status: next, batchId });
    count += 1;
  }
  return count;
}

function afterSettlement({ status }: Transaction, fails: boolean): string | null {
  if (status === "capturedPendingSettlement")
    return fails ? "settlementError" : "settledSuccessfully";
  if (status === "refundPendingSettlement")
    return fails ? "settlementError" : "refundSettledSuccessfully";
  if (status === "declined" || status === "voided") return status;
  return null;
}

/** One batch for each merchant and each settlement, which happens at one instant. */
function batchOf(ledger: Ledger, house: House, login: string): string {
  const settledAt = house.clock.iso().replace(/\.\d+Z$/, "Z");
  const found = ledger.batches
    .values()
    .find((batch) => batch.login === login && batch.settledAt === settledAt);
  if (found) return found.batchId;
  const batchId = String(9_100_000 + ledger.batches.size + 1);
  ledger.batches.set(batchId, { batchId, login, settledAt });
  return batchId;
}
