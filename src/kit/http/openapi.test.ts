import { tablesOfRange } from "#kit/db/id-range.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { anAppBesideSandboxes, type CardWorld } from "#tests/interface/card-records.ts";
import {
  goodRequest,
  envelopedCalls,
  nameOf,
  needsPassword,
  recordsOf,
  renewedRecords,
  servedCalls,
} from "#tests/interface/good-requests.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeAdmin, makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { aDebtor } from "#tests/support/card-network.ts";
import { moneyDigest } from "#tests/support/money-digest.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { addressOf, aVisitor, signedIn } from "#tests/support/visitor.ts";

/* Outside programs rely on the description, so it is compared with real answers. */

type Schema = Record<string, unknown>;

const Content = z.partialRecord(
  z.enum([
    "application/json",
    "text/csv",
    "application/octet-stream",
    "application/pdf",
    "image/png",
  ]),
  z.object({ schema: z.record(z.string(), z.unknown()) }),
);
const Parameter = z.strictObject({
  name: z.string(),
  in: z.enum(["path", "query", "header"]),
  required: z.boolean(),
  description: z.string().optional(),
  schema: z.record(z.string(), z.unknown()),
});
const Operation = z.strictObject({
  summary: z.string().min(1),
  description: z.string(),
  parameters: z.array(Parameter),
  requestBody: z.strictObject({ required: z.boolean(), content: Content }).optional(),
  security: z.array(z.record(z.enum(["session", "csrf", "token"]), z.tuple([]).optional())),
  responses: z.record(
    z.enum(["200", "default"]),
    z.strictObject({ description: z.string(), content: Content }),
  ),
});
const Description = z.strictObject({
  openapi: z.literal("3.1.0"),
  info: z.strictObject({ title: z.string(), version: z.string() }),
  components: z.object({
    securitySchemes: z.record(z.string(), z.object({ type: z.enum(["apiKey", "http"]) })),
  }),
  paths: z.record(
    z.string().startsWith("/"),
    z.partialRecord(z.enum(["get", "post", "patch", "put", "delete"]), Operation),
  ),
});

let app: CardWorld;
let network: MadeNetwork;
let description: z.output<typeof Description>;

beforeAll(async () => {
  app = await anAppBesideSandboxes({ asOwner: true });
  // Ids of a range that is not the first (ID_RANGE) are longer than four bytes.
  for (const table of tablesOfRange)
    await app.pool.query(`alter table ${table} alter id restart with 4000000001`);
  network = await makeNetwork(app.db, { permitsMatterEditing: true });
  const { text } = await aVisitor(app).sendRaw({ method: "GET", url: "/api/openapi.json" });
  description = Description.parse(JSON.parse(text));
});
afterAll(async () => await app.close());

const operationOf = ({ method, path }: { method: string; path: string }) =>
  description.paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase() as "get"];

const matches = (schema: Schema, value: unknown) => {
  const read = z.fromJSONSchema(schema).safeParse(value);
  return read.success ? "fits" : z.prettifyError(read.error);
};

test("a body without required fields may be left out, as the description says", async () => {
  const operation = description.paths["/payflow/secure_token"]?.post;
  expect(operation?.requestBody?.required).toBe(false);
  const attorney = await signedIn(app, await makeAttorney(app.db, network), network);
  const { status } = await attorney.send("POST", "/payflow/secure_token");
  expect(status).toBe(409); // past its input: this network takes no cards
});

test("the description has every served call, with its path parameters", () => {
  for (const { endpoint } of app.server.endpoints) {
    const inPath = operationOf(endpoint)?.parameters.filter((parameter) => parameter.in === "path");
    const named = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    expect([nameOf(endpoint), inPath?.map(({ name }) => name)]).toEqual([nameOf(endpoint), named]);
    expect(inPath?.every((parameter) => parameter.required)).toBe(true);
  }
});

test("it says which calls programs may make with a token, and which take an Idempotency-Key", () => {
  for (const { endpoint, isForPrograms = false } of app.server.endpoints) {
    const { security = [], parameters = [] } = operationOf(endpoint) ?? {};
    const said = {
      forPrograms: security.some((way) => way.token !== undefined),
      keyed: parameters.some(({ name }) => name === "Idempotency-Key"),
    };
    const served = { forPrograms: isForPrograms, keyed: endpoint.movesMoney ?? false };
    expect([nameOf(endpoint), said]).toEqual([nameOf(endpoint), served]);
  }
});

test("it has every published call that this part serves", () => {
  const published = [
    "POST /attorneys/update",
    "POST /lrs_subscriptions/",
    "POST /lrs_subscriptions/:id",
    "GET /lrs_subscriptions/",
    "GET /lrs_subscription_instances",
    "POST /lrs_subscription_instances/",
    "POST /lrs_subscription_instances/:id",
    "POST /lrs_subscription_instances/subscribe_all",
    "GET /attorneys/:id",
    "POST /lrs_subscription_check_payments/",
    "POST /lrs_subscription_check_payments/confirm",
    "GET /lrs_subscription_debits/outstanding",
    "POST /lrs_subscription_debit_adjustments/",
    "GET /attorneys",
    "POST /attorneys",
    "PATCH /attorneys/:id",
    "GET /billing_runs",
    "GET /billing_runs/due_but_not_billed",
    "GET /session",
    "POST /api/auth/sign-in/email",
    "POST /api/auth/sign-out",
  ];
  expect(app.server.endpoints.map(({ endpoint }) => nameOf(endpoint))).toEqual(
    expect.arrayContaining(published),
  );
});

