import type { FastifyInstance, FastifyRequest } from "fastify";
import { demoAccounts, otherAccounts } from "../accounts.ts";
import { Desk, type WireAnswer } from "../desk.ts";
import type { CallName } from "../faults.ts";
import type { House } from "../house.ts";
import type { Charge, Processor } from "../sandbox.ts";
import { bodyText } from "../tree.ts";
import { inquire } from "./inquiry.ts";
import {
  creditedCents,
  decide,
  type Journal,
  openJournal,
  settle,
  type TransactionState,
  voidSale,
} from "./journal.ts";
import { inProgress, readLinkForm, submit, tokenNamed } from "./link.ts";
import { type Fields, readNameValue, writeNameValue } from "./name-value.ts";
import { textOf } from "./results.ts";
import { makeSecureToken } from "./secure-token.ts";
import { capture, credit, sell, voidOne } from "./transactions.ts";
import { refused } from "./wanted.ts";

const accounts = [demoAccounts.paypal_payflow_pro, otherAccounts.paypal_payflow_pro];

/** PayPal Payflow Pro: secure tokens, the form post, the name-value gateway. Facts: processors/payflow.md. */
export function payflow(house: House): Processor {
  const desk = new Desk(house);
  const journal = openJournal(house);
  return {
    desk,
    routes: (app) => routes(app, desk, journal),
    charges: () => chargesIn(journal),
    settle: (failing) => settle(journal, failing),
    decide: (id, decision) => decide(journal, id, decision),
    voidElsewhere: (id) => voidSale(journal, id),
    allowReferences: (isAllowed) => {
      journal.takesReferences = isAllowed;
    },
    forget: () => {
      journal.takesReferences = false;
    },
  };
}

function routes(app: FastifyInstance, desk: Desk, journal: Journal): void {
  const running = new Set<string>();
  app.post("/link", async (request, reply) => {
    const form = readLinkForm(bodyText(request.body));
    const token = tokenNamed(journal, form);
    if (token && running.has(token.token)) {
      await desk.receive(reply, { call: "tokenise", act: () => inProgress(token) });
      return reply;
    }
    if (token) running.add(token.token);
    const ended = () => running.delete(token?.token ?? "");
    await desk.receive(reply, {
      call: "tokenise",
      reference: token?.id ?? null,
      act: () => {
        ended();
        return submit(journal, token && tokenNamed(journal, form), form);
      },
      abandoned: ended,
    });
    return reply;
  });
  app.post("/gateway", async (request, reply) => {
    const wanted = readNameValue(bodyText(request.body));
    const arrival = { wanted, requestId: requestIdOf(request) };
    await desk.receive(reply, {
      call: callOf(wanted),
      reference: wanted?.["CUSTREF"] ?? wanted?.["SECURETOKENID"] ?? null,
      act: ({ listedUntil }) => gatewayAnswer(answerTo(journal, arrival, listedUntil)),
      busy: () => gatewayAnswer(refused(106)),
      unsure: () => gatewayAnswer(unsure(journal, arrival)),
    });
    return reply;
  });
}

interface Arrival {
  wanted: Fields | null;
  requestId: string;
}

function requestIdOf(request: FastifyRequest): string {
  const header = request.headers["x-vps-request-id"];
  return typeof header === "string" ? header : "";
}

function callOf(wanted: Fields | null): CallName {
  const calls: Record<string, CallName> = { S: "charge", I: "lookup", V: "void", C: "refund" };
  if (wanted?.["CREATESECURETOKEN"]) return "session";
  return calls[wanted?.["TRXTYPE"] ?? ""] ?? "charge";
}

/** Status 200 even for errors. */
function gatewayAnswer(fields: Fields): WireAnswer {
  const headers = { "content-type": "text/namevalue" };
  return { status: 200, headers, body: writeNameValue(fields) };
}

function answerTo(journal: Journal, { wanted, requestId }: Arrival, listedUntil: number): Fields {
  if (!wanted) return refused(7);
  if (!/^[\x21-\x7e]{1,32}$/.test(requestId)) return refused(7, "X-VPS-REQUEST-ID");
  const problem = authenticationProblem(wanted);
  if (problem) return refused(problem);
  const vendor = wanted["VENDOR"] ?? "";
  const key = `${vendor} ${requestId}`;
  const kept = journal.answers.get(key);
  if (kept) return { ...kept.fields, DUPLICATE: "1" }; // nothing is run, whatever the request now says
  const fields = run(journal, vendor, wanted, listedUntil);
  journal.answers.set(key, { fields, at: journal.house.clock.now() });
  return fields;
}

function run(journal: Journal, vendor: string, wanted: Fields, listedUntil: number): Fields {
  if (wanted["TENDER"] !== "C") return refused(2);
  if ((wanted["CURRENCY"] ?? "USD") !== "USD") return refused(6);
  if (wanted["CREATESECURETOKEN"] === "Y") return makeSecureToken(journal, vendor, wanted);
  switch (wanted["TRXTYPE"] ?? "") {
    case "S":
      return sell(journal, vendor, wanted);
    case "I":
      return inquire(journal, vendor, wanted, listedUntil);
    case "V":
      return voidOne(journal, vendor, wanted);
    case "C":
      return credit(journal, vendor, wanted);
    case "D":
      return capture(journal, vendor, wanted);
    default:
      return refused(3);
  }
}

/** RESULT 104, which says nothing, and is kept under the request id: a repeat only gets it again. */
function unsure(journal: Journal, { wanted, requestId }: Arrival): Fields {
  const fields = refused(104);
  const key = `${wanted?.["VENDOR"] ?? ""} ${requestId}`;
  journal.answers.set(key, { fields, at: journal.house.clock.now() });
  return fields;
}

/** RESULT 26, 27 or 1; null when all four are right. */
function authenticationProblem(wanted: Fields): number | null {
  const account = accounts.find(({ vendor }) => vendor === wanted["VENDOR"]);
  if (!account) return 26;
  if (account.partner !== wanted["PARTNER"]) return 27;
  return account.user === wanted["USER"] && account.password === wanted["PWD"] ? null : 1;
}

function chargesIn(journal: Journal): Charge[] {
  const sales = journal.transactions.values().filter(({ type }) => type === "S");
  return sales.map((sale) => ({
    id: sale.pnref,
    account: sale.vendor,
    reference: sale.custref === "" ? null : sale.custref,
    amountCents: sale.amountCents,
    refundedCents: creditedCents(journal, sale.pnref),
    state: sale.result === 128 ? "declined" : states[sale.state],
    reason: sale.result === 0 ? null : textOf(sale.result),
    cardLast4: sale.card.last4,
    at: new Date(sale.at).toISOString(),
  }));
}

const states: Record<TransactionState, Charge["state"]> = {
  authorized: "pending",
  pending: "captured",
  settled: "settled",
  "failed to settle": "failed",
  voided: "voided",
  held: "held",
  unclear: "held",
  refused: "declined",
};
