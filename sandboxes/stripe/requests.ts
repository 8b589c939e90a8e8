import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { demoAccounts, otherAccounts } from "../accounts.ts";
import type { WireAnswer } from "../desk.ts";
import { bodyText, textAt, type Tree } from "../tree.ts";
import { type Asked, refuseUnknown } from "./asked.ts";
import { newId } from "./books.ts";
import type { Endpoint } from "./endpoints.ts";
import { apiVersion, type Herald } from "./events.ts";
import { expanded } from "./expansion.ts";
import { parseForm } from "./form.ts";
import type { Idempotency, Keyed } from "./idempotency.ts";
import { type ErrorBody, StripeRefusal } from "./refusals.ts";

const accounts = [
  { id: "acct_harbor", ...demoAccounts.stripe },
  { id: "acct_lakeside", ...otherAccounts.stripe },
];

interface Arrival {
  asked: Omit<Asked, "listedUntil" | "account" | "isPublishable">;
  proof: string;
  keyed: Omit<Keyed, "key"> | null;
  headers: Record<string, string>;
}

/** Read a request as it came; who sent it is not known yet. */
export function arrivalOf(
  { method, path }: Endpoint,
  request: FastifyRequest<{ Params: { id?: string } }>,
): Arrival {
  const text = method === "POST" ? bodyText(request.body) : (request.url.split("?")[1] ?? "");
  const { key, ...params } = fieldsOf(parseForm(text));
  const requestId = newId("req");
  const header = request.headers["idempotency-key"];
  const idempotencyKey = method === "POST" && typeof header === "string" ? header : null;
  const id = request.params.id ?? "";
  const route = `${method} ${path.replace(":id", id)}`;
  return {
    asked: { params, id, idempotencyKey, requestId, origin: `http://${request.headers.host}` },
    proof: proofOf(request.headers.authorization) ?? (typeof key === "string" ? key : ""),
    keyed: idempotencyKey === null ? null : { route, request: digest(text), requestId },
    headers: {
      "request-id": requestId,
      "stripe-version": versionOf(request.headers["stripe-version"]),
      ...(idempotencyKey !== null && { "idempotency-key": idempotencyKey }),
      "access-control-expose-headers": "Request-Id",
    },
  };
}

/** Enough to tell two requests apart; the request itself may hold a card, and is not kept. */
const digest = (text: string) => createHash("sha256").update(text).digest("base64url");

const versionOf = (header: string | string[] | undefined) =>
  typeof header === "string" ? header : apiVersion;

function fieldsOf(form: Tree): { [name: string]: Tree } {
  return typeof form === "object" && form !== null && !Array.isArray(form) ? form : {};
}

/** The key, from a Bearer or as the user of Basic. */
function proofOf(authorization: string | undefined): string | null {
  const [, scheme, value = ""] = /^(Bearer|Basic) (.+)$/.exec(authorization ?? "") ?? [];
  if (scheme === "Basic") return Buffer.from(value, "base64").toString().split(":")[0] ?? null;
  return scheme === "Bearer" ? value : null;
}

/** How a request passes the keys of the account and of idempotency, and is then answered. */
export function visitOf(
  herald: Herald,
  idempotency: Idempotency,
  endpoint: Endpoint,
  arrival: Arrival,
) {
  const entry = admitted(idempotency, endpoint, arrival);
  const keyed = entry.keyed;
  const settle = (answer: WireAnswer, isKept: boolean) => {
    if (keyed) {
      if (isKept) idempotency.keep(keyed, answer);
      idempotency.ended(keyed);
    }
    return answer;
  };
  const reference =
    textAt(arrival.asked.params, "metadata", "reference") ?? arrival.asked.idempotencyKey;
  return {
    call: endpoint.call,
    reference,
    act: ({ listedUntil }: { listedUntil: number }) => {
      if (entry.answer) return entry.answer;
      const asked = { ...arrival.asked, ...entry.who, listedUntil };
      const { answer, isEarly } = answered(herald, endpoint, asked);
      return settle(answer, !isEarly);
    },
    busy: () =>
      refusalAnswer(429, {
        type: "invalid_request_error",
        code: "lock_timeout",
        message:
          "This object cannot be accessed right now because another API request or Stripe process is currently accessing it. Please retry the request.",
      }),
    // A 500 of Stripe's own is kept under the key like any other answer, and tells the SDK not to try again.
    unsure: () => {
      const body = { type: "api_error" as const, message: "An unknown error occurred." };
      const answer = refusalAnswer(500, body, { "stripe-should-retry": "false" });
      if (keyed) idempotency.keep(keyed, answer);
      return answer;
    },
    abandoned: () => keyed && idempotency.ended(keyed),
  };
}

interface Entry {
  who: { account: string; isPublishable: boolean };
  /** In flight under its key; null without a key, or when it is answered already. */
  keyed: Keyed | null;
  /** A replay or a refusal, decided on arrival. */
  answer: WireAnswer | null;
}

function admitted(idempotency: Idempotency, endpoint: Endpoint, arrival: Arrival): Entry {
  const nobody = { account: "", isPublishable: false };
  try {
    const who = authenticated(arrival.proof, endpoint);
    if (!arrival.keyed) return { who, keyed: null, answer: null };
    const keyed = { ...arrival.keyed, key: `${who.account} ${arrival.asked.idempotencyKey}` };
    const replay = idempotency.begin(keyed);
    return { who, keyed: replay ? null : keyed, answer: replay };
  } catch (error) {
    return { who: nobody, keyed: null, answer: answerOf(error).answer };
  }
}

function authenticated(proof: string, endpoint: Endpoint) {
  const account = accounts.find(
    ({ secretKey, publishableKey }) => proof === secretKey || proof === publishableKey,
  );
  if (!account) {
    const shown = `${proof.slice(0, 8)}${"*".repeat(8)}${proof.slice(-4)}`;
    const message =
      proof === "" ? "You did not provide an API key." : `Invalid API Key provided: ${shown}`;
    throw new StripeRefusal(401, { type: "invalid_request_error", message }, true);
  }
  const isPublishable = proof === account.publishableKey;
  if (isPublishable && !endpoint.isForBrowsers) {
    const message =
      "This API call cannot be made with a publishable API key. Please use a secret API key. You can find a list of your API keys at https://dashboard.stripe.com/account/apikeys.";
    const body = { type: "invalid_request_error" as const, code: "secret_key_required", message };
    throw new StripeRefusal(401, body, true);
  }
  return { account: account.id, isPublishable };
}

function answered(herald: Herald, endpoint: Endpoint, asked: Asked) {
  try {
    refuseUnknown(asked.params, ["expand", ...endpoint.params.split(" ")]);
    const object = expanded(herald.books, endpoint.run(herald, asked), asked);
    return { answer: jsonAnswer(200, object), isEarly: false };
  } catch (error) {
    return answerOf(error);
  }
}

function answerOf(error: unknown) {
  if (!(error instanceof StripeRefusal)) throw error;
  return { answer: refusalAnswer(error.status, error.body), isEarly: error.isEarly };
}

function refusalAnswer(status: number, error: ErrorBody, headers = {}): WireAnswer {
  return jsonAnswer(status, { error }, headers);
}

function jsonAnswer(status: number, body: object, headers = {}): WireAnswer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body, null, 2),
  };
}
