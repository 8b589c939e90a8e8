import { Stripe } from "stripe";
import { Temporal } from "temporal-polyfill";
import { cents } from "#domain/money.ts";
import type {
  Account,
  Captured,
  Charge,
  ChargeOutcome,
  GiveBackOutcome,
  Headers,
  LookUpOutcome,
  NewCharge,
  Notice,
  Processor,
} from "#features/payments/processors/processor.ts";
import { isRecord, textAt } from "#features/payments/processors/wire.ts";
import { declinedByBank, notAvailable, sentence } from "#features/payments/processors/wording.ts";

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

/** How long a payer has to answer the bank's question before the payment is given up. */
const challengeMinutes = 30;

const clients = new Map<string, Stripe>();
const greatestClients = 100;

/** A client for an account: making one costs more than a call with it, so the newest are kept. */
function client(account: Account): Stripe {
  const { secretKey = "" } = account.keys;
  const apiUrl = account.addresses["apiUrl"] ?? "";
  const name = [secretKey, apiUrl, account.timeoutMs].join(" ");
  const known = clients.get(name);
  if (known) return known;
  const made = newClient(secretKey, apiUrl, account.timeoutMs);
  const [oldest] = clients.keys();
  if (oldest !== undefined && clients.size >= greatestClients) clients.delete(oldest);
  clients.set(name, made);
  return made;
}

