import { Stripe } from "stripe";
import { Temporal } from "temporal-polyfill";
import { cents } from "#kit/domain/money.ts";
import type {
  Account,
  Charge,
  ChargeOutcome,
  LookUpOutcome,
  NewCharge,
} from "#cards/processors/processor.ts";
import { stripeClient } from "#cards/processors/stripe-client.ts";
import { chargeOf, eventsSince } from "#cards/processors/stripe-events.ts";
import { declinedByBank, notAvailable, sentence } from "#cards/processors/wording.ts";

/* Stripe's PaymentIntents: created and confirmed in one call, and found again by our reference. */

/** How long a payer has to confirm to the bank before the payment is given up. */
const challengeMinutes = 30;

export async function charge(account: Account, wanted: NewCharge): Promise<ChargeOutcome> {
  try {
    const intent = await stripeClient(account).paymentIntents.create(
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

/** What an error says about the charge. Anything Stripe did not say for certain is unknown. */
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
  const aboutAmount = amountLimits[problem.code ?? ""];
  if (aboutAmount !== undefined)
    return { kind: "declined", message: `${aboutAmount} Pay another amount, or pay by check.` };
  if (problem instanceof errors.StripeInvalidRequestError)
    return problem.param === "payment_method" || /payment_?method/i.test(problem.code ?? "")
      ? { kind: "declined", message: says }
      : { kind: "declined", message: notAvailable, fault: says };
  return unknown(says);
}

/**
 * For the payer to change; not a fault of the network's account. Source: Stripe, "Minimum and maximum
 * charge amounts".
 */
const amountLimits: Record<string, string> = {
  amount_too_small: "Stripe accepts card payments of at least $0.50.",
  amount_too_large: "Stripe accepts card payments of at most $999,999.99.",
};

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

function cardOf(intent: Stripe.PaymentIntent) {
  const card = chargeOf(intent)?.payment_method_details?.card;
  return card ? { brand: card.brand ?? "", lastFour: card.last4 ?? "" } : null;
}

export async function lookUp(account: Account, sought: Charge): Promise<LookUpOutcome> {
  const stripeApi = stripeClient(account);
  const intent = sought.transactionId
    ? await stripeApi.paymentIntents.retrieve(sought.transactionId, { expand: ["latest_charge"] })
    : await findByReference(stripeApi, sought);
  if (!intent) return { kind: "missing" };
  if (intent.status === "requires_action" && isTooOld(intent))
    return outcomeOf(await stripeApi.paymentIntents.cancel(intent.id));
  const outcome = outcomeOf(intent);
  if (outcome.kind !== "approved") return outcome;
  return { ...outcome, since: await eventsSince(stripeApi, intent) };
}

const isTooOld = (intent: Stripe.PaymentIntent) =>
  intent.created + challengeMinutes * 60 < Temporal.Now.instant().epochMilliseconds / 1000;

/** Lists are exact immediately, searches are not; lists cannot be filtered by metadata. */
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
