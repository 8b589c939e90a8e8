import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Counting, type CsvRecord, readCsv } from "#kit/imports/csv-file.ts";
import { type Encoding, encodingOf } from "#kit/imports/file-text.ts";

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
  // Bytes from a request are read like a file on disk.
  expect(await all({ path, bytes: Buffer.from(content), encoding, countsBy })).toEqual(records);
  return records;
}

async function all(file: Parameters<typeof readCsv>[0]): Promise<CsvRecord[]> {
  const found: CsvRecord[] = [];
  for await (const record of (await readCsv(file)).records) found.push(record);
  return found;
}

const strayMark = 'A value contains a quotation mark. Write it twice: "".';
const aStray = (line: number, ...values: string[]) => ({ line, values, problem: strayMark });
const theRest = (...unread: [line: number, text: string][]) => ({
  line: unread[0]?.[0],
  values: [],
  problem: "The quotation marks do not match, here or in an earlier row, so this row was not read.",
  unread: unread.map(([line, text]) => ({ line, text })),
});
const aRecord = (line: number, ...values: string[]) => ({ line, values });

test.each([
  ["line feeds", "\n"],
  ["Windows line ends", "\r\n"],
  ["carriage returns only", "\r"],
])("records end with %s, the last one with or without", async (_, end) => {
  const lines = ["a,b", "1,2", "3,4"];
  const expected = [aRecord(1, "a", "b"), aRecord(2, "1", "2"), aRecord(3, "3", "4")];
  expect(await read(lines.join(end))).toEqual(expected);
  expect(await read(`${lines.join(end)}${end}`)).toEqual(expected);
});

test("a byte order mark is not part of the first header", async () => {
  expect(await read("\u{FEFF}a,b\r\n1,2\r\n")).toEqual([
    aRecord(1, "a", "b"),
    aRecord(2, "1", "2"),
  ]);
});

test("quoted values keep commas, quotation marks and line breaks; a record's line is its first line", async () => {
  const text = 'a,b\r\n\r\n"x\r\ny ""z""","O\'Neil, Jr."\r\n,\r\n  3 , "4" \r\n';
  expect(await read(text)).toEqual([
    aRecord(1, "a", "b"),
    aRecord(3, 'x\ny "z"', "O'Neil, Jr."),
    aRecord(6, "3", "4"),
  ]);
});

test("counted by rows, as in spreadsheets, a cell with line breaks takes one row", async () => {
  const text = 'a,b\n"x\ny\nz",1\n\n2,3\n4"5,6\n';
  expect(await read(text, "utf-8", "row")).toEqual([
    aRecord(1, "a", "b"),
    aRecord(2, "x\ny\nz", "1"),
    aRecord(4, "2", "3"),
    aStray(5, '4"5', "6"),
  ]);
});

