import * as fc from "fast-check";
import { sql } from "kysely";
import { expect } from "vitest";
import { cleaned } from "#kit/domain/cleaned.ts";
import { folded } from "#kit/domain/folded.ts";
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
  ["ΠΑΠΠΆΣ", "παππασ"],
  ["Łukasz Weiß", "Lukasz Weiss"],
  ["Robert “Bob” Hale", 'Robert "Bob" Hale'],
  ["«Harbor» Law", "Harbor Law"],
  ["Zo\u00adé\u200b Lemaître", "Zoe Lemaitre"],
])("%s is the same name as %s", ([one = "", other = ""]) => {
  expect(folded(one)).toBe(folded(other));
});

test("names that differ by a letter are different", () => {
  expect(folded("Lowe-Hart")).not.toBe(folded("Lowehart"));
  expect(folded("Sorensen")).not.toBe(folded("Sorenson"));
});

const letters = (text: string) => text.split("");

const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...letters("aBøŁß&'’´`-–—−, .@\u00a0\u2003\u00ad\u200b\u2028\t\nñ\u0303İıЇйÅ1(/_"),
    ),
    fc.constantFrom(...letters("aB&'`-, .@1\u061c\u180e\u1680\u3000\ufeff")),
    fc.integer({ min: 0x20, max: 0x24f }).map((code) => String.fromCodePoint(code)),
    fc.integer({ min: 0x370, max: 0x52f }).map((code) => String.fromCodePoint(code)),
    fc.integer({ min: 0x1e00, max: 0x206f }).map((code) => String.fromCodePoint(code)),
  ),
  maxLength: 20,
});

/** What the database makes of texts by a function of one text. */
async function byDatabase(name: "folded" | "cleaned", texts: string[]): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select ${sql.raw(name)}(text) as text from unnest(${texts}::text[]) with ordinality as t (text, at)
    order by at`.execute(db);
  return rows.map(({ text }) => text);
}

test.for([
  ["folds", "folded", folded],
  ["cleans", "cleaned", cleaned],
] as const)("the database %s every text as the program does", async ([, name, twin]) => {
  const texts = fc.sample(anyText, 5000);
  const made = await byDatabase(name, texts);
  expect(texts.map((text, at) => [text, made[at]])).toEqual(
    texts.map((text) => [text, twin(text)]),
  );
});

test("a cleaned text is the same name, and needs no more cleaning", () => {
  for (const text of fc.sample(anyText, 5000)) {
    expect([text, folded(cleaned(text))]).toEqual([text, folded(text)]);
    expect([text, cleaned(cleaned(text))]).toEqual([text, cleaned(text)]);
  }
});

test("a list of names is in the order of an English reader", async () => {
  const names = ["Zimmer", "Álvarez", "Alder", "Amato", "Ångström", "Sørensen", "Strand", "Sauer"];
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) as name order by name collate people`.execute(db);
  expect(rows.map(({ name }) => name)).toEqual(
    "Alder Álvarez Amato Ångström Sauer Sørensen Strand Zimmer".split(" "),
  );
});
