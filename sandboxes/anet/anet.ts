import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { demoAccounts, otherAccounts } from "../accounts.ts";
import { allowBrowsers, serveFile } from "../browser.ts";
import { CallHandler, type HttpAnswer } from "../call-handler.ts";
import type { SandboxContext } from "../context.ts";
import type { CallName } from "../faults.ts";
import { at, bodyText, keysOf, parseJson, textAt, type Json } from "../json.ts";
import type { Charge, Processor } from "../sandbox.ts";
import { WebhookSender } from "../webhooks.ts";
import { answer, refusal, successful } from "./answers.ts";
import { charge } from "./charge.ts";
import { sendEvent, signatureHeaders } from "./events.ts";
import { makeNonce } from "./nonces.ts";
import {
  batchTransactions,
  settledBatches,
  transactionDetails,
  unsettledList,
} from "./reporting.ts";
import { schemaFault } from "./schema.ts";
import { type AnetRequest, type AnetStore, openAnetStore, refundedCents, settle } from "./store.ts";
import { approved, declined } from "./test-cards.ts";
import { refund, refundAtProcessor, voidCharge, voidAtProcessor } from "./void-and-refund.ts";

const accounts = [demoAccounts.anet, otherAccounts.anet];

const approvedReview = { status: "capturedPendingSettlement", outcome: approved };
const declinedReview = { status: "declined", outcome: declined };

/** Authorize.Net: Accept.js, its single API address, and webhooks. Facts: processors/anet.md. */
export function anet(context: SandboxContext): Processor {
  const handler = new CallHandler(context);
  const webhooks = new WebhookSender(handler.faults, signatureHeaders);
  const store = openAnetStore(context, webhooks);
  return {
    handler,
    webhooks,
    routes: (app) => routes(app, handler, store),
    charges: () => chargesIn(store),
    settle: (failing) => settle(store, failing),
    voidAtProcessor: (id) => voidAtProcessor(store, id),
    refundAtProcessor: (id, amountCents) => refundAtProcessor(store, id, amountCents),
    decide: (id, decision) => {
      const held = store.transactions.get(id);
      if (!held?.status.startsWith("FDS")) return false;
      const decided = { ...held, ...(decision === "approve" ? approvedReview : declinedReview) };
      sendEvent(store, `fraud.${decision}d`, store.transactions.set(id, decided));
      return true;
    },
  };
}

function routes(app: FastifyInstance, handler: CallHandler, store: AnetStore): void {
  allowBrowsers(app);
  const script = new URL("./Accept.js", import.meta.url);
  const core = new URL("./AcceptCore.js", import.meta.url);
  const coreHash = createHash("sha256").update(readFileSync(core)).digest("hex");
  const prepare = (text: string) => text.replace("SHA-256 OF AcceptCore.js", coreHash);
  serveFile(app, handler, { path: "/v1/Accept.js", file: script, prepare });
  serveFile(app, handler, { path: "/v1/AcceptCore.js", file: core, call: "core" });
  app.post("/xml/v1/request.api", async (request, reply) => {
    const body = parseJson(bodyText(request.body)) ?? null;
    const [root = ""] = keysOf(body);
    const content = at(body, root) ?? null;
    return await handler.handle(reply, {
      call: callOf(root, content),
      reference: textAt(content, "transactionRequest", "order", "invoiceNumber") ?? null,
      respond: (listedUntil) => answerTo(store, root, content, listedUntil),
      busy: () => refusal("E00053", "The server is currently too busy. Please try again later."),
      unsure: () => refusal("E00001", "An error occurred during processing. Please try again."),
    });
  });
}

function callOf(root: string, content: Json): CallName {
  if (root === "securePaymentContainerRequest") return "tokenise";
  if (root === "getMerchantDetailsRequest") return "check";
  if (root !== "createTransactionRequest") return "lookup";
  const type = textAt(content, "transactionRequest", "transactionType");
  if (type === "voidTransaction") return "void";
  return type === "refundTransaction" ? "refund" : "charge";
}

function answerTo(store: AnetStore, root: string, content: Json, listedUntil: number): HttpAnswer {
  const refId = textAt(content, "refId");
  if (root === "") return refusal("E00003", "Root element is missing.");
  const fault = schemaFault(root, content);
  if (fault) return refusal("E00003", fault, refId);
  const account = authenticated(root, content);
  if (!account) {
    const text = "User authentication failed due to invalid authentication values.";
    return refusal("E00007", text, refId);
  }
  const login = account.apiLoginId;
  const run = requests[root] ?? merchantDetails;
  return run({ store, login, refId, body: content, listedUntil });
}

const requests: Record<string, (request: AnetRequest) => HttpAnswer> = {
  securePaymentContainerRequest: makeNonce,
  createTransactionRequest: createTransaction,
  getTransactionDetailsRequest: transactionDetails,
  getUnsettledTransactionListRequest: unsettledList,
  getSettledBatchListRequest: settledBatches,
  getTransactionListRequest: batchTransactions,
};

function merchantDetails({ login, refId }: AnetRequest): HttpAnswer {
  const publicClientKey = accounts.find(({ apiLoginId }) => apiLoginId === login)?.clientKey;
  return answer({
    isTestMode: false,
    merchantName: login,
    publicClientKey,
    refId,
    messages: successful,
  });
}

const transactionTypes: Record<string, typeof charge> = {
  authCaptureTransaction: charge,
  voidTransaction: voidCharge,
  refundTransaction: refund,
};

function createTransaction({ store, login, refId, body }: AnetRequest): HttpAnswer {
  const fields = at(body, "transactionRequest");
  const run = transactionTypes[textAt(fields, "transactionType") ?? ""];
  if (!run) return refusal("E00013", "The transaction type is invalid.", refId);
  return run(store, { login, refId, fields });
}

/** A browser authenticates with the public client key, which only allows tokenising. */
function authenticated(root: string, content: Json) {
  const given = (name: string) => textAt(content, "merchantAuthentication", name);
  const account = accounts.find(({ apiLoginId }) => apiLoginId === given("name"));
  const proof = root === "securePaymentContainerRequest" ? "clientKey" : "transactionKey";
  return given(proof) === account?.[proof] ? account : undefined;
}

const states: Record<string, Charge["state"]> = {
  authorizedPendingRelease: "pending",
  capturedPendingSettlement: "captured",
  settledSuccessfully: "settled",
  settlementError: "failed",
  voided: "voided",
  declined: "declined",
  FDSPendingReview: "held",
};

function chargesIn(store: AnetStore): Charge[] {
  const charges = store.transactions.values().filter(({ type }) => type !== "refundTransaction");
  return charges.map((each) => ({
    id: each.transId,
    account: each.login,
    reference: each.invoiceNumber ?? null,
    amountCents: each.amountCents,
    refundedCents: refundedCents(store, each.transId),
    state: states[each.status] ?? "failed",
    reason: each.outcome.responseCode === "1" ? null : each.outcome.text,
    cardLast4: each.card.last4,
    at: new Date(each.at).toISOString(),
  }));
}
