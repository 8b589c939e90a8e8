import { createHmac } from "node:crypto";
import { demoAccounts } from "../accounts.ts";
import type { StripeRequest } from "./request.ts";
import { newId, secondsNow, type StripeStore } from "./store.ts";

export const apiVersion = "2026-10-28.endive";

/** The account whose events are sent. */
export const demoAccountId = "acct_harbor";

/** Send an event about `object` as it is now; `cause` is null for events without a request. */
export function sendEvent(
  store: StripeStore,
  account: string,
  type: string,
  object: object,
  cause: StripeRequest | null,
): void {
  if (account !== demoAccountId) return;
  const id = newId("evt");
  const event = {
    id,
    object: "event",
    api_version: apiVersion,
    created: secondsNow(store),
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: cause?.requestId ?? null, idempotency_key: cause?.idempotencyKey ?? null },
    type,
  };
  const body = JSON.stringify(event, null, 2); // with white space, as Stripe sends it
  store.webhooks.send({ id, type, body });
}

/** The key is the whole secret, including its prefix. Signed with the real time: receivers compare clocks. */
export function signatureHeaders(body: string, isForged: boolean): Record<string, string> {
  const secret = isForged ? "whsec_forged" : demoAccounts.stripe.webhookSecret;
  const timestamp = Math.floor(Date.now() / 1_000);
  const hash = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  return {
    "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
    "stripe-signature": `t=${timestamp},v1=${hash}`,
  };
}
