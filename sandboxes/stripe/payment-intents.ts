import { listAt, textAt } from "../json.ts";
import { confirm, unexpectedState, updateIntent } from "./confirm.ts";
import { badParameter, badState, noSuch } from "./errors.ts";
import { sendEvent } from "./events.ts";
import { listOf } from "./lists.ts";
import { paymentMethodNamed } from "./payment-methods.ts";
import { amountParam, metadataParam, param, requiredParam, type StripeRequest } from "./request.ts";
import {
  type IntentObject,
  type PaymentIntent,
  type PaymentMethod,
  randomLetters,
  secondsNow,
  type StripeStore,
} from "./store.ts";

/** POST /v1/payment_intents, always with confirm=true: the product makes no others. */
export function createIntent(store: StripeStore, request: StripeRequest): object {
  amountParam(request);
  requiredParam(request, "currency");
  if (param(request, "confirm") !== "true") {
    throw badParameter("confirm", "parameter_missing", "This sandbox requires confirm=true.");
  }
  refuseWithoutReturn(request);
  const methodId = param(request, "payment_method") ?? "";
  if (methodId === "") throw noMethod();
  const method = paymentMethodNamed(store, request.account, methodId);
  const object = newIntent(store, request, method);
  const reference = object.metadata["reference"] ?? request.idempotencyKey;
  const intent = store.intents.set(object.id, { account: request.account, reference, object });
  sendEvent(store, request.account, "payment_intent.created", object, request);
  return expanded(store, request, confirm(store, request, intent, method).object);
}

function newIntent(
  store: StripeStore,
  request: StripeRequest,
  method: PaymentMethod,
): IntentObject {
  const id = `pi_3${randomLetters(23)}`;
  const allowed = listAt(request.params, "allowed_payment_method_types").map(String);
  return {
    id,
    object: "payment_intent",
    allowed_payment_method_types: allowed.length > 0 ? allowed : null,
    amount: amountParam(request),
    amount_received: 0,
    client_secret: `${id}_secret_${randomLetters(25)}`,
    created: secondsNow(store),
    currency: requiredParam(request, "currency").toLowerCase(),
    description: param(request, "description") ?? null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    metadata: metadataParam(request),
    next_action: null,
    payment_method: method.object.id,
    payment_method_types: ["card"],
    status: "requires_confirmation",
  };
}

/**
 * A server that confirms must say where a redirected payer returns to. It is unknown whether allowing only
 * cards lifts this, so this sandbox requires it.
 */
function refuseWithoutReturn(request: StripeRequest): void {
  if (param(request, "return_url")) return;
  throw badParameter(
    "return_url",
    "parameter_missing",
    "This PaymentIntent is configured to accept payment methods that might redirect your customer off of your page. A `return_url` must be specified when confirming it.",
  );
}

function noMethod() {
  const message =
    "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.";
  return badState(message, { code: "payment_intent_unexpected_state" });
}

export function showIntent(store: StripeStore, request: StripeRequest): object {
  return expanded(store, request, intentOf(store, request).object);
}

export function cancelIntent(store: StripeStore, request: StripeRequest): object {
  const intent = intentOf(store, request);
  const { status } = intent.object;
  if (status === "succeeded" || status === "canceled") {
    throw unexpectedState(
      intent,
      `You cannot cancel this PaymentIntent because it has a status of ${status}. Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, requires_capture, requires_confirmation, requires_action, processing.`,
    );
  }
  const canceled = updateIntent(store, intent, {
    status: "canceled",
    next_action: null,
    canceled_at: secondsNow(store),
  });
  sendEvent(store, intent.account, "payment_intent.canceled", canceled.object, request);
  return canceled.object;
}

/** GET /v1/payment_intents: by creation time; there is no filter by metadata. */
export function listIntents(store: StripeStore, request: StripeRequest): object {
  const { account, listedUntil } = request;
  const found = store.intents
    .values()
    .filter((each) => each.account === account && each.object.created * 1_000 <= listedUntil)
    .map(({ object }) => ({
      ...object,
      ...expanded(store, request, object, "data.latest_charge"),
    }));
  return listOf(found, request, "/v1/payment_intents");
}

/** Replaces the charge's id by the whole charge, if `expand` asks for it. */
function expanded(
  store: StripeStore,
  { params }: StripeRequest,
  object: IntentObject,
  path = "latest_charge",
): object {
  const asked = listAt(params, "expand").map((each) => textAt(each));
  const other = asked.find((each) => each !== path);
  if (other !== undefined) {
    const message = `This property cannot be expanded (${other}).`;
    throw badParameter("expand", "parameter_invalid", message);
  }
  const charge = store.charges.get(object.latest_charge ?? "");
  return asked.length > 0 && charge ? { ...object, latest_charge: charge.object } : object;
}

/** A browser must send the client secret; a server need not. */
function intentOf(store: StripeStore, request: StripeRequest): PaymentIntent {
  const found = store.intents.get(request.id);
  const isAllowed =
    !request.isPublishable || param(request, "client_secret") === found?.object.client_secret;
  if (found?.account !== request.account || !isAllowed) throw noSuch("payment_intent", request.id);
  return found;
}
