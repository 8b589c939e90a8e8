import { setImmediate as nextTurn } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { cents } from "#kit/domain/money.ts";
import { Money } from "#kit/contract/fields.ts";
import { pageOf } from "#kit/contract/page.ts";
import { yieldingJson } from "#kit/http/yielding-json.ts";

const Line = z.object({
  name: z.string(),
  amount: Money,
  note: z.string().optional(),
  more: z.unknown(),
});
const Listed = pageOf(Line).extend({
  sums: z.object({ all: Money }),
  kinds: z.array(z.string()).optional(),
});

const amounts = fc.integer({ min: -1_000_000, max: 1_000_000 }).map(cents);
const lines = fc.array(
  fc.record(
    { name: fc.string(), amount: amounts, note: fc.string(), more: fc.jsonValue() },
    { requiredKeys: ["name", "amount", "more"] },
  ),
);
const pages = fc.record(
  {
    items: lines,
    total: fc.nat(),
    page: fc.nat(),
    perPage: fc.nat(),
    sums: fc.record({ all: amounts }),
    kinds: fc.array(fc.string()),
  },
  { requiredKeys: ["items", "total", "page", "perPage", "sums"] },
);

test("a value gives the same JSON as encoding it in one go, without anything that its schema does not know", async () => {
  const same = async (schema: z.ZodType, value: unknown) => {
    const text = (await yieldingJson(schema, value)).join("");
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(z.encode(schema, value))));
  };
  await fc.assert(
    fc.asyncProperty(pages, lines, async (page, list) => {
      await same(Listed, { ...page, secret: "kept" });
      await same(z.array(Line), list);
      await same(z.array(z.string()).nullable(), null);
      await same(z.object({ one: z.array(Line).nullable() }), { one: null });
    }),
  );
});

test("a value that does not match its schema is refused, in a list too", async () => {
  await expect(yieldingJson(z.array(Line), [{ name: 5 }])).rejects.toThrow(z.ZodError);
  await expect(yieldingJson(Listed, { items: [] })).rejects.toThrow(z.ZodError);
});

test("a short answer is one piece, a long one several, with other work in between", async () => {
  const line = { name: "Dues", amount: cents(100), more: null };
  expect(await yieldingJson(z.array(Line), [line, line])).toHaveLength(1);
  const long = Array.from({ length: 20_000 }, () => ({ ...line, name: "A long name ".repeat(20) }));
  let turns = 0;
  const encoding = new AbortController();
  const others = (async () => {
    for (; !encoding.signal.aborted; turns += 1) await nextTurn();
  })();
  const pieces = await yieldingJson(z.array(Line), long);
  encoding.abort();
  await others;
  expect(turns).toBeGreaterThan(2);
  expect(pieces.length).toBeGreaterThan(50);
  expect(JSON.parse(pieces.join(""))).toHaveLength(long.length);
});