test.each([
  ["semicolons", ";"],
  ["tabs", "\t"],
])("values may be separated by %s, detected from the first row", async (_, between) => {
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

test("a stray quotation mark spoils only its own record, whose cells are kept unchanged", async () => {
  expect(await read('a,b\nRobert "Bob",1\n2,3\n4"5,6"7\n8,9\n')).toEqual([
    aRecord(1, "a", "b"),
    aStray(2, 'Robert "Bob"', "1"),
    aRecord(3, "2", "3"),
    aStray(4, '4"5', '6"7'),
    aRecord(5, "8", "9"),
  ]);
});

test("a record with a stray mark may have several lines; later records keep their line numbers", async () => {
  const text = 'a,b\n"x\ny",Robert "Bob"\n\n,\nAnn "A",1\n2,3\n';
  expect(await read(text)).toEqual([
    aRecord(1, "a", "b"),
    aStray(2, "x\ny", 'Robert "Bob"'),
    aStray(6, 'Ann "A"', "1"),
    aRecord(7, "2", "3"),
  ]);
  const byRows = await read(text, "utf-8", "row");
  expect(byRows.map(({ line }) => line)).toEqual([1, 2, 5, 6]);
});

test.each([
  ["never closed", '3,"4\n5,6'],
  ["closed by the next one", '3,"4\n5,"6"'],
  ["followed by text", '3,"4"x\n5,6'],
])(
  "a quotation mark %s ends the reading; each remaining line is returned unchanged",
  async (_, rest) => {
    const [third = "", fourth = ""] = rest.split("\n");
    expect(await read(`a,b\n1,2\n${rest}\n\n7,8\n`)).toEqual([
      aRecord(1, "a", "b"),
      aRecord(2, "1", "2"),
      theRest([3, third], [4, fourth], [6, "7,8"]),
    ]);
    expect(await read(`a,b\n1,2\n3,"4`)).toEqual([
      aRecord(1, "a", "b"),
      aRecord(2, "1", "2"),
      theRest([3, '3,"4']),
    ]);
  },
);

test("no line is lost after an unclosed quotation mark in a long file, or a stray one before it", async () => {
  const records = await read(`a,b\n1 "x",2\n3,"4\n${"5,6\n".repeat(60_000)}`);
  expect(records.slice(0, 2)).toEqual([aRecord(1, "a", "b"), aStray(2, '1 "x"', "2")]);
  const left = records.slice(2).flatMap(({ unread = [] }) => unread);
  expect(left).toHaveLength(60_001);
  expect([left[0], left[1], left.at(-1)]).toEqual([
    { line: 3, text: '3,"4' },
    { line: 4, text: "5,6" },
    { line: 60_003, text: "5,6" },
  ]);
});

test("a record full of stray quotation marks is not read again for each one", async () => {
  const line = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  const file = `a,b\n1,2\n${line}\n`;
  await expect(read(file)).rejects.toThrow(
    "too many values contain quotation marks, the last on line 3",
  );
  const thousands = `a,b\n${'Robert "Bob" Roe,1\n'.repeat(5_000)}`;
  expect(await read(thousands)).toHaveLength(5_001);
});

test("accents survive when the file is read in pieces", async () => {
  const name = "Zoë Åsa Ñandú 王";
  const records = await read(`name\r\n${`${name}\r\n`.repeat(20_000)}`);
  expect(records).toHaveLength(20_001);
  expect(new Set(records.slice(1).map(({ values }) => values?.[0]))).toEqual(new Set([name]));
  expect(records.at(-1)?.line).toBe(20_001);
});

test("a line in another encoding is one bad record, and is read if the encoding is given", async () => {
  const file = Buffer.from(
    `name\r\n${"Anna\r\n".repeat(30_000)}Jos\u00E9 Nu\u00F1ez\r\nAnna\r\n`,
    "latin1",
  );
  const path = join(folder, "latin.csv");
  await writeFile(path, file);
  const records = await all({ path, encoding: "utf-8" });
  expect(records).toHaveLength(30_003);
  expect(records.filter(({ problem }) => problem)).toEqual([
    {
      line: 30_002,
      values: ["José Nuñez"],
      problem:
        'This row has a letter that is not UTF-8. Save the file as "CSV UTF-8". If it comes from an older Windows program, import it with --encoding windows-1252.',
    },
  ]);
  expect((await read(file, "windows-1252")).at(-2)).toEqual(aRecord(30_002, "José Nuñez"));
});

test("one bad byte spoils only its own record; all other letters are unchanged", async () => {
  const [before, after] = ["name,city\nZoë,Zürich\n", ",Malmö\nBergström,Malmö\n"];
  const file = Buffer.concat([
    Buffer.from(`${before}Bergstr`),
    Buffer.from([0xf6, 0x6d]),
    Buffer.from(after),
  ]);
  expect(encodingOf(file)).toBe("utf-8");
  expect(await all({ path: "panel.csv", bytes: file, encoding: "utf-8" })).toEqual([
    aRecord(1, "name", "city"),
    aRecord(2, "Zoë", "Zürich"),
    {
      ...aRecord(3, "Bergström", "Malmö"),
      problem: expect.stringMatching(/^This row has a letter that is not UTF-8/),
    },
    aRecord(4, "Bergström", "Malmö"),
  ]);
});

test.each([
  [
    "UTF-8 by its mark",
    Buffer.concat([Buffer.from("\u{FEFF}"), Buffer.from("Jos\u00E9", "latin1")]),
    "utf-8",
  ],
  [
    "UTF-8 by another letter",
    Buffer.concat([Buffer.from("Zoë"), Buffer.from("Jos\u00E9", "latin1")]),
    "utf-8",
  ],
  [
    "Windows-1252 with every letter so",
    Buffer.from("JOS\u00C9 Nu\u00F1ez", "latin1"),
    "windows-1252",
  ],
  [
    "Windows-1252 with letters that would be one in UTF-8",
    Buffer.from(
      "\u201cCaf\u00e9\u201d\u2014 Zo\u00eb No\u00ebl".replace(
        /[\u2014\u201c\u201d]/g,
        (sign) => ({ "\u2014": "\u0097", "\u201c": "\u0093", "\u201d": "\u0094" })[sign] ?? sign,
      ),
      "latin1",
    ),
    "windows-1252",
  ],
  [
    "UTF-8 by a Greek letter",
    Buffer.concat([Buffer.from("\u0391\u03bd\u03bd\u03b1"), Buffer.from("Jos\u00e9", "latin1")]),
    "utf-8",
  ],
  ["UTF-8 with nothing but ASCII", Buffer.from("Jose"), "utf-8"],
])("a file with a letter that is not UTF-8 is read as %s", (_, bytes, encoding) => {
  expect(encodingOf(bytes)).toBe(encoding);
});

test("a file that is not text in lines is refused with a reason", async () => {
  await expect(read("x".repeat(300_000))).rejects.toThrow("Line 1 of the file is too long");
  const none = { path: join(folder, "none.csv"), encoding: "utf-8" as const };
  await expect(readCsv(none)).rejects.toThrow("there is no such file");
  await expect(readCsv({ ...none, path: folder })).rejects.toThrow("it is not a file");
  expect(await read("")).toEqual([]);
});
