import type { FastifyInstance } from "fastify";
import { demoAccounts, otherAccounts } from "../accounts.ts";
import { allowBrowsers, serveFile } from "../browser.ts";
import { CallHandler, type HttpAnswer, jsonAnswer } from "../call-handler.ts";
import type { SandboxContext } from "../context.ts";
import type { CallName } from "../faults.ts";
import { bodyText } from "../json.ts";
import type { Charge, Processor } from "../sandbox.ts";
import { errorReply } from "./errors.ts";
import { query } from "./query.ts";
import { openSession, pay } from "./sale.ts";
import {
  type ElavonStore,
  openElavonStore,
  returnedCents,
  settle,
  type Transaction,
} from "./store.ts";
import { refundAtProcessor, refundSale, voidAtProcessor, voidSale } from "./void-and-refund.ts";
import { type Fields, readTxn, txn, xmlAnswer } from "./xml.ts";

const accounts = [demoAccounts.elavon, otherAccounts.elavon];

/** Elavon Converge: Checkout.js, session tokens and the XML interface. Facts: processors/elavon.md. */
export function elavon(context: SandboxContext): Processor {
  const handler = new CallHandler(context);
  const store = openElavonStore(context);
  return {
    handler,
    routes: (app) => routes(app, handler, store),
    charges: () => chargesIn(store),
    settle: () => settle(store),
    voidAtProcessor: (id) => voidAtProcessor(store, id),
    refundAtProcessor: (id, amountCents) => refundAtProcessor(store, id, amountCents),
  };
}

function routes(app: FastifyInstance, handler: CallHandler, store: ElavonStore): void {
  allowBrowsers(app);
  const file = new URL("./Checkout.js", import.meta.url);
  serveFile(app, handler, { path: "/hosted-payments/Checkout.js", file });
  app.post("/hosted-payments/transaction_token", async (request, reply) => {
    const fields = formOf(request.body);
    return await handler.handle(reply, {
      call: "session",
      reference: referenceIn(fields),
      respond: () => sessionAnswer(store, fields),
      busy: () => textAnswer(errorReply("6038")),
      unsure: () => textAnswer(errorReply("4017")),
    });
  });
  // The real script's calls to its host are not published; this address is ours.
  app.post("/hosted-payments/sale", async (request, reply) => {
    const fields = formOf(request.body);
    const session = store.sessions.get(fields["ssl_txn_auth_token"] ?? "");
    const onError = (value: string) => jsonAnswer({ callback: "onError", value });
    return await handler.handle(reply, {
      call: "charge",
      reference: session ? referenceIn(session.fields) : null,
      respond: () => jsonAnswer(pay(store, fields)),
      busy: () => onError("The system is temporarily unavailable."),
      unsure: () => onError("The request has timed out."),
    });
  });
  app.post("/VirtualMerchantDemo/processxml.do", async (request, reply) => {
    const fields = readTxn(formOf(request.body)["xmldata"] ?? "");
    return await handler.handle(reply, {
      call: calls[fields?.["ssl_transaction_type"] ?? ""] ?? "lookup",
      reference: fields?.["ssl_txn_id"] ?? null,
      respond: (listedUntil) => xmlAnswer(answerTo(store, fields, listedUntil)),
      busy: () => xmlAnswer(txn(errorReply("6038"))),
      unsure: () => xmlAnswer(txn(errorReply("4017"))),
    });
  });
}

const calls: Record<string, CallName> = { txnquery: "lookup", ccvoid: "void", ccreturn: "refund" };

const referenceIn = (fields: Fields) => fields["ssl_invoice_number"] ?? null;

function formOf(body: unknown): Fields {
  return Object.fromEntries(new URLSearchParams(bodyText(body)));
}

/** The bare token. A refusal also has status 200, except for an unknown merchant. */
function sessionAnswer(store: ElavonStore, fields: Fields): HttpAnswer {
  if (!accounts.some(({ merchantId }) => merchantId === fields["ssl_merchant_id"]))
    return { status: 403, body: "Forbidden" };
  if (!isAllowed(fields)) return textAnswer(errorReply("4025"));
  const opened = openSession(store, fields);
  return "token" in opened ? { status: 200, body: `${opened.token}\n` } : textAnswer(opened);
}

function textAnswer(fields: Fields): HttpAnswer {
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  return { status: 200, body: lines.join("\r\n") };
}

function answerTo(store: ElavonStore, fields: Fields | null, listedUntil: number): string {
  if (!fields) return txn(errorReply("6042"));
  const { ssl_merchant_id: merchantId, ssl_transaction_type: type } = fields;
  if (!merchantId) return txn(errorReply("4000"));
  if (!isAllowed(fields)) return txn(errorReply("4025"));
  const caller = { store, merchantId, listedUntil };
  if (type === "txnquery") return query(caller, fields);
  if (type === "ccvoid") return txn(voidSale(caller, fields));
  if (type === "ccreturn") return txn(refundSale(caller, fields));
  return txn(errorReply("4010"));
}

function isAllowed(fields: Fields): boolean {
  return accounts.some(
    ({ merchantId, userId, pin }) =>
      merchantId === fields["ssl_merchant_id"] &&
      userId === fields["ssl_user_id"] &&
      pin === fields["ssl_pin"],
  );
}

function chargesIn(store: ElavonStore): Charge[] {
  const sales = store.transactions.values().filter(({ type }) => type === "SALE");
  return sales.map((sale) => ({
    id: sale.id,
    account: sale.merchantId,
    reference: referenceIn(sale.fields),
    amountCents: sale.amountCents,
    refundedCents: returnedCents(store, sale.id),
    state: stateOf(sale),
    reason: sale.outcome.isApproved ? null : sale.outcome.message,
    cardLast4: sale.card.last4,
    at: new Date(sale.at).toISOString(),
  }));
}

function stateOf({ outcome, state }: Transaction): Charge["state"] {
  if (!outcome.isApproved) return "declined";
  if (state === "open") return outcome.failedRule ? "pending" : "captured"; // the money is only held
  return state === "settled" ? "settled" : "voided";
}
