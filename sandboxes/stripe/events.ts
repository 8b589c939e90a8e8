import { createHmac } from "node:crypto";
import type { Faults } from "../faults.ts";
import type { Delivery } from "../webhooks.ts";
import { type Books, type Endpoint, newId, secondsNow, type StripeEvent } from "./books.ts";

export const apiVersion = "2026-10-28.endive";

/** The request that an event comes of; null for what happens of itself. */
export interface Cause {
  requestId: string;
  idempotencyKey: string | null;
}

export interface Herald {
  books: Books;
  faults: Faults;
  delivered: (delivery: Delivery) => void;
}

/** Record an event about `object`, as it is now, and tell the endpoints that listen. */
export function announce(
  herald: Herald,
  account: string,
  type: string,
  object: object,
  cause: Cause | null,
): void {
  const { books } = herald;
  const listening = books.endpoints
    .values()
    .filter((each) => each.account === account && listens(each, type));
  const id = newId("evt");
  const event: StripeEvent = {
    account,
    object: {
      id,
      object: "event",
      api_version: apiVersion,
      created: secondsNow(books),
      data: { object: structuredClone(object) },
      livemode: false,
      pending_webhooks: listening.length,
      request: { id: cause?.requestId ?? null, idempotency_key: cause?.idempotencyKey ?? null },
      type,
    },
  };
  books.events.set(id, event);
  for (const endpoint of listening) deliver(herald, endpoint, event);
}

function listens({ enabledEvents }: Endpoint, type: string): boolean {
  return enabledEvents.includes("*") || enabledEvents.includes(type);
}

function deliver({ books, faults, delivered }: Herald, endpoint: Endpoint, event: StripeEvent) {
  const body = JSON.stringify(event.object, null, 2); // with white space, as Stripe sends it
  books.house.post.send({
    faults,
    eventId: event.object.id,
    type: event.object.type,
    url: endpoint.url,
    body,
    headers: (isForged) => ({
      "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
      "stripe-signature": signature(isForged ? "whsec_forged" : endpoint.secret, body),
    }),
    delivered,
  });
}

/** The whole secret, its prefix included, is the key. Signed with the real time: receivers compare clocks. */
function signature(secret: string, body: string): string {
  const timestamp = Math.floor(Date.now() / 1_000);
  const hash = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  return `t=${timestamp},v1=${hash}`;
}