function newClient(secretKey: string, apiUrl: string, timeout: number): Stripe {
  const { hostname, port, protocol } = new URL(apiUrl);
  const isPlain = protocol === "http:";
  return new Stripe(secretKey, {
    host: hostname,
    port: port || (isPlain ? 80 : 443),
    protocol: isPlain ? "http" : "https",
    timeout,
    // What is not answered is looked up, never sent again blindly.
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

async function checkKeys(account: Account): Promise<string | null> {
  const { publishableKey = "", secretKey = "" } = account.keys;
  const mode = account.live ? "live" : "test";
  if (!publishableKey.startsWith(`pk_${mode}_`))
    return `The publishable key must begin with pk_${mode}_ for ${mode} payments.`;
  if (!/^[sr]k_/.test(secretKey) || !secretKey.slice(3).startsWith(mode))
    return `The secret key must begin with sk_${mode}_ for ${mode} payments.`;
  try {
    const balance = await client(account).balance.retrieve();
    return balance.livemode === account.live ? null : `The secret key is not for ${mode} payments.`;
  } catch (problem) {
    if (problem instanceof Stripe.errors.StripeAuthenticationError)
      return "Stripe does not know the secret key.";
    // A restricted key may not read the balance: it is known, which is what was asked.
    if (problem instanceof Stripe.errors.StripePermissionError) return null;
    throw problem;
  }
}

async function charge(account: Account, wanted: NewCharge): Promise<ChargeOutcome> {
  try {
    const intent = await client(account).paymentIntents.create(
      {
        amount: wanted.amountCents,
        currency: "usd",
        payment_method: wanted.token,
        confirm: true,
        allowed_payment_method_types: ["card"],
        use_stripe_sdk: true,
        return_url: `${account.publicUrl}/dashboard`,
        description: wanted.description,
        metadata: { reference: wanted.reference },
        expand: ["latest_charge"],
      },
      { idempotencyKey: `charge-${wanted.reference}` },
    );
    return outcomeOf(intent);
  } catch (problem) {
    return refusalOf(problem);
  }
}

/** What an error says about the charge. Anything that Stripe did not say for certain is unknown. */
function refusalOf(problem: unknown): ChargeOutcome {
  const { errors } = Stripe;
  if (!(problem instanceof errors.StripeError))
    return unknown("Stripe's answer could not be read.");
  const says = sentence(problem.message, "It gave no reason.");
  if (problem instanceof errors.StripeCardError)
    return { kind: "declined", message: says, transactionId: problem.payment_intent?.id };
  if (
    problem instanceof errors.StripeAuthenticationError ||
    problem instanceof errors.StripePermissionError
  )
    return { kind: "declined", message: notAvailable, fault: says };
  if (problem instanceof errors.StripeRateLimitError)
    return {
      kind: "declined",
      message: "The card processor is busy. Wait a moment and try again.",
    };
  if (problem instanceof errors.StripeInvalidRequestError)
    return problem.param === "payment_method" || /payment_?method/i.test(problem.code ?? "")
      ? { kind: "declined", message: says }
      : { kind: "declined", message: notAvailable, fault: says };
  return unknown(says);
}

const unknown = (problem: string) => ({ kind: "unknown" as const, problem });

const notRecognised =
  "Your bank could not confirm that this payment is yours. Try again, or use another card.";

function outcomeOf(intent: Stripe.PaymentIntent): ChargeOutcome {
  const transactionId = intent.id;
  const { status, last_payment_error: failed } = intent;
  if (status === "succeeded") {
    const amountCents = cents(intent.amount_received);
    return { kind: "approved", transactionId, amountCents, card: cardOf(intent) };
  }
  if (status === "requires_action") {
    const problem = "The payer's bank wants the payment confirmed.";
    return {
      kind: "unknown",
      problem,
      transactionId,
      challenge: intent.client_secret ?? undefined,
    };
  }
  if (status === "canceled")
    return { kind: "declined", message: "The payment was not confirmed in time.", transactionId };
  if (status === "requires_payment_method" && failed) {
    const message =
      failed.code === "payment_intent_authentication_failure"
        ? notRecognised // Stripe's own sentence is for programmers
        : sentence(failed.message ?? "", declinedByBank);
    return { kind: "declined", message, transactionId };
  }
  return { ...unknown(`Stripe says: ${status}.`), transactionId };
}

function chargeOf(intent: Stripe.PaymentIntent): Stripe.Charge | null {
  return typeof intent.latest_charge === "object" ? intent.latest_charge : null;
}

function cardOf(intent: Stripe.PaymentIntent) {
  const card = chargeOf(intent)?.payment_method_details?.card;
  return card ? { brand: card.brand ?? "", lastFour: card.last4 ?? "" } : null;
}

async function lookUp(account: Account, sought: Charge): Promise<LookUpOutcome> {
  const stripeApi = client(account);
  const intent = sought.transactionId
    ? await stripeApi.paymentIntents.retrieve(sought.transactionId, { expand: ["latest_charge"] })
    : await findByReference(stripeApi, sought);
  if (!intent) return { kind: "missing" };
  const charged = chargeOf(intent);
  if (charged?.refunded) return { kind: "given back", transactionId: intent.id, how: "refunded" };
  if (intent.status === "requires_action" && isTooOld(intent))
    return outcomeOf(await stripeApi.paymentIntents.cancel(intent.id));
  return outcomeOf(intent);
}

const isTooOld = (intent: Stripe.PaymentIntent) =>
  intent.created + challengeMinutes * 60 < Temporal.Now.instant().epochMilliseconds / 1000;

/** Lists are exact at once, searches are not; lists cannot be filtered by metadata. */
async function findByReference(
  stripeApi: Stripe,
  sought: Charge,
): Promise<Stripe.PaymentIntent | null> {
  const since = Temporal.Instant.from(sought.startedAt).epochMilliseconds / 1000 - 600;
  const list = stripeApi.paymentIntents.list({
    created: { gte: Math.floor(since) },
    limit: 100,
    expand: ["data.latest_charge"],
  });
  for await (const intent of list)
    if (intent.metadata["reference"] === sought.reference) return intent;
  return null;
}

/**
 * Stripe has no void for a captured card payment: it is refunded, before settlement too. An answer of
 * 500 is kept under its idempotency key for ever, so what was done before is looked up instead;
 * Stripe itself refuses to refund a charge twice.
 */
async function giveBack(account: Account, captured: Captured): Promise<GiveBackOutcome> {
  const stripeApi = client(account);
  try {
    const { transactionId: payment_intent, reference } = captured;
    const before = await stripeApi.refunds.list({ payment_intent, limit: 100 });
    const known = before.data.find((refund) => refund.metadata?.["reference"] === reference);
    return stateOf(
      known ??
        (await stripeApi.refunds.create({
          payment_intent,
          reason: "requested_by_customer",
          metadata: { reference },
        })),
    );
  } catch (problem) {
    return refusedRefund(problem);
  }
}

function stateOf({ status }: Stripe.Refund): GiveBackOutcome {
  if (status === "succeeded" || status === "pending") return { kind: "done", how: "refunded" };
  return { kind: "refused", message: `Stripe did not refund the payment: ${status}.` };
}

function refusedRefund(problem: unknown): GiveBackOutcome {
  const isRefused = problem instanceof Stripe.errors.StripeInvalidRequestError;
  if (isRefused && problem.code === "charge_already_refunded")
    return { kind: "done", how: "refunded" };
  if (isRefused)
    return {
      kind: "refused",
      message: `Stripe refused the refund: ${sentence(problem.message, "")}`,
    };
  return unknown(
    sentence(problem instanceof Error ? problem.message : "", "Stripe did not answer."),
  );
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
    return client(account).webhooks.constructEvent(body, signature, secret);
  } catch {
    return null; // a wrong signature, or no event at all: the caller refuses it
  }
}
