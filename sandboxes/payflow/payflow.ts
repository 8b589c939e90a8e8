import type { FastifyInstance } from "fastify";
import { demoAccounts, otherAccounts } from "../accounts.ts";
import { CallHandler, type HttpAnswer } from "../call-handler.ts";
import type { SandboxContext } from "../context.ts";
import type { CallName } from "../faults.ts";
import { bodyText } from "../json.ts";
import type { Charge, Processor } from "../sandbox.ts";
import { inquire } from "./inquiry.ts";
import { findToken, inProgress, readLinkForm, submit } from "./link.ts";
import { type Fields, readNameValue, writeNameValue } from "./name-value.ts";
import { refused } from "./reply-fields.ts";
import { textOf, type TransactionState } from "./results.ts";
import { createSecureToken } from "./secure-tokens.ts";
import {
  creditedCents,
  decide,
  openPayflowStore,
  type PayflowStore,
  settle,
  voidSale,
} from "./store.ts";
import { credit, creditElsewhere, sellByReference, voidTransaction } from "./transactions.ts";

const accounts = [demoAccounts.paypal_payflow_pro, otherAccounts.paypal_payflow_pro];

/** PayPal Payflow Pro: secure tokens, the form post, the name-value gateway. Facts: processors/payflow.md. */
export function payflow(context: SandboxContext): Processor {
  const handler = new CallHandler(context);
  const store = openPayflowStore(context);
  return {
    handler,
    routes: (app) => routes(app, handler, store),
    charges: () => chargesIn(store),
    settle: (failing) => settle(store, failing),
    decide: (id, decision) => decide(store, id, decision),
    voidAtProcessor: (id) => voidSale(store, id),
    refundAtProcessor: (id, amountCents) => creditElsewhere(store, id, amountCents),
    allowReferences: (isAllowed) => {
      store.allowsReferences = isAllowed;
    },
  };
}

function routes(app: FastifyInstance, handler: CallHandler, store: PayflowStore): void {
  const running = new Set<string>();
  app.post("/link", async (request, reply) => {
    const form = readLinkForm(bodyText(request.body));
    const token = findToken(store, form);
    if (token && running.has(token.token)) {
      return await handler.handle(reply, { call: "tokenise", respond: () => inProgress(token) });
    }
    if (token) running.add(token.token);
    const ended = () => running.delete(token?.token ?? "");
    return await handler.handle(reply, {
      call: "tokenise",
      reference: token?.id ?? null,
      respond: () => {
        ended();
        return submit(store, token && findToken(store, form), form);
      },
      abandoned: ended,
    });
  });
  app.post("/gateway", async (request, reply) => {
    const fields = readNameValue(bodyText(request.body));
    const requestId = String(request.headers["x-vps-request-id"] ?? "");
    return await handler.handle(reply, {
      call: callOf(fields),
      reference: fields?.["CUSTREF"] ?? fields?.["SECURETOKENID"] ?? null,
      respond: (listedUntil) => gatewayAnswer(answerTo(store, fields, requestId, listedUntil)),
      busy: () => gatewayAnswer(refused(106)),
      unsure: () => gatewayAnswer(unsure(store, fields, requestId)),
    });
  });
}

function callOf(fields: Fields | null): CallName {
  const calls: Record<string, CallName> = { S: "charge", I: "lookup", V: "void", C: "refund" };
  if (fields?.["CREATESECURETOKEN"]) return "session";
  return calls[fields?.["TRXTYPE"] ?? ""] ?? "charge";
}

/** Status 200 even for errors. */
function gatewayAnswer(fields: Fields): HttpAnswer {
  const headers = { "content-type": "text/namevalue" };
  return { status: 200, headers, body: writeNameValue(fields) };
}

function answerTo(
  store: PayflowStore,
  fields: Fields | null,
  requestId: string,
  listedUntil: number,
): Fields {
  if (!fields) return refused(7);
  if (!/^[\x21-\x7e]{1,32}$/.test(requestId)) return refused(7, "X-VPS-REQUEST-ID");
  const problem = authenticationProblem(fields);
  if (problem) return refused(problem);
  const vendor = fields["VENDOR"] ?? "";
  const stored = store.answers.get(`${vendor} ${requestId}`);
  if (stored) return { ...stored.fields, DUPLICATE: "1" }; // nothing is run, even if the request differs
  return keepAnswer(store, vendor, requestId, run(store, vendor, fields, listedUntil));
}

function keepAnswer(
  store: PayflowStore,
  vendor: string,
  requestId: string,
  fields: Fields,
): Fields {
  store.answers.set(`${vendor} ${requestId}`, { fields, at: store.context.clock.now() });
  return fields;
}

function run(store: PayflowStore, vendor: string, fields: Fields, listedUntil: number): Fields {
  if (fields["TENDER"] !== "C") return refused(2);
  if ((fields["CURRENCY"] ?? "USD") !== "USD") return refused(6);
  if (fields["CREATESECURETOKEN"] === "Y") return createSecureToken(store, vendor, fields);
  const runType = transactionTypes[fields["TRXTYPE"] ?? ""];
  return runType ? runType(store, vendor, fields, listedUntil) : refused(3);
}

const transactionTypes: Record<string, typeof inquire> = {
  S: sellByReference,
  I: inquire,
  V: voidTransaction,
  C: credit,
};

/** RESULT 104, which is inconclusive and stored under the request id: a repeat gets it again. */
function unsure(store: PayflowStore, fields: Fields | null, requestId: string): Fields {
  return keepAnswer(store, fields?.["VENDOR"] ?? "", requestId, refused(104));
}

/** RESULT 26, 27 or 1; null if all four are right. */
function authenticationProblem(fields: Fields): number | null {
  const account = accounts.find(({ vendor }) => vendor === fields["VENDOR"]);
  if (!account) return 26;
  if (account.partner !== fields["PARTNER"]) return 27;
  return account.user === fields["USER"] && account.password === fields["PWD"] ? null : 1;
}

function chargesIn(store: PayflowStore): Charge[] {
  const sales = store.transactions.values().filter(({ type }) => type === "S");
  return sales.map((sale) => ({
    id: sale.pnref,
    account: sale.vendor,
    reference: sale.custref === "" ? null : sale.custref,
    amountCents: sale.amountCents,
    refundedCents: creditedCents(store, sale.pnref),
    state: sale.result === 128 ? "declined" : states[sale.state],
    reason: sale.result === 0 ? null : textOf(sale.result),
    cardLast4: sale.card.last4,
    at: new Date(sale.at).toISOString(),
  }));
}

const states: Record<TransactionState, Charge["state"]> = {
  verified: "pending",
  pending: "captured",
  settled: "settled",
  "failed to settle": "failed",
  voided: "voided",
  held: "held",
  unclear: "held",
  refused: "declined",
};
