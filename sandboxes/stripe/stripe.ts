import type { FastifyInstance } from "fastify";
import { cents } from "#domain/money.ts";
import { demoAccounts } from "../accounts.ts";
import { allowBrowsers, serveFile } from "../browser.ts";
import { Desk } from "../desk.ts";
import type { House } from "../house.ts";
import type { Charge, Processor } from "../sandbox.ts";
import { bodyText, textAt } from "../tree.ts";
import type { Delivery } from "../webhooks.ts";
import { type Books, newId, openBooks } from "./books.ts";
import { endpoints } from "./endpoints.ts";
import type { Herald } from "./events.ts";
import { parseForm } from "./form.ts";
import { Idempotency } from "./idempotency.ts";
import { answerChallenge } from "./payment-intents.ts";
import { ripenRefunds } from "./refunds.ts";
import { StripeRefusal } from "./refusals.ts";
import { arrivalOf, visitOf } from "./requests.ts";

/** Stripe: Stripe.js with its framed fields, the API, and webhooks. Facts: processors/stripe.md. */
export function stripe(house: House): Processor {
  const desk = new Desk(house);
  const books = openBooks(house);
  const deliveries: Delivery[] = [];
  const herald: Herald = {
    books,
    faults: desk.faults,
    delivered: (delivery) => deliveries.push(delivery),
  };
  return {
    desk,
    routes: (app) => routes(app, desk, herald),
    charges: () => chargesIn(books),
    settle: () => {
      ripenRefunds(herald);
      return 0; // a captured charge needs no settlement before it can be refunded
    },
    sendWebhooksTo: (url) => {
      const id = newId("we");
      const secret = demoAccounts.stripe.webhookSecret;
      books.endpoints.set(id, { id, account: "acct_harbor", url, secret, enabledEvents: ["*"] });
    },
    deliveries: () => [...deliveries],
    forget: () => deliveries.splice(0),
  };
}

function routes(app: FastifyInstance, desk: Desk, herald: Herald): void {
  allowBrowsers(app);
  const idempotency = new Idempotency(herald.books);
  for (const endpoint of endpoints) {
    app.route<{ Params: { id?: string } }>({
      method: endpoint.method,
      url: endpoint.path,
      handler: async (request, reply) => {
        const arrival = arrivalOf(endpoint, request);
        void reply.headers(arrival.headers);
        await desk.receive(reply, visitOf(herald, idempotency, endpoint, arrival));
        return reply;
      },
    });
  }
  app.post("/stripe/challenge", async (request, reply) => {
    const form = parseForm(bodyText(request.body));
    const isPassed = textAt(form, "outcome") === "complete";
    try {
      answerChallenge(herald, textAt(form, "client_secret") ?? "", isPassed);
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error; // the payment failed, and says so itself
    }
    return await reply.send({});
  });
  for (const path of ["/stripe/endive/stripe.js", "/stripe/v3/"]) {
    const parts = ["./elements.js", "./stripe.js"].map((file) => new URL(file, import.meta.url));
    serveFile(app, desk, { path, file: parts, type: "text/javascript", prepare: asOneScript });
  }
  for (const [path, file, type] of files) {
    serveFile(app, desk, { path, file: new URL(file, import.meta.url), type });
  }
}

/** Two modules to read, one classic script to serve: the product's page loads it with an ordinary tag. */
function asOneScript(modules: string): string {
  return `(() => {\n${modules.replaceAll(/^import .*$/gm, "").replaceAll(/^export /gm, "")}\n})();\n`;
}

const files = [
  ["/stripe/field", "./field.html", "text/html"],
  ["/stripe/field.js", "./field.js", "text/javascript"],
  ["/stripe/challenge", "./challenge.html", "text/html"],
  ["/stripe/challenge.js", "./challenge.js", "text/javascript"],
] as const;

function chargesIn({ charges, intents }: Books): Charge[] {
  return charges.values().map(({ account, last4, object }) => {
    const intent = intents.get(object.payment_intent);
    return {
      id: object.payment_intent,
      account,
      reference: intent?.reference ?? null,
      amountCents: cents(object.captured ? object.amount_captured : object.amount),
      refundedCents: cents(object.amount_refunded),
      state: stateOf(object, intent?.object.status),
      reason: object.failure_message,
      cardLast4: last4,
      at: new Date(object.created * 1_000).toISOString(),
    };
  });
}

function stateOf(
  { status, captured }: { status: string; captured: boolean },
  intentStatus: string | undefined,
): Charge["state"] {
  if (status === "failed") return "declined";
  if (captured) return "captured";
  return intentStatus === "canceled" ? "voided" : "pending";
}
