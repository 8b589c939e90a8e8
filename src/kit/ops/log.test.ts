import { expect, test } from "vitest";
import { mask, openLog, serializeError } from "#kit/ops/log.ts";
import { requestIdOf } from "#kit/http/request-id.ts";

test.each([
  ["Mail to ada@example.org bounced", "Mail to …@… bounced"],
  ["card 4111 1111 1111 1111 was refused", "card •••• was refused"],
  ["call (907) 555-0143 back", "call (•••• back"],
  ["see https://dues.example/sign-in/link#aBc-9 now", "see https://dues.example/sign-in/link now"],
  ["GET /sign-in/link%23aBc-9 failed", "GET /sign-in/link failed"],
  ["GET /attorneys?search=ada failed", "GET /attorneys failed"],
  ["Payment 8123: the processor did not answer in 25000 ms.", null],
  ["Report 12 due 2026-11-21 could not be prepared", null],
])("the log masks %j", (text, masked) => {
  expect(mask(text)).toBe(masked ?? text);
});

test("every line is JSON with its time and level", () => {
  const lines: string[] = [];
  const log = openLog("info", { write: (line) => void lines.push(line) });
  log.warn({ task: "send-mail", req: { url: "/x?y" } }, "ada@example.org\nsaid no");
  log.debug("too quiet to be heard");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    level: "warn",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    pid: process.pid,
    hostname: expect.any(String),
    task: "send-mail",
    msg: "…@…\nsaid no",
  });
});

test("a value that PostgreSQL could not read is not logged, but its code and names are", () => {
  const problem = Object.assign(new Error('invalid input syntax for type bigint: "Ada Lovelace"'), {
    code: "22P02",
    table: "attorneys",
    detail: "Key (email)=(ada@example.org) already exists.",
  });
  const serialized = serializeError(problem);
  expect(serialized).toMatchObject({ code: "22P02", table: "attorneys" });
  expect(serialized.message).toBe("invalid input syntax for type bigint: “…”");
  expect(JSON.stringify(serialized)).not.toMatch(/Ada|ada@/);
});

test("each problem of several is serialized", () => {
  const both = new AggregateError([new Error("one"), new Error("other")], "Some failed.");
  expect(serializeError(both)).toMatchObject({
    message: "Some failed.",
    causes: [{ message: "one" }, { message: "other" }],
  });
});

test.each(["0c6f-4d2a-77", "req_2026.11.21-000017"])("a request keeps its name %s", (id) => {
  expect(requestIdOf({ headers: { "x-request-id": id } })).toBe(id);
});

test.each([
  undefined,
  "",
  "short",
  "a b c d e f g",
  "x".repeat(65),
  '{"a":1,"b":2}',
  "ada@example.org",
  "line\nbreak-12",
])("a request called %j gets a new id", (id) => {
  const headers = id === undefined ? {} : { "x-request-id": id };
  expect(requestIdOf({ headers })).toMatch(/^[0-9a-f-]{36}$/);
});
