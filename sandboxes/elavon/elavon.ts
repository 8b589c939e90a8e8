import type { FastifyInstance } from "fastify";
import { demoAccounts, otherAccounts } from "../accounts.ts";
import { allowBrowsers, serveFile } from "../browser.ts";
import { Desk, type WireAnswer } from "../desk.ts";
import type { CallName } from "../faults.ts";
import type { House } from "../house.ts";
import type { Charge, Processor } from "../sandbox.ts";
import { bodyText } from "../tree.ts";
import { type Batch, openBatch, returnedCents, settle, type Transaction } from "./batch.ts";
import { giveBack, takeBack } from "./changes.ts";
import { failure } from "./failures.ts";
import { query, type View } from "./query.ts";
import { makeSession, type Outcome, pay } from "./sale.ts";
import { type Fields, readTxn, txn, xmlAnswer } from "./xml.ts";

const accounts = [demoAccounts.elavon, otherAccounts.elavon];

/** Elavon Converge: Checkout.js, session tokens and the XML interface. Facts: processors/elavon.md. */
export function elavon(house: House): Processor {
  const desk = new Desk(house);
  const batch = openBatch(house);
  return {
    desk,
    routes: (app) => routes(app, desk, batch),
    charges: () => chargesIn(batch),
    settle: () => settle(batch),
  };
}

function routes(app: FastifyInstance, desk: Desk, batch: Batch): void {
  allowBrowsers(app);
  serveFile(app, desk, {
    path: "/hosted-payments/Checkout.js",
    file: new URL("./Checkout.js", import.meta.url),
    type: "text/javascript",
  });
  app.post("/hosted-payments/transaction_token", async (request, reply) => {
    const wanted = formOf(request.body);
    await desk.receive(reply, {
      call: "session",
      reference: referenceIn(wanted),
      act: () => sessionAnswer(batch, wanted),
      busy: () => textAnswer(failure("6038")),
      unsure: () => textAnswer(failure("4017")),
    });
    return reply;
  });
  // How the real script talks to its host is not published; this address is ours.
  app.post("/hosted-payments/sale", async (request, reply) => {
    const wanted = formOf(request.body);
    const session = batch.sessions.get(wanted["ssl_txn_auth_token"] ?? "");
    await desk.receive(reply, {
      call: "charge",
      reference: session ? referenceIn(session.fields) : null,
      act: () => outcomeAnswer(pay(batch, wanted)),
      busy: () =>
        outcomeAnswer({ callback: "onError", value: "The system is temporarily unavailable." }),
      unsure: () => outcomeAnswer({ callback: "onError", value: "The request has timed out." }),
    });
    return reply;
  });
  app.post("/VirtualMerchantDemo/processxml.do", async (request, reply) => {
    const wanted = readTxn(formOf(request.body)["xmldata"] ?? "");
    await desk.receive(reply, {
      call: calls[wanted?.["ssl_transaction_type"] ?? ""] ?? "lookup",
      reference: wanted?.["ssl_txn_id"] ?? null,
      act: ({ listedUntil }) => xmlAnswer(answerTo(batch, wanted, listedUntil)),
      busy: () => xmlAnswer(txn(failure("6038"))),
      unsure: () => xmlAnswer(txn(failure("4017"))),
    });
    return reply;
  });
}

const calls: Record<string, CallName> = {
  txnquery: "lookup",
  ccvoid: "void",
  ccdelete: "void",
  ccreturn: "refund",
};

const referenceIn = (fields: Fields) => fields["ssl_invoice_number"] ?? null;

function formOf(body: unknown): Fields {
  return Object.fromEntries(new URLSearchParams(bodyText(body)));
}

/** The bare token; a refusal comes with status 200 as well, except that nobody is known there. */
function sessionAnswer(batch: Batch, wanted: Fields): WireAnswer {
  if (!isKnown(wanted)) return { status: 403, body: "Forbidden" };
  if (!isAllowed(wanted)) return textAnswer(failure("4025"));
  const made = makeSession(batch, wanted);
  return "token" in made ? { status: 200, body: `${made.token}\n` } : textAnswer(made);
}

function textAnswer(fields: Fields): WireAnswer {
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  return { status: 200, body: lines.join("\r\n") };
}

function outcomeAnswer(outcome: Outcome): WireAnswer {
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(outcome),
  };
}

function answerTo(batch: Batch, wanted: Fields | null, listedUntil: number): string {
  if (!wanted) return txn(failure("6042"));
  if (!wanted["ssl_merchant_id"]) return txn(failure("4000"));
  if (!isAllowed(wanted)) return txn(failure("4025"));
  const view: View = { batch, merchantId: wanted["ssl_merchant_id"], listedUntil };
  switch (wanted["ssl_transaction_type"] ?? "") {
    case "txnquery":
      return query(view, wanted);
    case "ccvoid":
      return txn(takeBack(view, wanted, "voided"));
    case "ccdelete":
      return txn(takeBack(view, wanted, "deleted"));
    case "ccreturn":
      return txn(giveBack(view, wanted));
    default:
      return txn(failure("4010"));
  }
}

function isKnown(fields: Fields): boolean {
  return accounts.some(({ merchantId }) => merchantId === fields["ssl_merchant_id"]);
}

function isAllowed(fields: Fields): boolean {
  return accounts.some(
    ({ merchantId, userId, pin }) =>
      merchantId === fields["ssl_merchant_id"] &&
      userId === fields["ssl_user_id"] &&
      pin === fields["ssl_pin"],
  );
}

function chargesIn(batch: Batch): Charge[] {
  const sales = batch.transactions.values().filter(({ type }) => type === "SALE");
  return sales.map((sale) => ({
    id: sale.id,
    account: sale.merchantId,
    reference: referenceIn(sale.fields),
    amountCents: sale.amountCents,
    refundedCents: returnedCents(batch, sale.id),
    state: stateOf(sale),
    reason: sale.verdict.isApproved ? null : sale.verdict.message,
    cardLast4: sale.card.last4,
    at: new Date(sale.at).toISOString(),
  }));
}

function stateOf({ verdict, state }: Transaction): Charge["state"] {
  if (!verdict.isApproved) return "declined";
  if (state === "open") return verdict.failedRule ? "pending" : "captured"; // the money is only held
  return state === "settled" ? "settled" : "voided";
}
