import { type Cents, sum } from "#kit/domain/money.ts";
import type { Card } from "../cards.ts";
import type { SandboxContext } from "../context.ts";
import type { Json } from "../json.ts";
import type { Collection } from "../record-store.ts";
import type { WebhookSender } from "../webhooks.ts";
import type { CardOutcome } from "./test-cards.ts";

/** One transaction as Authorize.Net stores it: a charge or a refund. */
export interface Transaction {
  transId: string;
  login: string;
  type: "authCaptureTransaction" | "refundTransaction";
  /** transactionStatus in the reporting calls. */
  status: string;
  outcome: CardOutcome;
  authCode: string;
  avs: string;
  cvv: string;
  amountCents: Cents;
  /** For a partial approval: the requested amount, and the id for paying the rest. */
  requestedCents?: Cents;
  splitTenderId?: string;
  card: Card;
  /** Milliseconds since 1970. */
  at: number;
  refId?: string;
  invoiceNumber?: string;
  description?: string;
  refTransId?: string;
  batchId?: string;
  /** A repeat with the same key counts as a duplicate. */
  duplicateKey: string;
}

/** A card from a browser, to be charged once. */
export interface Nonce {
  value: string;
  login: string;
  card: Card;
  outcome: CardOutcome;
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

export interface AnetStore {
  context: SandboxContext;
  webhooks: WebhookSender;
  transactions: Collection<Transaction>;
  nonces: Collection<Nonce>;
  batches: Collection<Batch>;
}

/** A request to the API, from a known merchant. */
export interface AnetRequest {
  store: AnetStore;
  login: string;
  refId: string | undefined;
  body: Json;
  /** Transactions younger than this (milliseconds) must not be found yet. */
  listedUntil: number;
}

export function openAnetStore(context: SandboxContext, webhooks: WebhookSender): AnetStore {
  const { records } = context;
  return {
    context,
    webhooks,
    transactions: records.collection("anet.transactions"),
    nonces: records.collection("anet.nonces"),
    batches: records.collection("anet.batches"),
  };
}

export function insertTransaction(
  { context, transactions }: AnetStore,
  transaction: Omit<Transaction, "transId" | "at">,
): Transaction {
  const transId = String(60_200_000_000 + transactions.size + 1);
  const at = context.clock.now();
  return transactions.set(transId, { ...transaction, transId, at });
}

/** Another merchant's transactions do not exist for this one. */
export function findTransaction({ transactions }: AnetStore, login: string, id: string) {
  const found = transactions.get(id);
  return found?.login === login ? found : null;
}

/** Not yet settled or decided, or refused: everything on the unsettled list. */
export function isInOpenBatch(transaction: Transaction): boolean {
  return transaction.batchId === undefined;
}

/** Without voided refunds. */
export function refundedCents({ transactions }: AnetStore, transId: string): Cents {
  const refunds = transactions
    .values()
    .filter((each) => each.refTransId === transId && each.status !== "voided");
  return sum(refunds.map(({ amountCents }) => amountCents));
}

/** Answers the number settled. */
export function settle(store: AnetStore, failing: string[]): number {
  let count = 0;
  for (const transaction of store.transactions.values().filter(isInOpenBatch)) {
    const status = statusAfterSettlement(transaction, failing.includes(transaction.transId));
    if (!status) continue;
    const batchId = batchOf(store, transaction.login);
    store.transactions.set(transaction.transId, { ...transaction, status, batchId });
    count += 1;
  }
  return count;
}

function statusAfterSettlement({ status }: Transaction, fails: boolean): string | null {
  if (status === "capturedPendingSettlement")
    return fails ? "settlementError" : "settledSuccessfully";
  if (status === "refundPendingSettlement")
    return fails ? "settlementError" : "refundSettledSuccessfully";
  if (status === "declined" || status === "voided") return status;
  return null;
}

/** One batch for each merchant and settlement, which happens at one instant. */
function batchOf({ context, batches }: AnetStore, login: string): string {
  const settledAt = context.clock.iso().replace(/\.\d+Z$/, "Z");
  const found = batches
    .values()
    .find((batch) => batch.login === login && batch.settledAt === settledAt);
  if (found) return found.batchId;
  const batchId = String(9_100_000 + batches.size + 1);
  batches.set(batchId, { batchId, login, settledAt });
  return batchId;
}
