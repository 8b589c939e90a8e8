import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Endpoint } from "#kit/contract/endpoint.ts";
import { Envelope } from "#kit/contract/envelope.ts";
import { anAppBesideSandboxes, type CardWorld } from "#tests/interface/card-records.ts";
import {
  goodRequest,
  type Ids,
  nameOf,
  recordsOf,
  servedCalls,
} from "#tests/interface/good-requests.ts";
import { aDebtor } from "#tests/support/card-network.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { givePassword } from "#tests/support/passwords.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { addressOf, aVisitor, type Reply, signedIn, type Visitor } from "#tests/support/visitor.ts";

/* What every call refuses, and which refusal comes first: tested on each call of the server. */

let app: CardWorld;
let network: MadeNetwork;
let attorney: MadeAttorney;
let ids: Ids;
let admin: Visitor;
let lawyer: Visitor;
/** An attorney whose network uses Elavon, which has a call of its own. */
let elavonPayer: Visitor;

beforeAll(async () => {
  app = await anAppBesideSandboxes();
  network = await makeNetwork(app.db, { permitsMatterEditing: true });
  attorney = await makeAttorney(app.db, network);
  ids = await recordsOf(app, network, attorney);
  admin = await signedIn(app, "admin", network);
  lawyer = await signedIn(app, attorney, network);
  elavonPayer = (await aDebtor(app, "elavon")).visitor;
  await givePassword(app.db, network.admin.userId); // somebody must remain who can sign in
});
afterAll(async () => await app.close());

interface NamedRequest {
  endpoint: Endpoint;
  allow: string;
  isBare?: boolean | undefined;
  url: string;
  body: unknown;
}

function served(): NamedRequest[] {
  return servedCalls(app).map(({ endpoint, allow, isBare }) => {
    const asked = goodRequest(endpoint, ids);
    return {
      endpoint,
      allow,
      isBare,
      url: addressOf(endpoint.path, asked),
      body: asked.body ?? {},
    };
  });
}

const writes = () => served().filter(({ endpoint }) => endpoint.method !== "GET");

/** Calls with a JSON payload; the others take files. */
const jsonWrites = () => writes().filter(({ endpoint }) => !endpoint.fileMediaType);

/** Somebody who may make the call. */
function callerOf({ allow, endpoint }: NamedRequest): Visitor {
  if (endpoint.path.startsWith("/elavon/")) return elavonPayer;
  return allow === "attorney" ? lawyer : allow === "anyone" ? aVisitor(app) : admin;
}

