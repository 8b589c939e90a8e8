import type { FastifyInstance, FastifyRequest } from "fastify";
import { demoAccounts, otherAccounts } from "../accounts.ts";
import { allowBrowsers, hostedFieldHtml, hostedFieldScript, serveFile } from "../browser.ts";
import { CallHandler, type HttpAnswer, jsonAnswer } from "../call-handler.ts";
import type { SandboxContext } from "../context.ts";
import { bodyText, type Json, parseJson, textAt } from "../json.ts";
import type { Charge, Processor } from "../sandbox.ts";
import { refundAtProcessor, settle, voidAtProcessor } from "./charges.ts";
import { type Endpoint, endpoints } from "./endpoints.ts";
import { LawPayError, type Message } from "./errors.ts";
import {
  type Caller,
  type LawPayStore,
  openLawPayStore,
  refundedCents,
  type Status,
  updateTransaction,
} from "./store.ts";

const accounts = [demoAccounts.lawpay, otherAccounts.lawpay];

/** LawPay (AffiniPay): hosted fields and the payment gateway. Facts: processors/lawpay.md. */
export function lawpay(context: SandboxContext): Processor {
  const handler = new CallHandler(context);
  const store = openLawPayStore(context);
  return {
    handler,
    routes: (app) => {
      allowBrowsers(app);
      for (const [path, ...file] of files) serveFile(app, handler, { path, file });
      for (const endpoint of endpoints) route(app, handler, store, endpoint);
    },
    charges: () => chargesIn(store),
    settle: (failing) => settle(store, failing),
    voidAtProcessor: (id) => voidAtProcessor(store, id),
    refundAtProcessor: (id, amountCents) => refundAtProcessor(store, id, amountCents),
    decide: (id, decision) => {
      const pending = store.transactions.get(id);
      if (pending?.status !== "PENDING") return false;
      const declined = { status: "FAILED", failureCode: "card_declined" } as const;
      updateTransaction(
        store,
        pending,
        decision === "approve" ? { status: "AUTHORIZED" } : declined,
      );
      return true;
    },
  };
}

const here = (name: string) => new URL(name, import.meta.url);
const files: [path: string, ...files: URL[]][] = [
  ["/hostedfields/1.5.3/fieldGen_1.5.3.js", here("./fieldGen.js")],
  ["/hostedfields/field", hostedFieldHtml],
  ["/hostedfields/field.js", hostedFieldScript, here("./field.js")],
];

function route(
  app: FastifyInstance,
  handler: CallHandler,
  store: LawPayStore,
  endpoint: Endpoint,
): void {
  app.route<{ Params: { id?: string } }>({
    method: endpoint.method,
    url: endpoint.path,
    handler: async (request, reply) => {
      const text = bodyText(request.body);
      const body = text === "" ? {} : parseJson(text);
      const query = new URLSearchParams(request.url.split("?")[1]);
      const { id = "" } = request.params;
      return await handler.handle(reply, {
        call: endpoint.call,
        reference: textAt(body, "reference") ?? (id || null),
        respond: (listedUntil) =>
          answerOf(endpoint.status ?? 200, () => {
            if (body === undefined) throw new LawPayError(400, { code: "malformed_request" });
            const caller = callerOf(request, body, endpoint);
            return endpoint.run({ store, caller, id, body, query, listedUntil });
          }),
        unsure: processorDown,
      });
    },
  });
}

function answerOf(status: number, run: () => object): HttpAnswer {
  try {
    return jsonAnswer(run(), status);
  } catch (error) {
    if (!(error instanceof LawPayError)) throw error;
    return errorAnswer(error.status, error.details);
  }
}

/** The gateway's own "cannot say"; it gives the transaction's id, if there is one. */
function processorDown(answer: HttpAnswer | null): HttpAnswer {
  const id = answer ? textAt(parseJson(answer.body), "id") : undefined;
  const code = "card_processor_not_available";
  return errorAnswer(500, { code, facility: "payment_processor", entity_id: id });
}

function errorAnswer(status: number, details: Message): HttpAnswer {
  return jsonAnswer({ messages: [{ level: "error", facility: "gateway", ...details }] }, status);
}

/** By the user name of Basic authentication; browsers may send the public key in the body. */
function callerOf(request: FastifyRequest, body: Json, { isPublic }: Endpoint): Caller {
  const [, value = ""] = /^Basic (.+)$/.exec(request.headers.authorization ?? "") ?? [];
  const [, user] = /^(.*):$/.exec(Buffer.from(value, "base64").toString()) ?? [];
  const key = user ?? textAt(body, "public_key") ?? "";
  for (const { publicKey, secretKey, liveSecretKey, accountId, trustAccountId } of accounts) {
    const caller = { merchant: publicKey, accountId, trustAccountId };
    if (key === secretKey || (isPublic && key === publicKey)) return { ...caller, mode: "TEST" };
    if (key === liveSecretKey) return { ...caller, mode: "LIVE" };
  }
  throw new LawPayError(401, { code: "not_authorized" });
}

const states: Record<Status, Charge["state"]> = {
  PENDING: "held",
  AUTHORIZED: "captured", // captured by the daily run; for a sale this is success
  COMPLETED: "settled",
  VOIDED: "voided",
  FAILED: "declined",
};

function chargesIn(store: LawPayStore): Charge[] {
  const charges = store.transactions.values().filter(({ type }) => type === "CHARGE");
  return charges.map((charge) => ({
    id: charge.id,
    account: charge.merchant,
    reference: charge.reference === "" ? null : charge.reference,
    amountCents: charge.amountCents,
    refundedCents: refundedCents(store, charge.id),
    state: charge.failureCode === "settlement_failed" ? "failed" : states[charge.status],
    reason: charge.failureCode ?? null,
    cardLast4: charge.card.last4,
    at: new Date(charge.createdAt).toISOString(),
  }));
}
