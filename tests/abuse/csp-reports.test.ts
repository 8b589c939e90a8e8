import { expect } from "vitest";
import { makeNetwork } from "#features/demo/records/networks.ts";
import { app, appTest } from "#tests/support/app-test.ts";
import { contentsOf } from "#tests/support/database-contents.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

/* Reports of content security policies: the one address where anybody may post what they like. */

const written: string[] = [];
const test = appTest({
  clock: "2026-05-10T16:00:00Z",
  logLevel: "info",
  logTo: { write: (line: string) => void written.push(line) },
  rateLimits: true,
  trustedProxies: 1,
});

const url = "/csp-reports";
const csp = "application/csp-report";
let addresses = 0;
const aNewAddress = () => `198.51.${Math.floor((addresses += 1) / 250)}.${addresses % 250}`;

async function report(
  payload: string,
  { type = csp, from = aNewAddress(), cookie = "" } = {},
): Promise<number> {
  const headers = { "content-type": type, "x-forwarded-for": from, ...(cookie && { cookie }) };
  const answer = await app.server.inject({ method: "POST", url, headers, payload });
  expect(answer.headers["set-cookie"]).toBeUndefined();
  return answer.statusCode;
}

const blocked = (more: Record<string, unknown> = {}) =>
  JSON.stringify({
    "csp-report": {
      "document-uri": "https://dues.example.test/dashboard?view=payments",
      "blocked-uri": "https://evil.example/skim.js?who=ada@example.test",
      "effective-directive": "script-src-elem",
      ...more,
    },
  });

/** What `/metrics` says now, of what has been counted at all. */
async function counted(): Promise<string[]> {
  const { body } = await app.server.inject("/metrics");
  return body.split("\n").filter((line) => /^csp_\w+\{.*\} [1-9]/.test(line));
}

const warnings = () =>
  written
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter(({ level }) => level === "warn")
    .map(({ directive, blocked: origin, page }) => [directive, origin, page]);

test("are counted by directive and page, and logged without a path, a query or a card number", async () => {
  expect(await report(blocked())).toBe(204);
  const [card, mail] = ["4242424242424242", "ada@example.test"];
  const reports = [
    ["connect-src", `https://${card}.evil.example/`, "/admin/attorneys?search=Ada"],
    [`${mail} ${card}`, `javascript:${card}`, `/dashboard/referrals#${card}`],
    ["style-src-attr", "inline", "/dashboard/"],
  ].map(([effectiveDirective, blockedURL, path]) => ({
    type: "csp-violation",
    url: `https://dues.example.test${path}`,
    user_agent: mail,
    body: { documentURL: `https://dues.example.test${path}`, blockedURL, effectiveDirective },
  }));
  expect(await report(JSON.stringify(reports), { type: "application/reports+json" })).toBe(204);
  expect(await counted()).toEqual([
    'csp_violations_total{directive="script-src-elem",page="card form"} 1',
    'csp_violations_total{directive="style-src-attr",page="card form"} 1',
    'csp_violations_total{directive="connect-src",page="other"} 1',
    'csp_violations_total{directive="other",page="other"} 1',
  ]);
  expect(warnings()).toEqual([
    ["script-src-elem", "https://evil.example", "card form"],
    ["connect-src", "hidden", "other"],
    ["other", "other", "other"],
    ["style-src-attr", "inline", "card form"],
  ]);
  expect(written.join("")).not.toMatch(/ada@|4242|skim|search=/);
});

test("of a browser's extensions are none of ours", async () => {
  const before = warnings().length;
  for (const more of [
    { "blocked-uri": "chrome-extension://abc/x.js" },
    { "source-file": "moz-extension" },
  ])
    expect(await report(blocked(more))).toBe(204);
  expect(await counted()).toContain('csp_reports_dropped_total{reason="extension"} 2');
  expect(warnings()).toHaveLength(before);
});

test("are nobody's: they change nothing, and cost a session none of its requests", async () => {
  const admin: Visitor = await signedIn(app, "admin", await makeNetwork(app.db));
  const cookie = [...admin.cookies].map((pair) => pair.join("=")).join("; ");
  const before = await contentsOf(app.connectionString);
  for (let sent = 0; sent < 20; sent += 1) expect(await report(blocked(), { cookie })).toBe(204);
  expect(await contentsOf(app.connectionString)).toEqual(before);
  const { headers } = await admin.sendRaw({ method: "GET", url: "/session" });
  expect(headers["x-ratelimit-remaining"]).toBe("599");
  const lines = written.map((line): Record<string, unknown> => JSON.parse(line));
  expect(lines.filter((line) => line["route"] === url && line["user"] !== undefined)).toEqual([]);
});

test.each([
  ["too large", blocked({ padding: "x".repeat(20_000) }), csp, 413],
  ["no JSON", "skim", csp, 400],
  ["no report", '{"csp-report":[]}', csp, 400],
  ["of names of prototypes", '{"__proto__":{"csp-report":{}}}', csp, 400],
  ["of another kind", '[{"type":"crash","body":{}}]', "application/reports+json", 400],
  ["a form", "a=1", "application/x-www-form-urlencoded", 415],
  ["JSON as calls take it", blocked(), "application/json", 415],
])("that are %s are refused", async (_, payload, type, status) => {
  expect(await report(payload, { type })).toBe(status);
});

test("are taken thirty in a minute from an address, 300 in all, and the rest is only counted", async () => {
  const before = warnings().length;
  const many = JSON.stringify(
    Array.from({ length: 60 }, () => ({ type: "csp-violation", body: {} })),
  );
  const type = "application/reports+json";
  const from = aNewAddress();
  expect(await report(many, { type, from })).toBe(204);
  expect(warnings()).toHaveLength(before + 30);
  for (let sender = 0; sender < 15; sender += 1) await report(many, { type });
  expect(warnings()).toHaveLength(300);
  const { body } = await app.server.inject("/metrics");
  expect(body.match(/^csp_violations_total\{/gm)).toHaveLength(2 * 20);
  expect(body).toMatch(/^csp_reports_dropped_total\{reason="limit"\} 6\d\d$/m);
  app.setClock("2026-05-10T16:01:00Z");
  await report(blocked(), { from });
  expect(warnings()).toHaveLength(301);
});
