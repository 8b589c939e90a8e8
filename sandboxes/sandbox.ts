import type { FastifyInstance } from "fastify";
import { type Cents, cents, negated, sum } from "#kit/domain/money.ts";
import type { demoAccounts } from "./accounts.ts";
import type { CallHandler, CallRecord } from "./call-handler.ts";
import type { FaultOrder } from "./faults.ts";
import type { ProcessorName, SandboxAddresses } from "./processors.ts";
import type { Delivery, WebhookSender } from "./webhooks.ts";

/** One attempt to charge a card, as every processor can tell it. */
export interface Charge {
  /** The processor's own transaction id. */
  id: string;
  /** The merchant who charged: apiLoginId, acct_…, merchantId, publicKey, vendor. */
  account: string;
  /** Ours, where each processor keeps it; README.md says where. */
  reference: string | null;
  amountCents: Cents;
  refundedCents: Cents;
  /** `captured` and `settled`: the money was taken. `held` waits for a person, `pending` is only reserved. */
  state: "captured" | "settled" | "voided" | "declined" | "failed" | "held" | "pending";
  /** Of a decline, in the processor's words. */
  reason: string | null;
  cardLast4: string;
  /** ISO 8601. */
  at: string;
}

interface Totals {
  /** How many captured or settled charges. */
  charges: number;
  capturedCents: Cents;
  refundedCents: Cents;
  netCents: Cents;
}

/** One processor's stand-in, as tests and the control routes see it. */
export interface Sandbox {
  /** Oldest first, failed ones included. */
  charges(): Charge[];
  totals(): Totals;
  /** The last 1,000 calls. */
  calls(): CallRecord[];
  /** Close the open batch. `failing` names charges whose settlement fails. Answers how many settled. */
  settle(failing?: string[]): number;
  /** Decide about a charge that is held for review; false when there is no such charge. */
  decide(chargeId: string, decision: "approve" | "decline"): boolean;
  /** Void a charge as the merchant does in the processor's own pages. False when it is too late, and at stripe, which has no voids. */
  voidElsewhere(chargeId: string): boolean;
  /** Refund a charge there, or a part of it. False when it is not settled where that is needed, or so much is not left. */
  refundElsewhere(chargeId: string, amountCents?: number): boolean;
  /** The payer disputes a charge, or a part of it, and the dispute is lost or won; only stripe. False when there is none to decide. */
  dispute(chargeId: string, step: DisputeStep, amountCents?: number): boolean;
  /** Whether the merchant's account takes reference transactions, which a new one does not; only payflow. */
  allowReferences(isAllowed: boolean): void;
  fail(order: FaultOrder): void;
  stopFailing(): void;
  standingFaults(): FaultOrder[];
  /** Send the demo account's events there too from now on; only anet and stripe send any. */
  sendWebhooksTo(url: string): void;
  deliveries(): Delivery[];
}

export const disputeSteps = ["open", "lose", "win"] as const;
export type DisputeStep = (typeof disputeSteps)[number];

/** All five, and what concerns them together. */
export type Sandboxes = Record<ProcessorName, Sandbox> & {
  origin: string;
  addresses: SandboxAddresses;
  accounts: typeof demoAccounts;
  /** Move their clock on, so that nonces and tokens expire. */
  advance: (ms: number) => void;
  /** Forget every charge, call and fault; webhook addresses too. */
  reset: () => void;
  /** Resolves when every webhook is delivered or given up. */
  idle: () => Promise<void>;
  close: () => Promise<void>;
};

/** What a processor's folder makes: its routes, and what it knows of its charges. */
export interface Processor {
  handler: CallHandler;
  routes: (app: FastifyInstance) => void;
  charges: () => Charge[];
  settle: (failing: string[]) => number;
  decide?: Sandbox["decide"];
  voidElsewhere?: Sandbox["voidElsewhere"];
  refundElsewhere: Sandbox["refundElsewhere"];
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
    voidElsewhere: (chargeId) => processor.voidElsewhere?.(chargeId) ?? false,
    refundElsewhere: (chargeId, amountCents) => processor.refundElsewhere(chargeId, amountCents),
    dispute: (...asked) => processor.dispute?.(...asked) ?? false,
    allowReferences: (isAllowed) => processor.allowReferences?.(isAllowed),
    fail: (order) => handler.faults.add(order),
    stopFailing: () => handler.faults.clear(),
    standingFaults: () => handler.faults.standing(),
    sendWebhooksTo: (url) => webhooks?.addUrl(url),
    deliveries: () => webhooks?.deliveries() ?? [],
  };
}

/** What a merchant refunds of what is left: all of it, or the part wanted; null where so much is not left. */
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
