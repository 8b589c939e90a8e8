import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { bodyText, listAt, parseJson, textAt, type Tree } from "../tree.ts";
import type { Ledger, Webhook } from "./ledger.ts";
import type { Merchant } from "./wanted.ts";
import { eventTypes } from "./webhooks.ts";

type FindMerchant = (login: string, transactionKey: string) => Merchant | null;

/** The REST interface under which a merchant registers where notifications go. */
export function webhookRoutes(app: FastifyInstance, ledger: Ledger, find: FindMerchant): void {
  const { webhooks } = ledger;
  const own = (merchant: Merchant) =>
    webhooks.values().filter(({ login }) => login === merchant.login);

  app.get("/rest/v1/eventtypes", async (request, reply) => {
    if (!merchantOf(request, find)) return await unauthorized(reply);
    return eventTypes.map((name) => ({ name }));
  });

  app.get("/rest/v1/webhooks", async (request, reply) => {
    const merchant = merchantOf(request, find);
    return merchant ? own(merchant).map(shown) : await unauthorized(reply);
  });

  app.post("/rest/v1/webhooks", async (request, reply) => {
    const merchant = merchantOf(request, find);
    if (!merchant) return await unauthorized(reply);
    const wanted = read(request);
    if (!wanted) return await invalid(reply);
    const webhook = { webhookId: randomUUID(), login: merchant.login, ...wanted };
    return shown(webhooks.set(webhook.webhookId, webhook));
  });

  app.put<{ Params: { id: string } }>("/rest/v1/webhooks/:id", async (request, reply) => {
    const merchant = merchantOf(request, find);
    if (!merchant) return await unauthorized(reply);
    const found = own(merchant).find(({ webhookId }) => webhookId === request.params.id);
    if (!found) return await missing(reply);
    const wanted = read(request, found);
    return wanted ? shown(webhooks.set(found.webhookId, { ...found, ...wanted })) : invalid(reply);
  });

  app.delete<{ Params: { id: string } }>("/rest/v1/webhooks/:id", async (request, reply) => {
    const merchant = merchantOf(request, find);
    if (!merchant) return await unauthorized(reply);
    const found = own(merchant).find(({ webhookId }) => webhookId === request.params.id);
    if (!found) return await missing(reply);
    webhooks.delete(found.webhookId);
    return await reply.code(200).send();
  });
}

function merchantOf(request: FastifyRequest, find: FindMerchant): Merchant | null {
  const encoded = /^Basic (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
  const [login = "", key = ""] = Buffer.from(encoded, "base64").toString().split(":");
  return find(login, key);
}

function read(request: FastifyRequest, before?: Webhook) {
  const body: Tree = parseJson(bodyText(request.body)) ?? null;
  const url = textAt(body, "url") ?? before?.url ?? "";
  const name = textAt(body, "name") ?? before?.name ?? "";
  const wanted = listAt(body, "eventTypes").map(String);
  const types = wanted.length > 0 ? wanted : (before?.eventTypes ?? []);
  const status =
    textAt(body, "status") === "inactive" ? ("inactive" as const) : ("active" as const);
  const isKnown = types.length > 0 && types.every((type) => eventTypes.includes(type));
  // Letters, digits and underscores alone. Source: the pretix plugin.
  if (!/^https?:\/\//.test(url) || !isKnown || !/^\w*$/.test(name)) return null;
  return { name, url, eventTypes: types, status };
}

function shown({ webhookId, name, url, eventTypes: types, status }: Webhook) {
  const links = { self: { href: `/rest/v1/webhooks/${webhookId}` } };
  return { ["_links"]: links, webhookId, name, status, url, eventTypes: types };
}

async function unauthorized(reply: FastifyReply) {
  return await refuse(reply, 401, "UNAUTHORIZED", "User authentication failed.");
}

async function invalid(reply: FastifyReply) {
  return await refuse(reply, 400, "INVALID_DATA", "The name, address or event types are invalid.");
}

async function missing(reply: FastifyReply) {
  return await refuse(reply, 404, "RESOURCE_NOT_FOUND", "There is no such webhook.");
}

async function refuse(reply: FastifyReply, status: number, reason: string, message: string) {
  return await reply.code(status).send({ status, reason, message, correlationId: randomUUID() });
}