/** What is wrong with a refusal: its status, its envelope, or the headers of every answer. */
function faultsOf(reply: Reply, status: number, called: NamedRequest): string[] {
  const name = nameOf(called.endpoint);
  const frame = Envelope.strict().safeParse(JSON.parse(reply.text)).data;
  const facts = {
    [`status ${reply.status}, not ${status}`]: reply.status === status,
    "not the envelope of a refusal": frame?.success === false && frame.object === null,
    "no sentence": /^["A-Z].*[.]$/s.test(frame?.message ?? ""),
    "not marked as JSON": reply.headers["content-type"] === "application/json; charset=utf-8",
    "no request id": /^[0-9a-f-]{36}$/.test(String(reply.headers["x-request-id"])),
  };
  const faults = Object.entries(facts).filter(([, isFine]) => !isFine);
  return faults.map(([fault]) => `${name}: ${fault}: ${reply.text.slice(0, 200)}`);
}

const json = (visitor: Visitor) => ({
  "x-csrf-token": visitor.csrf,
  "content-type": "application/json",
});

describe("every call", () => {
  test("that is not open to anyone answers 401 without sign-in, whatever else is wrong", async () => {
    for (const called of served().filter(({ allow }) => allow !== "anyone")) {
      const { method } = called.endpoint;
      const visitor = aVisitor(app);
      expect(
        faultsOf(
          await visitor.send(method, called.url, method === "GET" ? undefined : {}),
          401,
          called,
        ),
      ).toEqual([]);
      visitor.csrf = "";
      expect(
        faultsOf(await visitor.sendRaw({ method, url: called.url, payload: "{" }), 401, called),
      ).toEqual([]);
    }
  });

  test("from a page that another user opened answers 403, for reading and writing, whatever else is wrong", async () => {
    const calls = served().filter(({ allow }) => allow !== "anyone");
    for (const called of calls) {
      const { method } = called.endpoint;
      const caller = callerOf(called);
      const headers = { ...json(caller), "x-page-owner": "999999" };
      const payload = method === "GET" ? undefined : "{]";
      const reply = await caller.sendRaw({ method, url: called.url, headers, payload });
      expect(faultsOf(reply, 403, called)).toEqual([]);
      expect(reply.errors.map(({ path }) => path)).toEqual(["page_owner"]);
      const url = `${called.url}${called.url.includes("?") ? "&" : "?"}page_owner=999999`;
      const ofLink = await caller.sendRaw({ method, url, headers: json(caller), payload });
      expect([url, ofLink.message]).toEqual([url, reply.message]);
    }
    const own = { "x-page-owner": String(network.admin.userId) };
    const { status } = await admin.sendRaw({ method: "GET", url: "/overview", headers: own });
    expect(status).toBe(200);
  });

  test("that changes something needs the CSRF token from every caller, whatever else is wrong", async () => {
    for (const called of writes()) {
      for (const caller of called.allow === "anyone" ? [aVisitor(app)] : [admin, lawyer]) {
        const others = [aVisitor(app).csrf, undefined];
        for (const token of inBriefOr(others, [...others, "", "x", `${caller.csrf}x`])) {
          const headers = {
            "content-type": "application/json",
            ...(token !== undefined && { "x-csrf-token": token }),
          };
          const { method } = called.endpoint;
          const reply = await caller.sendRaw({ method, url: called.url, headers, payload: "{]" });
          expect(faultsOf(reply, 403, called)).toEqual([]);
          expect(reply.message).toMatch(/Reload/);
        }
      }
    }
  });

  test("that only reads needs no CSRF token", async () => {
    for (const called of served().filter(({ endpoint }) => endpoint.method === "GET")) {
      const reply = await callerOf(called).sendRaw({ method: "GET", url: called.url });
      const head = await callerOf(called).sendRaw({ method: "HEAD", url: called.url });
      expect([called.url, reply.status, head.status]).toEqual([called.url, 200, 200]);
    }
  });

  test("refuses a query that is not percent-encoded UTF-8", async () => {
    for (const called of served().filter(({ endpoint }) => endpoint.method === "GET")) {
      const url = `${called.url}${called.url.includes("?") ? "&" : "?"}search=%F1`;
      const reply = await callerOf(called).sendRaw({ method: "GET", url });
      expect(faultsOf(reply, 400, called)).toEqual([]);
    }
  });

  test("for administrators answers 403 to attorneys, before anything is read", async () => {
    for (const called of served().filter(({ allow }) => allow === "admin")) {
      const { method } = called.endpoint;
      const payload = method === "GET" ? undefined : "{]";
      const url = called.url.replace(/\/\d+/, "/999999");
      const reply = await lawyer.sendRaw({ method, url, headers: json(lawyer), payload });
      expect(faultsOf(reply, 403, called)).toEqual([]);
      expect(reply.message).toBe("Only an administrator may do this.");
    }
  });

  test("for attorneys answers 403 to administrators", async () => {
    for (const called of served().filter(({ allow }) => allow === "attorney")) {
      const { method } = called.endpoint;
      const payload = method === "GET" ? undefined : "{]";
      const reply = await admin.sendRaw({ method, url: called.url, headers: json(admin), payload });
      expect(faultsOf(reply, 403, called)).toEqual([]);
    }
  });

  test("answers the same with and without its trailing slash", async () => {
    for (const called of served()) {
      const { method } = called.endpoint;
      const [path = "", query] = called.url.split("?");
      const other = path.endsWith("/") ? path.slice(0, -1) : `${path}/`;
      const url = query ? `${other}?${query}` : other;
      const caller = callerOf(called);
      const bad = { a_name_that_nobody_knows: 1 };
      const reply = await caller.send(method, url, method === "GET" ? undefined : bad);
      const refusal = called.endpoint.fileMediaType ? 415 : 422;
      expect([url, reply.status]).toEqual([url, method === "GET" ? 200 : refusal]);
    }
  });
});

describe("every call with a payload", () => {
  const sendRaw = (
    called: NamedRequest,
    payload: string | Buffer,
    type = "application/json",
    more: Record<string, string> = {},
  ) => {
    const caller = callerOf(called);
    const headers = { ...json(caller), "content-type": type, ...more };
    return caller.sendRaw({ method: called.endpoint.method, url: called.url, headers, payload });
  };

  const otherTypes = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "text/html",
    "application/xml",
  ];
  const notJson = ["", "{]", '{"a":1}{"b":2}', "{", "{'a': 1}", "undefined", "NaN", "\u0000"];

  test("refuses a payload that is not JSON (400), not marked as JSON (415) or too large (413)", async () => {
    for (const called of jsonWrites()) {
      for (const payload of inBriefOr(notJson.slice(0, 3), notJson))
        expect(faultsOf(await sendRaw(called, payload), 400, called)).toEqual([]);
      for (const type of inBriefOr(["text/plain"], otherTypes))
        expect(faultsOf(await sendRaw(called, "{}", type), 415, called)).toEqual([]);
      const large = JSON.stringify({ name: "x".repeat(256 * 1024) });
      expect(faultsOf(await sendRaw(called, large), 413, called)).toEqual([]);
    }
  });

  test("refuses bytes that are not UTF-8 (400), another charset and compression (415)", async () => {
    for (const called of jsonWrites()) {
      const bytes = Buffer.from('{"surprise":"\xf1"}', "latin1");
      expect(faultsOf(await sendRaw(called, bytes), 400, called)).toEqual([]);
      const type = "application/json; charset=iso-8859-1";
      expect(faultsOf(await sendRaw(called, "{}", type), 415, called)).toEqual([]);
      const packed = { "content-encoding": "gzip" };
      const reply = await sendRaw(called, gzipSync("{}"), "application/json", packed);
      expect(faultsOf(reply, 415, called)).toEqual([]);
    }
  });

  test("refuses a name given twice (400)", async () => {
    for (const called of jsonWrites()) {
      for (const payload of ['{"a":1,"\\u0061":2}', '{"b":[{"a":1,"a":1}]}'])
        expect(faultsOf(await sendRaw(called, payload), 400, called)).toEqual([]);
    }
  });

  test("refuses JSON other than an object", async () => {
    for (const called of jsonWrites()) {
      for (const payload of inBriefOr(["[]", "5"], ["[]", "5", "[{}]", '"text"', "true"]))
        expect(faultsOf(await sendRaw(called, payload), 422, called)).toEqual([]);
    }
  });

  const unknown = [
    "surprise",
    "__proto__",
    "network_id",
    "constructor",
    "toString",
    "networkId",
    "",
  ];

  test("refuses unknown names, each by its name, also those of the object prototype", async () => {
    for (const called of jsonWrites()) {
      for (const name of inBriefOr(unknown.slice(0, 3), unknown)) {
        const body = JSON.stringify(called.body);
        const extra = `${JSON.stringify(name)}:{"x":1}`;
        const payload = body === "{}" ? `{${extra}}` : body.replace(/\}$/, `,${extra}}`);
        const reply = await sendRaw(called, payload);
        expect(faultsOf(reply, 422, called)).toEqual([]);
        expect(reply.errors.map((error) => error.path)).toEqual([name]);
      }
    }
  });

  test("names each missing field", async () => {
    for (const called of jsonWrites()) {
      const required = requiredNames(called.endpoint.body);
      if (required.length === 0) continue;
      const reply = await sendRaw(called, "{}");
      expect(faultsOf(reply, 422, called)).toEqual([]);
      const missing = required.map((name) => [name, `${spoken(name)} must be given.`]);
      expect(reply.errors.map((error) => [error.path, error.message])).toEqual(missing);
      expect(reply.message).toBe(missing[0]?.[1]);
    }
  });

  test("is refused for its shape (422) before its record is looked up (404)", async () => {
    for (const called of jsonWrites()) {
      if (!called.endpoint.path.includes(":id")) continue;
      for (const id of ["999999", "abc"]) {
        const url = called.url.replace(/\/\d+/, `/${id}`);
        const caller = callerOf(called);
        const bad = { surprise: 1 };
        expect(faultsOf(await caller.send(called.endpoint.method, url, bad), 422, called)).toEqual(
          [],
        );
        expect(
          faultsOf(await caller.send(called.endpoint.method, url, called.body), 404, called),
        ).toEqual([]);
      }
    }
  });

  test("does not answer thousands of errors with thousands of sentences", async () => {
    const many = JSON.stringify(
      Object.fromEntries(Array.from({ length: inBriefOr(2_000, 20_000) }, (_, i) => [`k${i}`, 1])),
    );
    for (const called of jsonWrites()) {
      const reply = await sendRaw(called, many);
      expect(faultsOf(reply, 422, called)).toEqual([]);
      expect(reply.errors.length).toBeLessThanOrEqual(100);
    }
  });
});