test("valid requests and real answers match it, and calls that move money are declared", async () => {
  const attorney = await makeAttorney(app.db, network);
  const admin = await signedIn(app, "admin", network);
  await givePassword(app.db, await makeAdmin(app.db, network)); // so that another may be removed
  const lawyer = await signedIn(app, attorney, network);
  const elavonPayer = (await aDebtor(app, "elavon")).visitor; // its processor has its own call
  const ids = await recordsOf(app, network, attorney);
  const undeclared: string[] = [];
  for (const { endpoint, allow, isBare } of servedCalls(app)) {
    if (/^\/(sign_in_links|email_changes)\//.test(endpoint.path)) continue; // no such link
    if (needsPassword(endpoint)) continue;
    const isRead = endpoint.method === "GET";
    const fresh = isRead
      ? ids
      : await renewedRecords(app, network, { owner: attorney, ids, endpoint });
    const asked = goodRequest(endpoint, fresh);
    const isElavons = endpoint.path.startsWith("/elavon/");
    const nobodys = isBare && allow === "anyone" ? aVisitor(app) : admin;
    const caller = isElavons ? elavonPayer : allow === "attorney" ? lawyer : nobodys;
    const money = endpoint.method === "POST" && (await moneyDigest(app.db, network.id));
    const reply = await caller.sendRaw(caller.requestOf(endpoint, asked));
    const isMoved = money !== false && (await moneyDigest(app.db, network.id)) !== money;
    if (isMoved && !endpoint.movesMoney) undeclared.push(nameOf(endpoint));
    const said = [nameOf(endpoint), reply.status, isBare ? null : reply.message];
    expect(said).toEqual([nameOf(endpoint), 200, null]);
    if (isBare) continue;
    const operation = operationOf(endpoint);
    const taken = operation?.requestBody?.content["application/json"]?.schema ?? {};
    const given = operation?.responses["200"]?.content["application/json"]?.schema ?? {};
    expect([
      nameOf(endpoint),
      matches(taken, asked.body ?? {}),
      matches(given, JSON.parse(reply.text)),
    ]).toEqual([nameOf(endpoint), "fits", "fits"]);
    expect(matches(given, { success: false, object: null, message: "No." })).not.toBe("fits");
  }
  expect(undeclared).toEqual([]);
});

test("refusals match it", async () => {
  for (const { endpoint, allow } of envelopedCalls(app)) {
    const refused =
      operationOf(endpoint)?.responses.default?.content["application/json"]?.schema ?? {};
    const address = addressOf(endpoint.path, { params: { id: 1 } });
    const { method } = endpoint;
    const visitor = aVisitor(app);
    const reply = await visitor.send(
      method,
      address,
      method === "GET" ? undefined : { surprise: 1 },
    );
    if (allow === "anyone" && method === "GET") continue;
    expect([nameOf(endpoint), matches(refused, JSON.parse(reply.text))]).toEqual([
      nameOf(endpoint),
      "fits",
    ]);
  }
});

test("signing in and out answer without the envelope, as it says", async () => {
  await givePassword(app.db, network.admin.userId);
  const visitor = aVisitor(app);
  for (const [path, body] of [
    ["/api/auth/sign-in/email", { email: network.admin.email, password: testPassword }],
    ["/api/auth/sign-out", {}],
  ] as const) {
    const reply = await visitor.send("POST", path, body);
    const schema = operationOf({ method: "POST", path })?.responses["200"]?.content[
      "application/json"
    ]?.schema;
    expect([path, reply.status, matches(schema ?? {}, JSON.parse(reply.text))]).toEqual([
      path,
      200,
      "fits",
    ]);
  }
});

test("it includes bounds", () => {
  const body = operationOf({ method: "POST", path: "/lrs_subscriptions/" })?.requestBody;
  expect(body?.content["application/json"]?.schema).toMatchObject({
    required: ["name", "payment_amount", "payment_frequency_in_months"],
    additionalProperties: false,
    properties: {
      name: { type: "string", minLength: 1, maxLength: 200 },
      description: { type: "string", maxLength: 2000, default: "" },
      payment_frequency_in_months: { type: "integer", minimum: 1, maximum: 120 },
    },
  });
});

test("the readable page names every call, and runs no script", async () => {
  const page = await aVisitor(app).sendRaw({ method: "GET", url: "/api/docs" });
  expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
  expect(page.text).not.toContain("<script");
  for (const { endpoint } of app.server.endpoints)
    expect(page.text).toContain(`<code>${endpoint.method}</code> <code>${endpoint.path}</code>`);
  expect((await aVisitor(app).sendRaw({ method: "GET", url: "/api/docs.css" })).status).toBe(200);
});
