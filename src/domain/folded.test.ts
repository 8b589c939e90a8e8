import * as fc from "fast-check";
import { sql } from "kysely";
import { expect } from "vitest";
import { folded } from "#domain/folded.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";

const test = databaseTest({ connections: 1 });

test.for([
  ["O’Rourke", "O'Rourke"],
  ["O´Rourke", "ORourke"],
  ["Muñoz", "Munoz"],
  ["Mun\u0303oz", "MUÑOZ"],
  ["Lowe–Hart", "Lowe-Hart"],
  ["Abernathy, George", "abernathy george"],
  ["Núñez & Kay LLP", "Nun\u0303ez\u00a0and  Kay LLP"],
  ["Sørensen", "Sorensen"],
  ["Łukasz Weiß", "Lukasz Weiss"],
  ["Zo\u00adé\u200b Lemaître", "Zoe Lemaitre"],
])("%s is the same name as %s", ([one = "", other = ""]) => {
  expect(folded(one)).toBe(folded(other));
});

test("names that differ by a letter are two", () => {
  expect(folded("Lowe-Hart")).not.toBe(folded("Lowehart"));
  expect(folded("Sorensen")).not.toBe(folded("Sorenson"));
});

test("the database folds every text as the program does", async () => {
  const letters = fc.string({
    unit: fc.oneof(
      fc.constantFrom(
        ...Array.from("aBøŁß&'’´`-–—−, .@\u00a0\u2003\u00ad\u200b\u2028\t\nñ\u0303İıЇйÅ1(/_"),
      ),
      fc.integer({ min: 0x20, max: 0x24f }).map((code) => String.fromCodePoint(code)),
      fc.integer({ min: 0x370, max: 0x52f }).map((code) => String.fromCodePoint(code)),
      fc.integer({ min: 0x1e00, max: 0x206f }).map((code) => String.fromCodePoint(code)),
    ),
    maxLength: 20,
  });
  const texts = fc.sample(letters, 5000);
  const { rows } = await sql<{ folded: string }>`
    select folded(text) as folded from unnest(${texts}::text[]) with ordinality as t (text, at)
    order by at`.execute(db);
  for (const [at, { folded: byDatabase }] of rows.entries())
    expect([texts[at], byDatabase]).toEqual([texts[at], folded(texts[at] ?? "")]);
});

test("a list of names is in the order of an English reader", async () => {
  const names = ["Zimmer", "Álvarez", "Alder", "Amato", "Ångström", "Sørensen", "Strand", "Sauer"];
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) as name order by name collate people`.execute(db);
  expect(rows.map(({ name }) => name)).toEqual(
    "Alder Álvarez Amato Ångström Sauer Sørensen Strand Zimmer".split(" "),
  );
});