describe("every call that takes a file", () => {
  const files = () => writes().filter(({ endpoint }) => endpoint.fileMediaType);
  const sendRaw = (
    called: NamedRequest,
    payload: string,
    type: string,
    more: Record<string, string> = {},
  ) => {
    const caller = callerOf(called);
    const headers = { ...json(caller), "content-type": type, ...more };
    return caller.sendRaw({ method: called.endpoint.method, url: called.url, headers, payload });
  };

  test("refuses JSON and any other content type than its file's (415)", async () => {
    expect(files().length).toBeGreaterThan(5);
    for (const called of files()) {
      for (const type of ["application/json", "text/plain", "text/html", "multipart/form-data"])
        expect(faultsOf(await sendRaw(called, "{}", type), 415, called)).toEqual([]);
    }
  });

  test("refuses charsets that its files never have, and compression (415)", async () => {
    for (const called of files()) {
      const type = called.endpoint.fileMediaType ?? "";
      expect(faultsOf(await sendRaw(called, "a", `${type}; charset=utf-16`), 415, called)).toEqual(
        [],
      );
      const packed = { "content-encoding": "gzip" };
      expect(faultsOf(await sendRaw(called, "a", type, packed), 415, called)).toEqual([]);
    }
  });

  test("refuses a file without rows, and one without the headings it needs (422)", async () => {
    for (const called of files()) {
      const type = called.endpoint.fileMediaType ?? "";
      expect(faultsOf(await sendRaw(called, "", type), 422, called)).toEqual([]);
      const [path = ""] = called.url.split("?");
      const reply = await sendRaw({ ...called, url: path }, "a", type);
      expect(faultsOf(reply, 422, called)).toEqual([]);
      expect(reply.errors.map((error) => error.path)).toEqual(requiredNames(called.endpoint.query));
    }
  });
});

