import { randomBytes } from "node:crypto";
import type { Card } from "../cards.ts";
import type { SandboxContext } from "../context.ts";
import type { Collection } from "../record-store.ts";
import type { WebhookSender } from "../webhooks.ts";
import type { Behaviour } from "./test-cards.ts";

/*
 * Records hold the object as sent over the wire, in Stripe's own names, and the values that Stripe knows
 * but does not show.
 */

export interface PaymentMethod {
  account: string;
  card: Card;
  behaviour: Behaviour;
  /** Without a customer it pays only once. */
  isUsed: boolean;
  object: { id: string; object: "payment_method"; created: number; [name: string]: unknown };
}

export interface PaymentIntent {
  account: string;
  /** `metadata.reference`, or the Idempotency-Key that made it. */
  reference: string | null;
  object: IntentObject;
}

export interface IntentObject {
  id: string;
  object: "payment_intent";
  amount: number;
  client_secret: string;
  created: number;
  currency: string;
  description: string | null;
  latest_charge: string | null;
  metadata: Record<string, string>;
  payment_method: string | null;
  status:
    | "requires_payment_method"
    | "requires_confirmation"
    | "requires_action"
    | "succeeded"
    | "canceled";
  [name: string]: unknown;
}

export interface Charge {
  account: string;
  last4: string;
  refund: "late" | "fails" | null;
  object: {
    id: string;
    object: "charge";
    amount: number;
    amount_refunded: number;
    created: number;
    disputed: boolean;
    failure_message: string | null;
    payment_intent: string;
    refunded: boolean;
    status: "succeeded" | "failed";
    [name: string]: unknown;
  };
}

export interface Refund {
  account: string;
  object: {
    id: string;
    object: "refund";
    amount: number;
    charge: string;
    created: number;
    payment_intent: string;
    status: "pending" | "succeeded" | "failed";
    [name: string]: unknown;
  };
}

/** The first is the withdrawal, a second the return. */
export interface BalanceTransaction {
  id: string;
  object: "balance_transaction";
  amount: number;
  created: number;
  [name: string]: unknown;
}

export interface Dispute {
  account: string;
  object: {
    id: string;
    object: "dispute";
    amount: number;
    balance_transactions: BalanceTransaction[];
    charge: string;
    created: number;
    payment_intent: string;
    status: "needs_response" | "lost" | "won";
    [name: string]: unknown;
  };
}

interface StoredAnswer {
  /** The parameters' digest: a repeat must have the same one, and the same route. */
  request: string;
  route: string;
  requestId: string;
  status: number;
  body: string;
  at: number;
}

export interface StripeStore {
  context: SandboxContext;
  webhooks: WebhookSender;
  paymentMethods: Collection<PaymentMethod>;
  intents: Collection<PaymentIntent>;
  charges: Collection<Charge>;
  refunds: Collection<Refund>;
  disputes: Collection<Dispute>;
  answers: Collection<StoredAnswer>;
}

export function openStripeStore(context: SandboxContext, webhooks: WebhookSender): StripeStore {
  const { records } = context;
  return {
    context,
    webhooks,
    paymentMethods: records.collection("stripe.paymentMethods"),
    intents: records.collection("stripe.intents"),
    charges: records.collection("stripe.charges"),
    refunds: records.collection("stripe.refunds"),
    disputes: records.collection("stripe.disputes"),
    answers: records.collection("stripe.answers"),
  };
}

export function newId(prefix: string): string {
  return `${prefix}_${randomLetters(24)}`;
}

export function randomLetters(count: number): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return Array.from(randomBytes(count), (byte) => alphabet[byte % alphabet.length]).join("");
}

/** Stripe gives times in whole seconds. */
export function secondsNow({ context }: StripeStore): number {
  return Math.floor(context.clock.now() / 1_000);
}
