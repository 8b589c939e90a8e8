import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { demoAccounts, otherAccounts } from "../accounts.ts";
import type { HttpAnswer, IncomingCall } from "../call-handler.ts";
import { bodyText, textAt, type Json } from "../json.ts";
import type { Endpoint } from "./endpoints.ts";
import { type ErrorBody, StripeError } from "./errors.ts";
import { apiVersion, demoAccountId } from "./events.ts";
import { parseForm } from "./form.ts";
import type { Idempotency, KeyedRequest } from "./idempotency.ts";
import { refuseUnknownParams, type StripeRequest } from "./request.ts";
import { newId, type StripeStore } from "./store.ts";

const accounts = [
  { id: demoAccountId, ...demoAccounts.stripe },
  { id: "acct_lakeside", ...otherAccounts.stripe },
];

/** A request as received; its sender is not known yet. */
interface IncomingRequest {
  params: Json;
  id: string;
  idempotencyKey: string | null;
  requestId: string;
  apiKey: string;
  keyed: Omit<KeyedRequest, "key">;
}

export function readRequest(
  { method, path }: Endpoint,
  request: FastifyRequest<{ Params: { id?: string } }>,
): IncomingRequest {
  const text = method === "POST" ? bodyText(request.body) : (request.url.split("?")[1] ?? "");
  const { key, ...params } = parseForm(text);
  const header = request.headers["idempotency-key"];
  const [, bearer] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
  const { id = "" } = request.params;
  const requestId = newId("req");
  const route = `${method} ${path.replace(":id", id)}`;
  // A digest is enough to tell two requests apart. The request itself may hold a card, and is not stored.
  const digest = createHash("sha256").update(text).digest("base64url");
  return {
    params,
    id,
    idempotencyKey: method === "POST" && typeof header === "string" ? header : null,
    requestId,
    apiKey: bearer ?? textAt(key) ?? "",
    keyed: { route, request: digest, requestId },
  };
}

export function answerHeaders({ requestId, idempotencyKey }: IncomingRequest) {
  return {
    "request-id": requestId,
    "stripe-version": apiVersion,
    ...(idempotencyKey !== null && { "idempotency-key": idempotencyKey }),
    "access-control-expose-headers": "Request-Id",
  };
}

/** Check a request's keys, then answer it. */
export function incomingCall(
  store: StripeStore,
  idempotency: Idempotency,
  endpoint: Endpoint,
  incoming: IncomingRequest,
): IncomingCall {
  const { sender, keyed, answer: early } = checkKeys(idempotency, endpoint, incoming);
  return {
    call: endpoint.call,
    reference: textAt(incoming.params, "metadata", "reference") ?? incoming.idempotencyKey,
    respond: (listedUntil) => {
      if (early) return early;
      const { answer, isEarly } = run(store, endpoint, { ...incoming, ...sender, listedUntil });
      if (keyed && !isEarly) idempotency.keep(keyed, answer);
      if (keyed) idempotency.end(keyed);
      return answer;
    },
    busy: () =>
      errorAnswer(429, {
        type: "invalid_request_error",
        code: "lock_timeout",
        message:
          "This object cannot be accessed right now because another API request or Stripe process is currently accessing it. Please retry the request.",
      }),
    // Stripe stores its own 500 under the key like any other answer, and tells the SDK not to retry.
    unsure: () => {
      const body = { type: "api_error" as const, message: "An unknown error occurred." };
      const answer = errorAnswer(500, body, { "stripe-should-retry": "false" });
      if (keyed) idempotency.keep(keyed, answer);
      return answer;
    },
    abandoned: () => keyed && idempotency.end(keyed),
  };
}

interface KeyCheck {
  sender: Pick<StripeRequest, "account" | "isPublishable">;
  /** In flight under its key; null without a key, or if it is already answered. */
  keyed: KeyedRequest | null;
  /** A replay or a refusal, decided on arrival. */
  answer: HttpAnswer | null;
}

function checkKeys(
  idempotency: Idempotency,
  endpoint: Endpoint,
  incoming: IncomingRequest,
): KeyCheck {
  try {
    const sender = senderOf(incoming.apiKey, endpoint);
    if (incoming.idempotencyKey === null) return { sender, keyed: null, answer: null };
    const keyed = { ...incoming.keyed, key: `${sender.account} ${incoming.idempotencyKey}` };
    const replay = idempotency.begin(keyed);
    return { sender, keyed: replay ? null : keyed, answer: replay };
  } catch (error) {
    const sender = { account: "", isPublishable: false };
    return { sender, keyed: null, answer: answerTo(error).answer };
  }
}

function senderOf(apiKey: string, { isForBrowsers }: Endpoint): KeyCheck["sender"] {
  const account = accounts.find(
    ({ secretKey, publishableKey }) => apiKey === secretKey || apiKey === publishableKey,
  );
  if (!account) {
    const shown = `${apiKey.slice(0, 8)}${"*".repeat(8)}${apiKey.slice(-4)}`;
    const message =
      apiKey === "" ? "You did not provide an API key." : `Invalid API Key provided: ${shown}`;
    throw new StripeError(401, { type: "invalid_request_error", message }, true);
  }
  const isPublishable = apiKey === account.publishableKey;
  if (isPublishable && !isForBrowsers) {
    const message =
      "This API call cannot be made with a publishable API key. Please use a secret API key. You can find a list of your API keys at https://dashboard.stripe.com/account/apikeys.";
    const body = { type: "invalid_request_error" as const, code: "secret_key_required", message };
    throw new StripeError(401, body, true);
  }
  return { account: account.id, isPublishable };
}

function run(store: StripeStore, endpoint: Endpoint, request: StripeRequest) {
  try {
    refuseUnknownParams(request.params, endpoint.params.split(" "));
    return { answer: stripeAnswer(200, endpoint.run(store, request)), isEarly: false };
  } catch (error) {
    return answerTo(error);
  }
}

function answerTo(error: unknown) {
  if (!(error instanceof StripeError)) throw error;
  return { answer: errorAnswer(error.status, error.body), isEarly: error.isEarly };
}

function errorAnswer(status: number, error: ErrorBody, headers = {}): HttpAnswer {
  return stripeAnswer(status, { error }, headers);
}

function stripeAnswer(status: number, body: object, headers = {}): HttpAnswer {
  const type = { "content-type": "application/json" };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(body, null, 2) };
}