describe("every call with an id in its address", () => {
  test("answers an invalid id with 404, never with a server error", async () => {
    const all = [
      "0",
      "abc",
      "%00",
      "01",
      "9".repeat(40),
      "1%2F2",
      "-1",
      "1.5",
      "1e3",
      "%201",
      "__proto__",
      "null",
      "9".repeat(15),
      "9".repeat(300),
      "%F0%9F%92%A9",
      "%27%20or%201%3D1",
    ];
    const odd = inBriefOr(all.slice(0, 6), all);
    for (const called of served()) {
      if (!called.endpoint.path.includes(":id")) continue;
      for (const id of odd) {
        const url = called.endpoint.path.replace(":id", id);
        const { method } = called.endpoint;
        const reply = await callerOf(called).send(
          method,
          url,
          method === "GET" ? undefined : called.body,
        );
        expect(faultsOf(reply, 404, called)).toEqual([]);
      }
    }
  });
});

/** Names whose values are search texts, or that accept some of the odd values below. */
const takesAnything = new Set([
  "search",
  "q",
  "who",
  "record_type",
  "account",
  "threshold",
  "first_name",
  "last_name",
  "phone",
  "address",
  "zip",
  "amount",
  "idempotency_key",
]);

describe("every call with query parameters", () => {
  test("ignores unknown names and refuses odd values of known ones", async () => {
    const all = ["", "-1", "abc", "%00", "1&NAME=2", "0", "1.5", "1e3", "9".repeat(16)];
    const odd = inBriefOr(all.slice(0, 5), all);
    for (const called of served()) {
      const names = Object.keys(shapeOf(called.endpoint.query));
      const [path = ""] = called.url.split("?");
      if (called.endpoint.method !== "GET") continue;
      const separator = called.url.includes("?") ? "&" : "?";
      const extra = await callerOf(called).sendRaw({
        method: "GET",
        url: `${called.url}${separator}surprise=1&__proto__=2&constructor=3`,
      });
      expect([called.url, extra.status]).toEqual([called.url, 200]);
      for (const name of names.filter((known) => !takesAnything.has(known))) {
        for (const value of odd) {
          if (name === "after" && value === "0") continue; // before the first row
          const url = `${path}?${name}=${value.replace("NAME", name)}`;
          const reply = await callerOf(called).sendRaw({ method: "GET", url });
          expect(faultsOf(reply, 422, called)).toEqual([]);
          expect(reply.errors.map((error) => error.path)).toEqual([name]);
        }
      }
    }
  });

  test("that returns a list never goes past its pages", async () => {
    for (const called of served()) {
      if (!("per_page" in shapeOf(called.endpoint.query))) continue;
      const [path = ""] = called.url.split("?");
      const statusOf = async (query: string) =>
        (await callerOf(called).sendRaw({ method: "GET", url: `${path}?${query}` })).status;
      expect(await statusOf("page=1&per_page=1")).toBe(200);
      expect(await statusOf("page=1000000&per_page=200")).toBe(200);
      for (const query of ["page=0", "page=1000001", "per_page=0", "per_page=201"])
        expect([query, await statusOf(query)]).toEqual([query, 422]);
      const first = await callerOf(called).sendRaw({ method: "GET", url: path });
      // An answer with totals has the page's rows inside.
      const page = z.looseObject({ rows: z.unknown() }).safeParse(first.object).data?.rows;
      expect(page ?? first.object).toMatchObject({ page: 1, perPage: 50 });
    }
  });
});

