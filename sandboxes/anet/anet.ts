import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { demoAccounts, otherAccounts } from "../accounts.ts";
import { allowBrowsers, serveFile } from "../browser.ts";
import { type CallName } from "../faults.ts";
import { type Acting, Desk, type WireAnswer } from "../desk.ts";
import type { House } from "../house.ts";
import type { Charge, Processor } from "../sandbox.ts";
import { at, bodyText, namesIn, parseJson, textAt, type Tree } from "../tree.ts";
import type { Delivery } from "../webhooks.ts";
import { answer, refusal, successful } from "./answers.ts";
import { type Ledger, openLedger, refundedCents, settle, type Transaction } from "./ledger.ts";
import { makeNonce } from "./nonces.ts";
import {
  batchTransactions,
  settledBatches,
  transactionDetails,
  unsettledList,
} from "./reporting.ts";
import { schemaFault } from "./schema.ts";
import { approved, declined } from "./test-cards.ts";
import { createTransaction } from "./transactions.ts";
import type { Counter, Merchant } from "./wanted.ts";
import { webhookRoutes } from "./webhook-routes.ts";
import { eventTypes, notify } from "./webhooks.ts";

const accounts = [demoAccounts.anet, otherAccounts.anet];

const approvedReview = { status: "capturedPendingSettlement", verdict: approved };
const declinedReview = { status: "declined", verdict: declined };

/** Authorize.Net: Accept.js, the one address of its API, and webhooks. Facts: processors/anet.md. */
export function anet(house: House): Processor {
  const desk = new Desk(house);
  const ledger = openLedger(house);
  const deliveries: Delivery[] = [];
  const tell = (event: string, transaction: Transaction) =>
    notify(
      {
        house,
        ledger,
        faults: desk.faults,
        signatureKeyOf: (login) => accountOf(login)?.signatureKey,
        delivered: (delivery) => deliveries.push(delivery),
      },
      event,
      transaction,
    );
  const counter: Counter = { house, ledger, happened: tell };
  return {
    desk,
    routes: (app) => routes(app, desk, counter),
    charges: () => chargesIn(ledger),
    settle: (failing) => settle(ledger, house, failing),
    decide: (id, decision) => {
      const held = ledger.transactions.get(id);
      if (!held?.status.startsWith("FDS")) return false;
      const decided = { ...held, ...(decision === "approve" ? approvedReview : declinedReview) };
      tell(`fraud.${decision}d`, ledger.transactions.set(id, decided));
      return true;
    },
    sendWebhooksTo: (url) => {
      const webhookId = randomUUID();
      const login = demoAccounts.anet.apiLoginId;
      ledger.webhooks.set(webhookId, {
        webhookId,
        login,
        name: "",
        url,
        eventTypes,
        status: "active",
      });
    },
    deliveries: () => [...deliveries],
    forget: () => deliveries.splice(0),
  };
}

function routes(app: FastifyInstance, desk: Desk, counter: Counter): void {
  allowBrowsers(app);
  const core = new URL("./AcceptCore.js", import.meta.url);
  const coreHash = createHash("sha256").update(readFileSync(core)).digest("hex");
  serveFile(app, desk, {
    path: "/v1/Accept.js",
    file: new URL("./Accept.js", import.meta.url),
    type: "text/javascript",
    prepare: (text) => text.replace("SHA-256 OF AcceptCore.js", coreHash),
  });
  serveFile(app, desk, {
    path: "/v1/AcceptCore.js",
    file: core,
    type: "text/javascript",
    call: "core",
  });
  app.post("/xml/v1/request.api", async (request, reply) => {
    const body = parseJson(bodyText(request.body)) ?? null;
    const [root = ""] = namesIn(body);
    const content = at(body, root) ?? null;
    await desk.receive(reply, {
      call: callOf(root, content),
      reference: textAt(content, "transactionRequest", "order", "invoiceNumber") ?? null,
      act: (acting) => answerTo(counter, root, content, acting),
      busy: () => refusal("E00053", "The server is currently too busy. Please try again later."),
      unsure: () => refusal("E00001", "An error occurred during processing. Please try again."),
    });
    return reply;
  });
  webhookRoutes(app, counter.ledger, (login, key) => {
    const account = accountOf(login);
    return account?.transactionKey === key ? merchantOf(account) : null;
  });
}

