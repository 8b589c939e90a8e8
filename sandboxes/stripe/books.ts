import { randomBytes } from "node:crypto";
import type { Card } from "../cards.ts";
import type { House } from "../house.ts";
import type { Shelf } from "../shelf.ts";
import type { Behaviour } from "./test-cards.ts";

/*
 * Records keep the object as it goes over the wire, in Stripe's own names,
 * and beside it what Stripe knows but does not say.
 */

export interface PaymentMethod {
  account: string;
  card: Card;
  behaviour: Behaviour;
  isCvcGiven: boolean;
  /** One that belongs to no customer pays once. */
  isUsed: boolean;
  object: { id: string; object: "payment_method"; created: number; [name: string]: unknown };
}

export interface Token {
  account: string;
  card: Card;
  behaviour: Behaviour;
  isCvcGiven: boolean;
  object: { id: string; object: "token"; used: boolean; created: number; [name: string]: unknown };
}

type IntentStatus =
  | "requires_payment_method"
  | "requires_confirmation"
  | "requires_action"
  | "requires_capture"
  | "succeeded"
  | "canceled";

export interface PaymentIntent {
  account: string;
  /** `metadata.reference`, else the Idempotency-Key that made it. */
  reference: string | null;
  object: {
    id: string;
    object: "payment_intent";
    amount: number;
    amount_capturable: number;
    amount_received: number;
    canceled_at: number | null;
    cancellation_reason: string | null;
    capture_method: string;
    client_secret: string;
    confirmation_method: string;
    created: number;
    currency: string;
    customer: string | null;
    description: string | null;
    last_payment_error: object | null;
    latest_charge: string | null;
    metadata: Record<string, string>;
    next_action: object | null;
    payment_method: string | null;
    status: IntentStatus;
    [name: string]: unknown;
  };
}

export interface Charge {
  account: string;
  last4: string;
  refund: "late" | "fails" | null;
  object: {
    id: string;
    object: "charge";
    amount: number;
    amount_captured: number;
    amount_refunded: number;
    captured: boolean;
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

export interface Dispute {
  account: string;
  object: {
    id: string;
    object: "dispute";
    amount: number;
    charge: string;
    created: number;
    payment_intent: string;
    status: string;
    [name: string]: unknown;
  };
}

export interface StripeEvent {
  account: string;
  object: { id: string; object: "event"; created: number; type: string; [name: string]: unknown };
}

export interface Endpoint {
  id: string;
  account: string;
  url: string;
  secret: string;
  enabledEvents: string[];
}

/** The first answer under an Idempotency-Key. */
interface KeptAnswer {
  /** The parameters' digest: with the route, what a repeat must equal. */
  request: string;
  route: string;
  requestId: string;
  status: number;
  body: string;
  at: number;
}

/** What this sandbox remembers. */
export interface Books {
  house: House;
  paymentMethods: Shelf<PaymentMethod>;
  tokens: Shelf<Token>;
  intents: Shelf<PaymentIntent>;
  charges: Shelf<Charge>;
  refunds: Shelf<Refund>;
  disputes: Shelf<Dispute>;
  events: Shelf<StripeEvent>;
  endpoints: Shelf<Endpoint>;
  answers: Shelf<KeptAnswer>;
}

export function openBooks(house: House): Books {
  const { memory } = house;
  return {
    house,
    paymentMethods: memory.shelf("stripe.paymentMethods"),
    tokens: memory.shelf("stripe.tokens"),
    intents: memory.shelf("stripe.intents"),
    charges: memory.shelf("stripe.charges"),
    refunds: memory.shelf("stripe.refunds"),
    disputes: memory.shelf("stripe.disputes"),
    events: memory.shelf("stripe.events"),
    endpoints: memory.shelf("stripe.endpoints"),
    answers: memory.shelf("stripe.answers"),
  };
}

export function newId(prefix: string): string {
  return `${prefix}_${letters(24)}`;
}

export function letters(count: number): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return Array.from(randomBytes(count), (byte) => alphabet[byte % alphabet.length]).join("");
}

/** Stripe tells time in whole seconds. */
export function secondsNow({ house }: Books): number {
  return Math.floor(house.clock.now() / 1_000);
}