describe("an unknown address", () => {
  test("answers 404 in the envelope, for every method, signed in or not", async () => {
    for (const visitor of [aVisitor(app), admin]) {
      for (const url of [
        "/nowhere",
        "/attorneys/1/nothing",
        "/api/nothing",
        "/lrs_subscriptions/1/x",
      ]) {
        for (const method of ["GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "TRACE"]) {
          const reply = await visitor.send(method, url);
          const frame = Envelope.strict().parse(JSON.parse(reply.text));
          expect([url, reply.status, frame]).toEqual([
            url,
            404,
            { success: false, object: null, message: "This address does not exist." },
          ]);
          expect(reply.headers["x-request-id"]).toBeDefined();
        }
      }
    }
  });

  test.each(["/%zz", "/attorneys/%", "/attorneys/%E0%A4%A", "/lrs_subscriptions/%c0%af"])(
    "written badly (%s) answers 400, with the headers of every answer",
    async (url) => {
      const reply = await admin.sendRaw({ method: "GET", url });
      expect(Envelope.strict().parse(JSON.parse(reply.text))).toMatchObject({ success: false });
      expect(reply.status).toBe(400);
      expect(reply.headers).toMatchObject({
        "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
        "x-content-type-options": "nosniff",
      });
    },
  );
});

/** The JSON Schema of a call's payload, as in the OpenAPI description. */
const schemaOf = (shape: z.ZodType) =>
  z.toJSONSchema(shape, { io: "input", unrepresentable: "any" }) as {
    required?: string[];
    properties?: Record<string, unknown>;
  };
const requiredNames = (shape: z.ZodType) => schemaOf(shape).required ?? [];
const shapeOf = (shape: z.ZodType) => schemaOf(shape).properties ?? {};
const spoken = (name: string) => {
  const words = name.replaceAll("_", " ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};
