import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Counting,
  type CsvRecord,
  type Encoding,
  readCsv,
} from "#features/imports/csv-file.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "csv-file-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(
  content: string | Buffer,
  encoding: Encoding = "utf-8",
  countsBy?: Counting,
): Promise<CsvRecord[]> {
  const path = join(folder, "file.csv");
  await writeFile(path, content);
  const records = await all({ path, encoding, countsBy });
  // Bytes that came with a request are read as a file on the disk is.
  expect(await all({ path, bytes: Buffer.from(content), encoding, countsBy })).toEqual(records);
  return records;
}

async function all(file: Parameters<typeof readCsv>[0]): Promise<CsvRecord[]> {
  const found: CsvRecord[] = [];
  for await (const record of (await readCsv(file)).records) found.push(record);
  return found;
}

const aRecord = (line: number, ...values: string[]) => ({ line, values });

test.each([
  ["line feeds", "\n"],
  ["Windows line ends", "\r\n"],
  ["carriage returns alone", "\r"],
])("records end with %s, the last one with or without", async (_, end) => {
  const lines = ["a,b", "1,2", "3,4"];
  const expected = [aRecord(1, "a", "b"), aRecord(2, "1", "2"), aRecord(3, "3", "4")];
  expect(await read(lines.join(end))).toEqual(expected);
  expect(await read(`${lines.join(end)}${end}`)).toEqual(expected);
});

test("a byte order mark is no part of the first header", async () => {
  expect(await read("\u{FEFF}a,b\r\n1,2\r\n")).toEqual([
    aRecord(1, "a", "b"),
    aRecord(2, "1", "2"),
  ]);
});

test("quoted values keep commas, quotation marks and line breaks; a record's line is where it begins", async () => {
  const text = 'a,b\r\n\r\n"x\r\ny ""z""","O\'Neil, Jr."\r\n,\r\n  3 , "4" \r\n';
  expect(await read(text)).toEqual([
    aRecord(1, "a", "b"),
    aRecord(3, 'x\ny "z"', "O'Neil, Jr."),
    aRecord(6, "3", "4"),
  ]);
});

test("counted by rows, as spreadsheets do, a cell with line breaks takes one row", async () => {
  const text = 'a,b\n"x\ny\nz",1\n\n2,3\n4"5,6\n';
  expect(await read(text, "utf-8", "row")).toEqual([
    aRecord(1, "a", "b"),
    aRecord(2, "x\ny\nz", "1"),
    aRecord(4, "2", "3"),
    { line: 5, problem: 'A quotation mark stands inside a value: write it twice, "".' },
  ]);
});

test.each([
  ["semicolons", ";"],
  ["tabs", "\t"],
])("values may be separated by %s, as the first row tells", async (_, between) => {
  const lines = [
    ["a", '"b, c"', "d"],
    ["1", "", "2, 3"],
    ["", "4", ""],
  ];
  expect(await read(lines.map((values) => values.join(between)).join("\r\n"))).toEqual([
    aRecord(1, "a", "b, c", "d"),
    aRecord(2, "1", "", "2, 3"),
    aRecord(3, "", "4", ""),
  ]);
});

test("a stray quotation mark spoils its own record alone", async () => {
  expect(await read('a,b\nRobert "Bob",1\n2,3\n4"5,6"7\n8,9\n')).toEqual([
    aRecord(1, "a", "b"),
    { line: 2, problem: 'A quotation mark stands inside a value: write it twice, "".' },
    aRecord(3, "2", "3"),
    { line: 4, problem: 'A quotation mark stands inside a value: write it twice, "".' },
    aRecord(5, "8", "9"),
  ]);
});

test.each([
  ["never closed", 'a,b\n1,2\n3,"4\n5,6\n7,8\n'],
  ["closed by the next one", 'a,b\n1,2\n3,"4\n5,"6"\n7,8\n'],
  ["followed by text", 'a,b\n1,2\n3,"4"x\n5,6\n7,8\n'],
  ["never closed in a long file", `a,b\n1,2\n3,"4\n${"5,6\n".repeat(60_000)}`],
])("a quotation mark %s ends the reading there", async (_, text) => {
  expect(await read(text)).toEqual([
    aRecord(1, "a", "b"),
    aRecord(2, "1", "2"),
    {
      line: 3,
      problem: "The quotation marks do not match, so this row and all after it cannot be read.",
    },
  ]);
});

test("a record full of stray quotation marks is not read again for each of them", async () => {
  const line = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  const file = `a,b\n1,2\n${line}\n`;
  await expect(read(file)).rejects.toThrow(
    "Too many quotation marks stand inside values, the last of them on line 3 of the file",
  );
  const thousands = `a,b\n${'Robert "Bob" Roe,1\n'.repeat(5_000)}`;
  expect(await read(thousands)).toHaveLength(5_001);
});

test("accents survive where the file is read in pieces", async () => {
  const name = "Zoë Åsa Ñandú 王";
  const records = await read(`name\r\n${`${name}\r\n`.repeat(20_000)}`);
  expect(records).toHaveLength(20_001);
  expect(new Set(records.slice(1).map(({ values }) => values?.[0]))).toEqual(new Set([name]));
  expect(records.at(-1)?.line).toBe(20_001);
});

test("text in another encoding is refused with its line, and read when the encoding is named", async () => {
  const file = Buffer.from(
    `name\r\n${"Anna\r\n".repeat(30_000)}Jos\u00E9 Nu\u00F1ez\r\n`,
    "latin1",
  );
  await expect(read(file)).rejects.toThrow("Line 30002 of the file is not UTF-8 text.");
  const records = await read(file, "windows-1252");
  expect(records.at(-1)).toEqual(aRecord(30_002, "José Nuñez"));
});

test("what is no file of lines is refused in a sentence", async () => {
  await expect(read("x".repeat(300_000))).rejects.toThrow("Line 1 of the file has no end");
  const none = { path: join(folder, "none.csv"), encoding: "utf-8" as const };
  await expect(readCsv(none)).rejects.toThrow("there is no such file");
  await expect(readCsv({ ...none, path: folder })).rejects.toThrow("it is no file");
  expect(await read("")).toEqual([]);
});
