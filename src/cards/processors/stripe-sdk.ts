import { Stripe } from "stripe";
import type { Account, Headers, Notice } from "#cards/processors/processor.ts";
import { stripeClient } from "#cards/processors/stripe-client.ts";
import { isRecord, textAt } from "#cards/processors/send-request.ts";

export { charge, lookUp } from "#cards/processors/stripe-payments.ts";
export { voidOrRefund, whyRefundFailed } from "#cards/processors/stripe-refunds.ts";

/* Everything of Stripe that needs its SDK. */

export async function checkKeys(account: Account): Promise<string | null> {
  const { publishableKey = "", secretKey = "" } = account.keys;
  const mode = account.live ? "live" : "test";
  if (!publishableKey.startsWith(`pk_${mode}_`))
    return `The publishable key must begin with pk_${mode}_ for ${mode} payments.`;
  if (!/^[sr]k_/.test(secretKey) || !secretKey.slice(3).startsWith(mode))
    return `The secret key must begin with sk_${mode}_ for ${mode} payments.`;
  try {
    const balance = await stripeClient(account).balance.retrieve();
    return balance.livemode === account.live ? null : `The secret key is not for ${mode} payments.`;
  } catch (problem) {
    if (problem instanceof Stripe.errors.StripeAuthenticationError)
      return "Stripe does not know the secret key.";
    // A restricted key may not read the balance but is still valid.
    if (problem instanceof Stripe.errors.StripePermissionError) return null;
    throw problem;
  }
}

/** A notice, if its signature is right. */
export function readNotice(account: Account, body: Buffer, headers: Headers): Notice | null {
  const secret = account.keys["webhookSecret"];
  if (!secret) return null;
  const event = signedEvent(account, body, String(headers["stripe-signature"] ?? ""), secret);
  if (!event) return null;
  const object: unknown = event.data.object;
  const kind = textAt(object, "object");
  const intentId =
    kind === "payment_intent" ? textAt(object, "id") : textAt(object, "payment_intent");
  return {
    eventId: event.id,
    eventType: event.type,
    reference:
      (isRecord(object) && kind !== "refund" && textAt(object, "metadata", "reference")) || null,
    transactionId: intentId || null,
  };
}

function signedEvent(account: Account, body: Buffer, signature: string, secret: string) {
  try {
    return stripeClient(account).webhooks.constructEvent(body, signature, secret);
  } catch {
    return null; // a wrong signature, or no event at all: the caller refuses it
  }
}
