import type { FastifyInstance, FastifyRequest } from "fastify";
import { demoAccounts, otherAccounts } from "../accounts.ts";
import { allowBrowsers, serveFile } from "../browser.ts";
import { Desk, type WireAnswer } from "../desk.ts";
import type { House } from "../house.ts";
import type { Charge, Processor } from "../sandbox.ts";
import { bodyText, parseJson, textAt, type Tree } from "../tree.ts";
import { settle } from "./charges.ts";
import { type Endpoint, endpoints } from "./endpoints.ts";
import { LawPayRefusal, type Message } from "./refusals.ts";
import { type Caller, change, openVault, refundedCents, type Status, type Vault } from "./vault.ts";

const accounts = [demoAccounts.lawpay, otherAccounts.lawpay];

/** LawPay (AffiniPay): hosted fields and the payment gateway. Facts: processors/lawpay.md. */
export function lawpay(house: House): Processor {
  const desk = new Desk(house);
  const vault = openVault(house);
  return {
    desk,
    routes: (app) => {
      allowBrowsers(app);
      for (const [path, file, type] of files) {
        serveFile(app, desk, { path, file: new URL(file, import.meta.url), type });
      }
      app.get("/status", async () => ({ status: "NORMAL" }));
      for (const endpoint of endpoints) route(app, desk, vault, endpoint);
    },
    charges: () => chargesIn(vault),
    settle: (failing) => settle(vault, failing),
    decide: (id, decision) => {
      const pending = vault.transactions.get(id);
      if (pending?.status !== "PENDING") return false;
      if (decision === "approve") change(vault, pending, { status: "AUTHORIZED" });
      else change(vault, pending, { status: "FAILED", failureCode: "card_declined" });
      return true;
    },
  };
}

const files = [
  ["/hostedfields/1.5.3/fieldGen_1.5.3.js", "./fieldGen.js", "text/javascript"],
  ["/hostedfields/field", "./field.html", "text/html"],
  ["/hostedfields/field.js", "./field.js", "text/javascript"],
] as const;

function route(app: FastifyInstance, desk: Desk, vault: Vault, endpoint: Endpoint): void {
  app.route<{ Params: { id?: string } }>({
    method: endpoint.method,
    url: endpoint.path,
    handler: async (request, reply) => {
      const body = bodyOf(request);
      const query = new URLSearchParams(request.url.split("?")[1]);
      const id = request.params.id ?? "";
      await desk.receive(reply, {
        call: endpoint.call,
        reference: textAt(body ?? null, "reference") ?? (id === "" ? null : id),
        act: ({ listedUntil }) =>
          answered(endpoint.isCreating ? 201 : 200, () => {
            if (body === undefined) throw new LawPayRefusal(400, { code: "malformed_request" });
            const proof = proofOf(request) ?? textAt(body, "public_key") ?? "";
            const caller = callerBy(proof, endpoint.isPublic ?? false);
            return endpoint.run({ vault, caller, id, body, query, listedUntil });
          }),
        unsure: (acted) => processorDown(acted),
      });
      return reply;
    },
  });
}

function answered(status: 200 | 201, run: () => object): WireAnswer {
  try {
    return jsonAnswer(status, run());
  } catch (error) {
    if (!(error instanceof LawPayRefusal)) throw error;
    return refusalAnswer(error.status, error.said);
  }
}

/** The gateway's own "cannot say"; it names the transaction, if there is one. */
function processorDown(acted: WireAnswer | null): WireAnswer {
  const id = acted ? textAt(parseJson(acted.body), "id") : undefined;
  const code = "card_processor_not_available";
  return refusalAnswer(500, { code, facility: "payment_processor", entity_id: id });
}

function refusalAnswer(status: number, said: Message): WireAnswer {
  return jsonAnswer(status, { messages: [{ level: "error", facility: "gateway", ...said }] });
}

function jsonAnswer(status: number, body: object): WireAnswer {
  const headers = { "content-type": "application/json;charset=UTF-8" };
  return { status, headers, body: JSON.stringify(body) };
}

/** JSON, or a form for tokens; an empty body is an empty one. Undefined for what cannot be read. */
function bodyOf(request: FastifyRequest): Tree | undefined {
  const text = bodyText(request.body);
  if (text === "") return {};
  if (request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded")) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  return parseJson(text);
}

/** The user of Basic; the colon after it must be there. */
function proofOf(request: FastifyRequest): string | null {
  const [, value = ""] = /^Basic (.+)$/.exec(request.headers.authorization ?? "") ?? [];
  const [, user] = /^(.*):$/.exec(Buffer.from(value, "base64").toString()) ?? [];
  return user ?? null;
}

function callerBy(proof: string, isPublic: boolean): Caller {
  for (const { publicKey, secretKey, liveSecretKey, accountId, trustAccountId } of accounts) {
    const caller = { merchant: publicKey, accountId, trustAccountId };
    if (proof === secretKey) return { ...caller, mode: "TEST" };
    if (proof === liveSecretKey) return { ...caller, mode: "LIVE" };
    if (proof === publicKey && isPublic) return { ...caller, mode: "TEST" };
  }
  throw new LawPayRefusal(401, { code: "not_authorized" });
}

const states: Record<Status, Charge["state"]> = {
  PENDING: "held",
  AUTHORIZED: "captured", // captured by the daily run; for a sale this is success
  COMPLETED: "settled",
  VOIDED: "voided",
  FAILED: "declined",
};

function chargesIn(vault: Vault): Charge[] {
  const charges = vault.transactions.values().filter(({ type }) => type === "CHARGE");
  return charges.map((charge) => ({
    id: charge.id,
    account: charge.merchant,
    reference: charge.reference === "" ? null : charge.reference,
    amountCents: charge.amountCents,
    refundedCents: refundedCents(vault, charge.id),
    state: charge.failureCode === "settlement_failed" ? "failed" : stateOf(charge),
    reason: charge.failureCode ?? null,
    cardLast4: charge.card.last4,
    at: new Date(charge.createdAt).toISOString(),
  }));
}

function stateOf({ status, autoCapture }: { status: Status; autoCapture: boolean }) {
  return status === "AUTHORIZED" && !autoCapture ? "pending" : states[status];
}
