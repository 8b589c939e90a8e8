import type { FastifyInstance } from "fastify";
import { cents } from "#kit/domain/money.ts";
import { allowBrowsers, hostedFieldHtml, hostedFieldScript, serveFile } from "../browser.ts";
import { CallHandler } from "../call-handler.ts";
import type { SandboxContext } from "../context.ts";
import { bodyText, textAt } from "../json.ts";
import type { Charge, Processor } from "../sandbox.ts";
import { WebhookSender } from "../webhooks.ts";
import { finishChallenge } from "./confirm.ts";
import { dispute } from "./disputes.ts";
import { endpoints } from "./endpoints.ts";
import { StripeError } from "./errors.ts";
import { signatureHeaders } from "./events.ts";
import { parseForm } from "./form.ts";
import { answerHeaders, incomingCall, readRequest } from "./http.ts";
import { Idempotency } from "./idempotency.ts";
import { refundAtProcessor, settleRefunds } from "./refunds.ts";
import { openStripeStore, type StripeStore } from "./store.ts";

/** Stripe: Stripe.js with its framed fields, the API, and webhooks. Facts: processors/stripe.md. */
export function stripe(context: SandboxContext): Processor {
  const handler = new CallHandler(context);
  const webhooks = new WebhookSender(handler.faults, signatureHeaders);
  const store = openStripeStore(context, webhooks);
  return {
    handler,
    webhooks,
    routes: (app) => routes(app, handler, store),
    charges: () => chargesIn(store),
    refundAtProcessor: (id, amountCents) => refundAtProcessor(store, id, amountCents),
    dispute: (id, step, amountCents) => dispute(store, id, step, amountCents),
    settle: () => {
      settleRefunds(store);
      return 0; // a captured charge needs no settlement before it can be refunded
    },
  };
}

function routes(app: FastifyInstance, handler: CallHandler, store: StripeStore): void {
  allowBrowsers(app);
  const idempotency = new Idempotency(store);
  for (const endpoint of endpoints) {
    app.route<{ Params: { id?: string } }>({
      method: endpoint.method,
      url: endpoint.path,
      handler: async (request, reply) => {
        const incoming = readRequest(endpoint, request);
        void reply.headers(answerHeaders(incoming));
        return await handler.handle(reply, incomingCall(store, idempotency, endpoint, incoming));
      },
    });
  }
  app.post("/stripe/challenge", async (request, reply) => {
    const form = parseForm(bodyText(request.body));
    const isPassed = textAt(form, "outcome") === "complete";
    try {
      finishChallenge(store, textAt(form, "client_secret") ?? "", isPassed);
    } catch (error) {
      if (!(error instanceof StripeError)) throw error; // the payment failed, and its record says so
    }
    return await reply.send({});
  });
  for (const [path, ...file] of files) serveFile(app, handler, { path, file });
}

const here = (name: string) => new URL(name, import.meta.url);
const files: [path: string, ...files: URL[]][] = [
  ["/stripe/endive/stripe.js", here("./api.js"), here("./elements.js"), here("./stripe.js")],
  ["/stripe/field", hostedFieldHtml],
  ["/stripe/field.js", hostedFieldScript, here("./api.js"), here("./field.js")],
  ["/stripe/challenge", here("./challenge.html")],
  ["/stripe/challenge.js", here("./challenge.js")],
];

function chargesIn({ charges, intents }: StripeStore): Charge[] {
  return charges.values().map(({ account, last4, object }) => ({
    id: object.payment_intent,
    account,
    reference: intents.get(object.payment_intent)?.reference ?? null,
    amountCents: cents(object.amount),
    refundedCents: cents(object.amount_refunded),
    state: object.status === "failed" ? "declined" : "captured",
    reason: object.failure_message,
    cardLast4: last4,
    at: new Date(object.created * 1_000).toISOString(),
  }));
}
