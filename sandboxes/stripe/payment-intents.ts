import { at, listAt, textAt } from "../tree.ts";
import { amountWanted, type Asked, metadataWanted, required, truth, wanted } from "./asked.ts";
import {
  type Books,
  letters,
  type PaymentIntent,
  type PaymentMethod,
  secondsNow,
} from "./books.ts";
import {
  causeOf,
  changed,
  confirm,
  finishChallenge,
  type Intent,
  refuseWithoutReturn,
} from "./charging.ts";
import { announce, type Herald } from "./events.ts";
import { listOf } from "./lists.ts";
import { namedPaymentMethod, paymentMethodFor } from "./payment-methods.ts";
import { badParameter, badState, noSuch } from "./refusals.ts";
import { matches } from "./search.ts";

/** POST /v1/payment_intents, with `confirm=true` also charges. */
export function createIntent(herald: Herald, asked: Asked): object {
  const { books } = herald;
  amountWanted(asked);
  required(asked, "currency");
  refuseExclusives(asked);
  const isConfirmed = truth(wanted(asked, "confirm"));
  if (isConfirmed) refuseWithoutReturn(asked);
  const method = paymentMethodFor(books, asked);
  if (isConfirmed && !method) throw noMethod();
  const object = newIntent(books, asked, method);
  const reference = object.metadata["reference"] ?? asked.idempotencyKey;
  const intent = books.intents.set(object.id, { account: asked.account, reference, object });
  announce(herald, asked.account, "payment_intent.created", object, causeOf(asked));
  return isConfirmed && method ? confirm(herald, asked, intent, method).object : object;
}

function newIntent(books: Books, asked: Asked, method: PaymentMethod | null): Intent {
  const id = `pi_3${letters(23)}`;
  const allowed = listAt(asked.params, "allowed_payment_method_types").map(String);
  const text = (name: string) => wanted(asked, name) ?? null;
  return {
    id,
    object: "payment_intent",
    allowed_payment_method_types: allowed.length > 0 ? allowed : null,
    amount: amountWanted(asked),
    amount_capturable: 0,
    amount_received: 0,
    automatic_payment_methods:
      allowed.length > 0 ? null : { allow_redirects: "always", enabled: true },
    canceled_at: null,
    cancellation_reason: null,
    capture_method: wanted(asked, "capture_method") ?? "automatic_async",
    client_secret: `${id}_secret_${letters(25)}`,
    confirmation_method: wanted(asked, "confirmation_method") ?? "automatic",
    created: secondsNow(books),
    currency: required(asked, "currency").toLowerCase(),
    customer: text("customer"),
    description: text("description"),
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    metadata: metadataWanted(asked),
    next_action: null,
    payment_method: method?.object.id ?? null,
    payment_method_types: ["card"],
    receipt_email: text("receipt_email"),
    setup_future_usage: text("setup_future_usage"),
    statement_descriptor_suffix: text("statement_descriptor_suffix"),
    status: method ? "requires_confirmation" : "requires_payment_method",
  };
}

function refuseExclusives(asked: Asked): void {
  if (at(asked.params, "allowed_payment_method_types") === undefined) return;
  const others = [
    "automatic_payment_methods",
    "excluded_payment_method_types",
    "payment_method_configuration",
  ];
  const other = others.find((name) => at(asked.params, name) !== undefined);
  if (other === undefined) return;
  const message = `You may only specify one of these parameters: allowed_payment_method_types, ${other}.`;
  throw badParameter(other, "parameter_invalid", message);
}

function noMethod() {
  const message =
    "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.";
  return badState(message, { code: "payment_intent_unexpected_state" });
}

/** POST /v1/payment_intents/:id/confirm, by the server or, with the client secret, by the browser. */
export function confirmIntent(herald: Herald, asked: Asked): object {
  const { books } = herald;
  const intent = intentOf(books, asked);
  const { status } = intent.object;
  if (status === "succeeded" || status === "canceled" || status === "requires_capture") {
    throw unexpected(
      intent,
      `You cannot confirm this PaymentIntent because it has already ${status === "canceled" ? "been canceled" : "succeeded after being previously confirmed"}.`,
    );
  }
  refuseWithoutReturn(asked);
  const given = paymentMethodFor(books, asked);
  const standing = intent.object.payment_method;
  const method =
    given ?? (standing === null ? null : namedPaymentMethod(books, asked.account, standing));
  if (!method) throw noMethod();
  return confirm(herald, asked, intent, method).object;
}

