import { Stripe } from "stripe";
import type {
  Account,
  Headers,
  Notice,
  Processor,
} from "#features/payments/processors/processor.ts";
import { stripeClient } from "#features/payments/processors/stripe-client.ts";
import { charge, lookUp } from "#features/payments/processors/stripe-payments.ts";
import { giveBack, whyRefundFailed } from "#features/payments/processors/stripe-refunds.ts";
import { isRecord, textAt } from "#features/payments/processors/wire.ts";

/** Stripe: its fields make a PaymentMethod of the card, the server creates and confirms the payment. */
export const stripe: Processor = {
  name: "stripe",
  label: "Stripe",
  fields: [
    field("publishableKey", "Publishable key", "Begins with pk_", false),
    field("secretKey", "Secret key", "Begins with sk_ or rk_", true),
    {
      ...field("webhookSecret", "Webhook signing secret", "Begins with whsec_", true),
      isRequired: false,
    },
  ],
  // One host for both: the key decides.
  liveAddresses: hosts(),
  testAddresses: hosts(),
  page: ({ keys, addresses }) => {
    const script = new URL(addresses["scriptUrl"] ?? "").origin;
    const isReal = script === "https://js.stripe.com";
    return {
      publicKeys: { publishableKey: keys["publishableKey"] ?? "" },
      clientIds: {},
      scriptUrl: addresses["scriptUrl"] ?? null,
      sources: {
        scripts: [script, ...(isReal ? ["https://*.js.stripe.com"] : [])],
        frames: [
          script,
          ...(isReal ? ["https://*.js.stripe.com", "https://hooks.stripe.com"] : []),
        ],
        forms: [],
        connections: [new URL(addresses["apiUrl"] ?? "").origin],
      },
    };
  },
  checkKeys,
  charge,
  lookUp,
  // Lists show a new payment at once; a request still on its way is older than the SDK's time limit.
  missingIsFinalAfterMinutes: 5,
  giveBack,
  // "A refund can fail days later": Stripe names no bound (unconfirmed); card networks take weeks.
  refundsMayFail: { forDays: 40, why: whyRefundFailed },
  readNotice,
};

function field(name: string, label: string, hint: string, isSecret: boolean) {
  return { name, label, hint, isSecret, isRequired: true };
}

function hosts() {
  return {
    scriptUrl: "https://js.stripe.com/endive/stripe.js",
    apiUrl: "https://api.stripe.com",
  };
}

async function checkKeys(account: Account): Promise<string | null> {
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
    // A restricted key may not read the balance: it is known, which is what was asked.
    if (problem instanceof Stripe.errors.StripePermissionError) return null;
    throw problem;
  }
}

function readNotice(account: Account, body: Buffer, headers: Headers): Notice | null {
  const secret = account.keys["webhookSecret"];
  if (!secret) return null;
  const event = signedEvent(account, body, String(headers["stripe-signature"] ?? ""), secret);
  if (!event) return null;
  const about: unknown = event.data.object;
  const kind = textAt(about, "object");
  const intentId =
    kind === "payment_intent" ? textAt(about, "id") : textAt(about, "payment_intent");
  return {
    eventId: event.id,
    eventType: event.type,
    reference:
      (isRecord(about) && kind !== "refund" && textAt(about, "metadata", "reference")) || null,
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
