import type { FastifyInstance } from "fastify";
import { type Cents, cents, negated, sum } from "#kit/domain/money.ts";
import type { demoAccounts } from "./accounts.ts";
import type { CallHandler, CallRecord } from "./call-handler.ts";
import type { FaultOrder } from "./faults.ts";
import type { ProcessorName, SandboxAddresses } from "./processors.ts";
import type { Delivery, WebhookSender } from "./webhooks.ts";

/** One attempt to charge a card, with the fields that all processors share. */
export interface Charge {
  id: string;
  /** The charging merchant: apiLoginId, acct_…, merchantId, publicKey, vendor. */
  account: string;
  /** Our reference; README.md says where each processor stores it. */
  reference: string | null;
  amountCents: Cents;
  refundedCents: Cents;
  /** `captured` and `settled`: the money was taken. `held`: waits for review. `pending`: only reserved. */
  state: "captured" | "settled" | "voided" | "declined" | "failed" | "held" | "pending";
  /** The processor's reason for a decline. */
  reason: string | null;
  cardLast4: string;
  /** ISO 8601. */
  at: string;
}

interface Totals {
  /** The number of captured or settled charges. */
  charges: number;
  capturedCents: Cents;
  refundedCents: Cents;
  netCents: Cents;
}

/** One processor's sandbox, for tests and the control routes. */
export interface Sandbox {
  /** Oldest first, failed ones included. */
  charges(): Charge[];
  totals(): Totals;
  /** The last 1,000 calls. */
  calls(): CallRecord[];
  /** Close the open batch. `failing` lists charges whose settlement fails. Answers the number settled. */
  settle(failing?: string[]): number;
  /** Decide a charge held for review; false if there is no such charge. */
  decide(chargeId: string, decision: "approve" | "decline"): boolean;
  /** Void a charge in the processor's own pages. False if it is too late, and at stripe, which has no voids. */
  voidAtProcessor(chargeId: string): boolean;
  /** Refund a charge there, in whole or in part. False if it must be settled first, or if less is left. */
  refundAtProcessor(chargeId: string, amountCents?: number): boolean;
  /**
   * The payer disputes a charge, in whole or in part, and loses or wins the dispute; only stripe. False if
   * there is none to decide.
   */
  dispute(chargeId: string, step: DisputeStep, amountCents?: number): boolean;
  /**
   * Whether the merchant's account allows reference transactions, which a new account does not; only
   * payflow.
   */
  allowReferences(isAllowed: boolean): void;
  fail(order: FaultOrder): void;
  stopFailing(): void;
  activeFaults(): FaultOrder[];
  /** From now on, send the demo account's events there too; only anet and stripe send any. */
  sendWebhooksTo(url: string): void;
  deliveries(): Delivery[];
}

export const disputeSteps = ["open", "lose", "win"] as const;
export type DisputeStep = (typeof disputeSteps)[number];

/** All five sandboxes and their shared controls. */
export type Sandboxes = Record<ProcessorName, Sandbox> & {
  origin: string;
  addresses: SandboxAddresses;
  accounts: typeof demoAccounts;
  /** Move their clock forward, so that nonces and tokens expire. */
  advance: (ms: number) => void;
  /** Forget every charge, call, fault and webhook address. */
  reset: () => void;
  /** Resolves when every webhook is delivered or given up. */
  idle: () => Promise<void>;
  close: () => Promise<void>;
};

export interface Processor {
  handler: CallHandler;
  routes: (app: FastifyInstance) => void;
  charges: () => Charge[];
  settle: (failing: string[]) => number;
  decide?: Sandbox["decide"];
  voidAtProcessor?: Sandbox["voidAtProcessor"];
  refundAtProcessor: Sandbox["refundAtProcessor"];
  dispute?: Sandbox["dispute"];
  allowReferences?: Sandbox["allowReferences"];
  webhooks?: WebhookSender;
}

export function sandboxOf(processor: Processor): Sandbox {
  const { handler, charges, webhooks } = processor;
  return {
    charges,
    totals: () => totalsOf(charges()),
    calls: () => handler.calls(),
    settle: (failing = []) => processor.settle(failing),
    decide: (chargeId, decision) => processor.decide?.(chargeId, decision) ?? false,
    voidAtProcessor: (chargeId) => processor.voidAtProcessor?.(chargeId) ?? false,
    refundAtProcessor: (chargeId, amountCents) =>
      processor.refundAtProcessor(chargeId, amountCents),
    dispute: (...asked) => processor.dispute?.(...asked) ?? false,
    allowReferences: (isAllowed) => processor.allowReferences?.(isAllowed),
    fail: (order) => handler.faults.add(order),
    stopFailing: () => handler.faults.clear(),
    activeFaults: () => handler.faults.standing(),
    sendWebhooksTo: (url) => webhooks?.addUrl(url),
    deliveries: () => webhooks?.deliveries() ?? [],
  };
}

/** The amount a merchant refunds: all that is left, or the wanted part; null if less is left. */
export function amountToRefund(left: number, wanted = left): Cents | null {
  return wanted >= 1 && wanted <= left ? cents(wanted) : null;
}

function totalsOf(charges: Charge[]): Totals {
  const taken = charges.filter(({ state }) => state === "captured" || state === "settled");
  const capturedCents = sum(taken.map(({ amountCents }) => amountCents));
  const refundedCents = sum(taken.map((charge) => charge.refundedCents));
  return {
    charges: taken.length,
    capturedCents,
    refundedCents,
    netCents: sum([capturedCents, negated(refundedCents)]),
  };
}