/** The private address that the challenge page reports to. Throws when the payment then fails. */
export function answerChallenge(herald: Herald, clientSecret: string, isPassed: boolean): object {
  const { books } = herald;
  const [id = ""] = clientSecret.split("_secret_");
  const intent = books.intents.get(id);
  const isOwn = intent?.object.client_secret === clientSecret;
  if (!intent || !isOwn) throw noSuch("payment_intent", id);
  if (intent.object.status !== "requires_action")
    throw unexpected(intent, "There is no challenge.");
  const method = books.paymentMethods.get(intent.object.payment_method ?? "");
  if (!method) throw noSuch("PaymentMethod", String(intent.object.payment_method));
  return finishChallenge(herald, intent, method, isPassed).object;
}

export function showIntent({ books }: Herald, asked: Asked): object {
  return intentOf(books, asked).object;
}

export function updateIntent({ books }: Herald, asked: Asked): object {
  const intent = intentOf(books, asked);
  const amount = wanted(asked, "amount") === undefined ? intent.object.amount : amountWanted(asked);
  return changed(books, intent, {
    amount,
    description: wanted(asked, "description") ?? intent.object.description,
    receipt_email: wanted(asked, "receipt_email") ?? intent.object["receipt_email"],
    metadata: { ...intent.object.metadata, ...metadataWanted(asked) },
  }).object;
}

export function captureIntent(herald: Herald, asked: Asked): object {
  const { books } = herald;
  const intent = intentOf(books, asked);
  if (intent.object.status !== "requires_capture") {
    throw unexpected(
      intent,
      `This PaymentIntent could not be captured because it has a status of ${intent.object.status}.`,
    );
  }
  const amount = Number(wanted(asked, "amount_to_capture") ?? intent.object.amount);
  const charge = books.charges.get(intent.object.latest_charge ?? "");
  if (charge) {
    const captured = { ...charge.object, amount_captured: amount, captured: true };
    books.charges.set(charge.object.id, { ...charge, object: captured });
    announce(herald, intent.account, "charge.captured", captured, causeOf(asked));
  }
  const done = changed(books, intent, {
    status: "succeeded",
    amount_capturable: 0,
    amount_received: amount,
  });
  announce(herald, intent.account, "payment_intent.succeeded", done.object, causeOf(asked));
  return done.object;
}

export function cancelIntent(herald: Herald, asked: Asked): object {
  const intent = intentOf(herald.books, asked);
  const { status } = intent.object;
  if (status === "succeeded" || status === "canceled") {
    throw unexpected(
      intent,
      `You cannot cancel this PaymentIntent because it has a status of ${status}. Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, requires_capture, requires_confirmation, requires_action, processing.`,
    );
  }
  const canceled = changed(herald.books, intent, {
    status: "canceled",
    amount_capturable: 0,
    next_action: null,
    canceled_at: secondsNow(herald.books),
    cancellation_reason: wanted(asked, "cancellation_reason") ?? null,
  });
  announce(herald, intent.account, "payment_intent.canceled", canceled.object, causeOf(asked));
  return canceled.object;
}

/** GET /v1/payment_intents: by customer and time of creation; there is no filter by metadata. */
export function listIntents({ books }: Herald, asked: Asked): object {
  const customer = wanted(asked, "customer");
  const found = intentsListed(books, asked).filter(
    ({ object }) => customer === undefined || object.customer === customer,
  );
  return listOf(
    found.map(({ object }) => object),
    asked,
    "/v1/payment_intents",
  );
}

/** GET /v1/payment_intents/search, for example `metadata['reference']:'P7' AND status:'succeeded'`. */
export function searchIntents({ books }: Herald, asked: Asked): object {
  const query = required(asked, "query");
  const limit = Number(wanted(asked, "limit") ?? "10");
  const page = Number(wanted(asked, "page") ?? "0");
  const found = intentsListed(books, asked)
    .map(({ object }) => object)
    .filter((object) => matches(object, query))
    .toReversed();
  const hasMore = found.length > (page + 1) * limit;
  return {
    object: "search_result",
    data: found.slice(page * limit, (page + 1) * limit),
    has_more: hasMore,
    next_page: hasMore ? String(page + 1) : null,
    url: "/v1/payment_intents/search",
  };
}

function intentsListed(books: Books, { account, listedUntil }: Asked): PaymentIntent[] {
  return books.intents
    .values()
    .filter((each) => each.account === account && each.object.created * 1_000 <= listedUntil);
}

/** A browser must show the client secret; a server need not. */
function intentOf(books: Books, asked: Asked): PaymentIntent {
  const found = books.intents.get(asked.id);
  const secret = textAt(asked.params, "client_secret");
  const isAllowed = asked.isPublishable ? secret === found?.object.client_secret : true;
  if (found?.account !== asked.account || !isAllowed) throw noSuch("payment_intent", asked.id);
  return found;
}

function unexpected({ object }: PaymentIntent, message: string) {
  return badState(message, { code: "payment_intent_unexpected_state", payment_intent: object });
}
