import { afterAll, beforeAll, expect, test } from "vitest";
import { anAppBesideSandboxes, type CardWorld } from "#tests/interface/card-records.ts";
import {
  envelopedCalls,
  goodRequest,
  type Ids,
  nameOf,
  recordsOf,
  servedCalls,
} from "#tests/interface/good-requests.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { addressOf, type Asked, signedIn, type Visitor } from "#tests/support/visitor.ts";

/*
 * Values that break programs, in every field of every call: each is either accepted or refused with a message
 * for the field; none causes a server error (the visitor fails the test at 5xx).
 */

let app: CardWorld;
let network: MadeNetwork;
let attorney: MadeAttorney;
let admin: Visitor;
let lawyer: Visitor;
let ids: Ids;

beforeAll(async () => {
  app = await anAppBesideSandboxes();
  network = await makeNetwork(app.db, { permitsMatterEditing: true });
  attorney = await makeAttorney(app.db, network);
  admin = await signedIn(app, "admin", network);
  lawyer = await signedIn(app, attorney, network);
  ids = await recordsOf(app, network, attorney);
});
afterAll(async () => await app.close());

/** As JSON texts, since JavaScript cannot express some of them. */
const hostile: string[] = [
  "null",
  "true",
  "false",
  "[]",
  "[[]]",
  "{}",
  '""',
  '" "',
  "0",
  "-0",
  "-1",
  "1.5",
  "1e2",
  "1e308",
  "1e999",
  "-1e999",
  "9007199254740993",
  "9223372036854775808",
  "9".repeat(400),
  `"${"9".repeat(400)}"`,
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\u0007"',
  '"\\u007f"',
  '"\\u0085"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u202e"',
  '"\\ufeff"',
  `"${"x".repeat(100_000)}"`,
  `"${"\\ud83d\\ude00".repeat(500)}"`,
  '"NaN"',
  '"Infinity"',
  '"1e5"',
  '"0x10"',
  '"2026-02-30"',
  '"0000-00-00"',
  '"99999-01-01"',
  '"infinity"',
  '"today"',
  '"\' or 1=1 --"',
  '"%s%n${1}{{7*7}}"',
  '"<script>alert(1)</script>"',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"toString":1}',
  '{"1":{"1":{"1":1}}}',
  '{"0":1}',
  '{"999999999999999":"1"}',
  '{"1":1e999}',
  `${"[".repeat(5_000)}${"]".repeat(5_000)}`,
  `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
];

/** In the brief form a field is sent a sixth of them, the next field another sixth. */
const share = inBriefOr(6, 1);

test("no value in any field causes a server error", async () => {
  const answered = new Set<number>();
  let turn = 0;
  for (const { endpoint, allow } of servedCalls(app)) {
    if (endpoint.method === "GET") continue;
    const caller = allow === "attorney" ? lawyer : admin;
    const good = goodRequest(endpoint, ids);
    const body = bodyOf(good);
    for (const field of Object.keys(body)) {
      turn += 1;
      for (const value of hostile.filter((_, index) => (index + turn) % share === 0)) {
        if (leavesThisMachine(field, value)) continue;
        const others = Object.entries(body).filter(([name]) => name !== field);
        const payload = `{${[
          ...others.map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one)}`),
          `${JSON.stringify(field)}:${value}`,
        ].join()}}`;
        const reply = await caller.sendRaw({
          method: endpoint.method,
          url: addressOf(endpoint.path, good),
          headers: { "x-csrf-token": caller.csrf, "content-type": "application/json" },
          payload,
        });
        const named = reply.errors.map((error) => error.path.split(".")[0]);
        const isNamed = named.some(
          (name) => name === field || refusedForOtherReasons.has(name ?? ""),
        );
        const isFine = [200, 404, 409].includes(reply.status) || (reply.status === 422 && isNamed);
        expect(
          isFine ? "" : `${nameOf(endpoint)} ${field}=${value.slice(0, 40)}: ${reply.text}`,
        ).toBe("");
        answered.add(reply.status);
      }
    }
  }
  expect(answered).toContain(422);
  expect({}.constructor.prototype).toBe(Object.prototype);
  expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
});

test("accepted values are shown again without an error", async () => {
  for (const { endpoint, allow } of envelopedCalls(app)) {
    if (endpoint.method !== "GET") continue;
    const caller = allow === "attorney" ? lawyer : admin;
    const reply = await caller.ask(endpoint, goodRequest(endpoint, ids));
    expect([nameOf(endpoint), reply.status]).toEqual([nameOf(endpoint), 200]);
  }
});

test("no search text causes a server error, and none is read as a pattern", async () => {
  await makeAttorney(app.db, network, { firstName: "Per%Cent", lastName: "Under_score\\Slash" });
  const found = async (search: string) => {
    const reply = await admin.send("GET", `/attorneys?search=${encodeURIComponent(search)}`);
    return [reply.status, (reply.object as { total: number } | null)?.total ?? null];
  };
  expect(await found("%")).toEqual([200, 1]);
  expect(await found("_")).toEqual([200, 1]);
  expect(await found("\\")).toEqual([200, 1]);
  expect(await found("r%c")).toEqual([200, 1]);
  expect(await found("'; drop table attorneys; --")).toEqual([200, 0]);
  expect(await found("a".repeat(200))).toEqual([200, 0]);
  expect(await found("a".repeat(201))).toEqual([422, null]);
  for (const text of ["\u0000", "a\u0007", "a\nb"]) expect(await found(text)).toEqual([422, null]);
  // Not UTF-8, so it cannot be searched for.
  expect((await admin.sendRaw({ method: "GET", url: "/attorneys?search=%ed%a0%80" })).status).toBe(
    400,
  );
});

/**
 * Fields that a refusal names for another reason: an unknown password, live payments in a sandbox, shares
 * that do not add up to a check's amount.
 */
const refusedForOtherReasons = new Set(["current_password", "response", "sandbox", "shares"]);

/** Outside the sandboxes, the processor itself would be asked whether the keys are valid. */
const leavesThisMachine = (field: string, value: string) =>
  field === "sandbox" && value === "false";

function bodyOf({ body }: Asked): Record<string, unknown> {
  return typeof body === "object" && body !== null && !Buffer.isBuffer(body) ? { ...body } : {};
}
