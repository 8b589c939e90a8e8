import * as fc from "fast-check";
import { expect, test as plainTest } from "vitest";
import { jsonOf } from "#kit/http/request-json.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { app, admin, appTest, attorney, network } from "#tests/support/app-test.ts";

const test = appTest({ network: {}, attorney: {} });

const read = (text: string) => jsonOf(Buffer.from(text));

test("two amounts for one debit are refused, and no payment is recorded", async () => {
  const debit = await makeDebit(app.db, network, attorney);
  const post = (hash: string) =>
    admin.sendRaw({
      method: "POST",
      url: "/lrs_subscription_check_payments/",
      headers: { "x-csrf-token": admin.csrf, "content-type": "application/json" },
      payload: `{"payment_hash":${hash},"check_number":"1020"}`,
    });
  const reply = await post(`{"${debit}":"50.00","${debit}":"25.00"}`);
  expect([reply.status, reply.message]).toEqual([
    400,
    `The request repeats the name "${debit}" in one object.`,
  ]);
  expect(await app.db.selectFrom("payments").select("id").execute()).toEqual([]);
  expect((await post(`{"${debit}":"25.00"}`)).status).toBe(200);
});

plainTest.each([
  ["at the top", '{"a":1,"a":1}'],
  ["with others in between", '{"a":1,"b":{"a":2},"c":[{"a":3}],"a":4}'],
  ["in a list", '[1,{"b":"{"},{"a":1,"a":2}]'],
  ["deep down", `${'{"a":['.repeat(500)}{"a":1,"a":2}${"]}".repeat(500)}`],
  ["written with an escape", String.raw`{"a":1,"\u0061":2}`],
  ["written with two escapes", String.raw`{"\"":1,"\u0022":2}`],
  ["that is empty", '{"":1,"":2}'],
  ["that is special to JavaScript", '{"__proto__":1,"__proto__":2}'],
  ["after a blank", '{"a" :1,\r\n"a"\t: 2}'],
  ["after an object with it has ended", '{"b":{"a":1},"a":1,"a":2}'],
])("a repeated name is refused: %s", (_, text) => {
  expect(() => JSON.parse(text) as unknown).not.toThrow();
  expect(() => read(text)).toThrow(/^The request repeats the name ".*" in one object\.$/);
});

plainTest("a long name is shown in part", () => {
  const name = "x".repeat(1000);
  expect(() => read(`{"${name}":1,"${name}":2}`)).toThrow(`"${"x".repeat(100)}…"`);
});

plainTest.each([
  ['{"a":"a","b":"a"}'],
  ['{"a":["a","a"],"b":["a: ","a"]}'],
  [String.raw`{"a":"\"a\":1,\"a\":2","\\":"\\","b":"{\"a\":"}`],
  ['[{"a":1},{"a":1}]'],
  ['{"a":{"a":{"a":1}}}'],
  ['{"a":1,"A":2,"a ":3}'],
  ['"{"'],
])("no repeated name in %s", (text) => {
  expect(read(text)).toEqual(JSON.parse(text));
});

plainTest("any value is read as it was written, and refused with one of its names again", () => {
  const objects = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
  fc.assert(
    fc.property(objects, fc.nat(), (value, at) => {
      const text = JSON.stringify(value);
      expect(read(text)).toEqual(JSON.parse(text));
      const names = Object.keys(value);
      const again = JSON.stringify(names[at % names.length]);
      expect(() => read(`[${text.slice(0, -1)},${again}:1}]`)).toThrow(
        "The request repeats the name",
      );
    }),
  );
});

plainTest.each([
  ["one long text", `"${"x".repeat(256 * 1024)}"`],
  ["one long text of escapes", `"${String.raw`\n`.repeat(128 * 1024)}"`],
  ["objects in objects", `${'{"a":'.repeat(43_000)}1${"}".repeat(43_000)}`],
  ["many names", JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }).entries()))],
])("the largest body may be %s", (_, text) => {
  expect(() => read(text)).not.toThrow();
});