function callOf(root: string, content: Tree): CallName {
  if (root === "securePaymentContainerRequest") return "tokenise";
  if (root === "authenticateTestRequest" || root === "getMerchantDetailsRequest") return "check";
  if (root !== "createTransactionRequest") return "lookup";
  const type = textAt(content, "transactionRequest", "transactionType");
  if (type === "voidTransaction") return "void";
  return type === "refundTransaction" ? "refund" : "charge";
}

function answerTo(counter: Counter, root: string, content: Tree, acting: Acting): WireAnswer {
  const refId = textAt(content, "refId");
  if (root === "") return refusal("E00003", "Root element is missing.");
  const fault = schemaFault(root, content);
  if (fault) return refusal("E00003", fault, refId);
  const account = authenticated(root, content);
  if (!account) {
    const text = "User authentication failed due to invalid authentication values.";
    return refusal("E00007", text, refId);
  }
  const view = { ledger: counter.ledger, login: account.apiLoginId, ...acting };
  switch (root) {
    case "securePaymentContainerRequest":
      return makeNonce(counter.ledger, counter.house, account.apiLoginId, content);
    case "createTransactionRequest":
      return createTransaction(counter, merchantOf(account), content);
    case "getTransactionDetailsRequest":
      return transactionDetails(view, content);
    case "getUnsettledTransactionListRequest":
      return unsettledList(view, content);
    case "getSettledBatchListRequest":
      return settledBatches(view, content);
    case "getTransactionListRequest":
      return batchTransactions(view, content);
    case "getMerchantDetailsRequest":
      return merchantDetails(account, refId);
    case "authenticateTestRequest":
      return answer({ refId, messages: successful });
    default: // charges made through a customer profile: we make none
      return refusal("E00040", "The record cannot be found.", refId);
  }
}

/** A browser proves itself by the public client key, and may only tokenise with it. */
function authenticated(root: string, content: Tree) {
  const said = (name: string) => textAt(content, "merchantAuthentication", name);
  const account = accountOf(said("name") ?? "");
  const isBrowser = root === "securePaymentContainerRequest";
  const proof = isBrowser ? said("clientKey") : said("transactionKey");
  return proof === (isBrowser ? account?.clientKey : account?.transactionKey) ? account : undefined;
}

function accountOf(login: string) {
  return accounts.find(({ apiLoginId }) => apiLoginId === login);
}

function merchantOf(account: (typeof accounts)[number]): Merchant {
  return { login: account.apiLoginId, signatureKey: account.signatureKey };
}

function merchantDetails(
  account: (typeof accounts)[number],
  refId: string | undefined,
): WireAnswer {
  return answer({
    isTestMode: false,
    processors: [
      { name: "First Data Nashville", id: 2, cardTypes: ["V", "M", "A", "D", "J", "C"] },
    ],
    merchantName: account.apiLoginId,
    gatewayId: String(560_000 + accounts.indexOf(account)),
    marketTypes: ["eCommerce"],
    productCodes: ["CNP"],
    paymentMethods: ["Visa", "Mastercard", "AmericanExpress", "Discover", "DinersClub", "JCB"],
    currencies: ["USD"],
    publicClientKey: account.clientKey,
    refId,
    messages: successful,
  });
}

const states: Record<string, Charge["state"]> = {
  authorizedPendingCapture: "pending",
  authorizedPendingRelease: "pending",
  capturedPendingSettlement: "captured",
  settledSuccessfully: "settled",
  settlementError: "failed",
  voided: "voided",
  declined: "declined",
  FDSPendingReview: "held",
};

function chargesIn(ledger: Ledger): Charge[] {
  const charges = ledger.transactions.values().filter(({ type }) => type !== "refundTransaction");
  return charges.map((charge) => ({
    id: charge.transId,
    account: charge.login,
    reference: charge.invoiceNumber ?? null,
    amountCents: charge.amountCents,
    refundedCents: refundedCents(ledger, charge.transId),
    state: states[charge.status] ?? "failed",
    reason: charge.verdict.responseCode === "1" ? null : charge.verdict.text,
    cardLast4: charge.card.last4,
    at: new Date(charge.at).toISOString(),
  }));
}
