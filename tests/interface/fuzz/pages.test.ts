import * as fc from "fast-check";
import { expect } from "vitest";
import { builtWebFolder } from "#main/app.ts";
import { anyEncoded } from "#tests/interface/fuzz/hostile.ts";
import { chooseSeed } from "#tests/interface/fuzz/seed.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { anyCodePoint } from "#tests/support/any-code-point.ts";
import { rounds } from "#tests/support/rounds.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/* Addresses other than calls: pages, files, webhooks, operators' endpoints. docs/security.md */

const { seed, runs } = chooseSeed({ runs: rounds(100, 400) });

let visitors: Visitor[];

const test = appTest({ webFolder: builtWebFolder });
test.beforeAll(async () => {
  const network = await makeNetwork(app.db);
  const attorney = await makeAttorney(app.db, network);
  visitors = [
    aVisitor(app),
    await signedIn(app, attorney, network),
    await signedIn(app, "admin", network),
  ];
});

const known = fc.constantFrom(
  "",
  "/",
  "/sign-in",
  "/sign-in/link",
  "/sign-in/address",
  "/account",
  "/dashboard",
  "/receipts",
  "/admin",
  "/admin/attorneys",
  "/admin/matters",
  "/admin/reports",
  "/assets",
  "/webhooks/stripe",
  "/webhooks/anet",
  "/payflow/return",
  "/cable",
  "/healthz",
  "/readyz",
  "/metrics",
  "/api",
  "/api/docs",
  "/api/auth",
  "/api/auth/get-session",
  "/favicon.svg",
  "/.",
  "/..",
  "//",
);
const requests = fc.record({
  who: fc.integer({ min: 0, max: 2 }),
  method: fc.constantFrom("GET", "GET", "GET", "HEAD", "POST", "PUT", "OPTIONS"),
  start: known,
  parts: fc.array(anyEncoded, { maxLength: 3 }),
  query: fc.option(anyEncoded, { nil: null }),
  accept: fc.constantFrom("text/html", "application/json", "*/*"),
  type: fc.constantFrom("application/json", "application/x-www-form-urlencoded", "text/plain"),
  body: fc.oneof(
    fc.json(),
    fc.string({ unit: anyCodePoint }),
    fc.constant("RESULT=0&SECURETOKENID=a"),
  ),
});

test("no address causes a server error, serves a file outside the app, or leads off this site", async () => {
  const property = fc.asyncProperty(requests, async (wanted) => {
    const path = [wanted.start, ...wanted.parts].join("/");
    const url =
      wanted.query === null ? path : `${path}?next=${wanted.query}&RESULT=${wanted.query}`;
    const visitor = visitors[wanted.who];
    const isWrite = ["POST", "PUT"].includes(wanted.method);
    const reply = await visitor?.sendRaw({
      method: wanted.method,
      url: url.startsWith("/") ? url : `/${url}`,
      headers: { accept: wanted.accept, ...(isWrite && { "content-type": wanted.type }) },
      ...(isWrite && { payload: wanted.body }),
    });
    const place = String(reply?.headers["location"] ?? "/");
    expect(place).toMatch(/^\/(?![/\\])/);
    expect(new URL(place, "https://service.example").origin).toBe("https://service.example");
    expect(reply?.headers["x-content-type-options"]).toBe("nosniff");
    expect(String(reply?.headers["content-security-policy"])).toMatch(
      /frame-ancestors '(none|self)'/,
    );
    expect(reply?.text).not.toMatch(/"devDependencies"|root:x:|process\.env/);
  });
  await fc.assert(property, { seed, numRuns: runs, endOnFailure: true });
});
