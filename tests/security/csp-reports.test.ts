import { expect } from "vitest";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { app, appTest } from "#tests/support/app-test.ts";
import { contentsOf } from "#tests/support/database-contents.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

/* Content security policy reports: the one address where anybody may post anything. */

const logLines: string[] = [];
const test = appTest({
  clock: "2026-05-10T16:00:00Z",
  logLevel: "info",
  logTo: { write: (line: string) => void logLines.push(line) },
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

const warnings = () =>
  logLines
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter(({ msg }) => msg === "a content security policy was violated")
    .map(({ directive, blocked: origin, page }) => [directive, origin, page]);

test("are logged by directive and page, without path, query or card number", async () => {
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
  expect(warnings()).toEqual([
    ["script-src-elem", "https://evil.example", "card form"],
    ["connect-src", "hidden", "other"],
    ["other", "other", "other"],
    ["style-src-attr", "inline", "card form"],
  ]);
  expect(logLines.join("")).not.toMatch(/ada@|4242|skim|search=/);
});

test("about a browser's extensions are ignored", async () => {
  const before = warnings().length;
  for (const more of [
    { "blocked-uri": "chrome-extension://abc/x.js" },
    { "source-file": "moz-extension" },
  ])
    expect(await report(blocked(more))).toBe(204);
  expect(warnings()).toHaveLength(before);
});

test("belong to nobody: they change nothing, and do not count as a session's requests", async () => {
  const admin: Visitor = await signedIn(app, "admin", await makeNetwork(app.db));
  const cookie = [...admin.cookies].map((pair) => pair.join("=")).join("; ");
  const before = await contentsOf(app.connectionString);
  for (let sent = 0; sent < 20; sent += 1) expect(await report(blocked(), { cookie })).toBe(204);
  expect(await contentsOf(app.connectionString)).toEqual(before);
  const { headers } = await admin.sendRaw({ method: "GET", url: "/session" });
  expect(headers["x-ratelimit-remaining"]).toBe("599");
  const lines = logLines.map((line): Record<string, unknown> => JSON.parse(line));
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

test("are accepted thirty times a minute from an address, each with at most ten log lines", async () => {
  const before = warnings().length;
  const many = JSON.stringify(
    Array.from({ length: 60 }, () => ({ type: "csp-violation", body: {} })),
  );
  const type = "application/reports+json";
  const from = aNewAddress();
  for (let sent = 0; sent < 30; sent += 1) expect(await report(many, { type, from })).toBe(204);
  expect(warnings()).toHaveLength(before + 300);
  expect(await report(many, { type, from })).toBe(429);
  expect(warnings()).toHaveLength(before + 300);
  expect(await report(blocked())).toBe(204);
});
