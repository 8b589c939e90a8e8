import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect } from "vitest";
import { importAttorneys } from "#people/import-attorneys.ts";
import { operator } from "#access/networks/networks.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { countingStatements } from "#tests/support/statements.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";

let folder: string;
let network: MadeNetwork;

const test = databaseTest();
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "import-attorneys-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  network = await makeNetwork(db);
});

const publicUrl = "http://localhost:3000";

async function imported(
  content: string | Buffer,
  options: { skipsBad?: boolean; encoding?: "utf-8" | "windows-1252" } = {},
  into = db,
) {
  const path = join(folder, "panel.csv");
  await writeFile(path, content);
  const file = { path, skipsBad: false, encoding: "utf-8" as const, publicUrl, ...options };
  return await importAttorneys(into, operator(network.id), file);
}

async function panel() {
  return await db
    .selectFrom("attorneys")
    .select(["firstName", "lastName", "email", "phone", "barNumber"])
    .select(["addressLine1", "addressLine2", "addressCity", "addressRegion", "addressZip"])
    .where("networkId", "=", network.id)
    .orderBy("id")
    .execute();
}

const emails = async () => (await panel()).map(({ email }) => email);

const header = "first_name,last_name,email,bar_number,address_city";

/** 2,000 rows in a Windows spreadsheet's format: quoted commas, accents, apostrophes, CRLF, BOM. */
function aRealPanel(): string {
  const lastNames = [
    "O'Brien",
    '"Smith, Jr."',
    "Nuñez",
    '"D""Angelo"',
    "García-Müller",
    "de la Cruz",
  ];
  const rows = Array.from({ length: 2000 }, (_, index) =>
    [
      ["Zoë", "José", "Siobhán", " Anna "][index % 4],
      lastNames[index % lastNames.length],
      `Attorney.${index}@Example.test`,
      `BAR-${index}`,
      `(212) 555-${String(index).padStart(4, "0")}`,
      `"${index} Main Street, Suite ${index % 9}"`,
      '"New York, NY"',
    ].join(","),
  );
  const head = "First Name,LAST NAME,E-mail,Bar Number,Phone,Address Line 1,City";
  return `\u{FEFF}${[head, ...rows].join("\r\n")}\r\n`;
}

test("2,000 attorneys of a real file are added exactly, in a few statements", async () => {
  const counting = countingStatements(db);
  const report = await imported(aRealPanel(), {}, counting.db);
  expect(counting.count()).toBeLessThan(100);
  expect(report).toEqual({
    rows: 2000,
    inserted: 2000,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    firms: 0,
    emailsAsked: 0,
    problems: [],
    ignoredHeaders: [],
    notes: [],
    isImported: true,
  });
  const attorneys = await panel();
  expect(attorneys).toHaveLength(2000);
  expect(attorneys[1]).toEqual({
    firstName: "José",
    lastName: "Smith, Jr.",
    email: "attorney.1@example.test",
    phone: "(212) 555-0001",
    barNumber: "BAR-1",
    addressLine1: "1 Main Street, Suite 1",
    addressLine2: "",
    addressCity: "New York, NY",
    addressRegion: "",
    addressZip: "",
  });
  expect(attorneys[3]).toMatchObject({ firstName: "Anna", lastName: 'D"Angelo' });
});

test("the same file again changes nothing", async () => {
  await imported(aRealPanel());
  const before = await panel();
  expect(await imported(aRealPanel())).toMatchObject({ inserted: 0, updated: 0, unchanged: 2000 });
  expect(await panel()).toEqual(before);
});

test("an attorney is matched by bar number or email and updated if something differs", async () => {
  await imported(
    `${header}\nAda,Byron,ada@x.test,B1,1\nMary,Shelley,mary@x.test,,2\nJo,March,jo@x.test,B3,3\n`,
  );
  const report = await imported(
    `${header}\nAda,Lovelace,lovelace@x.test,B1,1\nMary,Shelley,mary@x.test,B2,2\nJo,March,jo@x.test,B3,3\nEmma,Woodhouse,emma@x.test,B4,4\n`,
  );
  expect(report).toMatchObject({ inserted: 1, updated: 2, unchanged: 1, skipped: 0 });
  expect(await panel()).toMatchObject([
    { lastName: "Lovelace", email: "lovelace@x.test", barNumber: "B1" },
    { lastName: "Shelley", email: "mary@x.test", barNumber: "B2" },
    { lastName: "March", email: "jo@x.test", barNumber: "B3" },
    { lastName: "Woodhouse", email: "emma@x.test", barNumber: "B4" },
  ]);
});

test("an empty cell and a missing column change nothing", async () => {
  await imported(`${header}\nAda,Byron,ada@x.test,B1,Albany\n`);
  await imported(`${header}\nAda,Byron,ada@x.test,,\n`);
  const report = await imported("last name,first name,email\nLovelace,Ada,ada@x.test\n");
  expect(report).toMatchObject({ updated: 1 });
  expect(await panel()).toMatchObject([
    { lastName: "Lovelace", barNumber: "B1", addressCity: "Albany" },
  ]);
});

test("every bad row is reported with its line and reason, and nothing is imported", async () => {
  const report = await imported(
    [
      header,
      "Ada,Byron,ada@x.test,B1,1",
      ",Nobody,nobody@x.test,B2,2",
      "Eve,Adams,not an address,B3,3",
      "",
      '"Two\nLines",Bad,two@x.test,B4,4',
      "Too,Few",
      "Too,Many,many@x.test,B5,5,6",
      'Robert "Bob",Roe,bob@x.test,B6,6',
      `${"x".repeat(201)},,long@x.test,B7,7`,
      "Mary,Shelley,mary@x.test,B8,8",
    ].join("\r\n"),
  );
  expect(report).toMatchObject({ isImported: false, rows: 9, skipped: 7, inserted: 0 });
  expect(report.problems).toMatchObject([
    { line: 3, message: "First name must be given." },
    { line: 4, message: "Email must be an email address, such as name@example.org." },
    { line: 6, message: "First name must not contain control characters or line breaks." },
    { line: 8, message: "There are 2 values for 5 columns." },
    {
      line: 9,
      message:
        "There are 6 values for 5 columns: a value that contains a comma must be in quotation marks.",
    },
    { line: 10, message: 'A value contains a quotation mark. Write it twice: "".' },
    { line: 11, message: "First name must have at most 200 characters." },
    { line: 11, message: "Last name must be given." },
  ]);
  expect(await panel()).toEqual([]);
});

test("with bad rows skipped, the good ones are imported", async () => {
  const report = await imported(
    `${header}\nAda,Byron,ada@x.test,B1,1\n,Nobody,nobody@x.test,B2,2\nMary,Shelley,mary@x.test,B3,3\n`,
    { skipsBad: true },
  );
  expect(report).toMatchObject({ isImported: true, rows: 3, inserted: 2, skipped: 1 });
  expect(report.problems).toMatchObject([{ line: 3, message: "First name must be given." }]);
  expect(await emails()).toEqual(["ada@x.test", "mary@x.test"]);
});

test("a duplicate email address or bar number in the file is reported", async () => {
  const report = await imported(
    `${header}\nAda,Byron,ada@x.test,B1,1\nA.,Byron,ADA@X.TEST,B2,1\nMary,Shelley,mary@x.test,B1,2\nJo,March,jo@x.test,,3\nEmma,Woodhouse,emma@x.test,,4\n`,
    { skipsBad: true },
  );
  expect(report.problems).toMatchObject([
    { line: 3, message: "This email address is already on line 2." },
    { line: 4, message: "This bar number is already on line 2." },
  ]);
  expect(await emails()).toEqual(["ada@x.test", "jo@x.test", "emma@x.test"]);
});

test("a row that matches two attorneys is reported", async () => {
  await imported(
    `${header}\nAda,Byron,ada@x.test,B1,1\nMary,Shelley,mary@x.test,B2,2\nJo,March,jo@x.test,B3,3\n`,
  );
  const report = await imported(
    `${header}\nAda,Byron,mary@x.test,B1,1\nJo,March,new@x.test,B3,1\nJo,March,jo@x.test,B9,1\n`,
  );
  expect(report.problems).toMatchObject([
    { line: 2, message: "The bar number and the email address belong to different attorneys." },
    { line: 4, message: "This is the same attorney as on line 3." },
  ]);
});

test("an attorney's account gets the new name and email, but not another account's email", async () => {
  const ada = await makeAttorney(db, network, { email: "ada@y.test", barNumber: "B1" });
  const account = await makeAccount(db, network, ada);
  const other = await makeNetwork(db);
  const foreign = await makeAccount(
    db,
    other,
    await makeAttorney(db, other, { email: "eve@y.test" }),
  );
  await imported(`${header}\nAda,Lovelace,lovelace@y.test,B1,1\n`);
  const followed = db
    .selectFrom("users")
    .select(["name", "email"])
    .where("id", "=", account.userId);
  expect(await followed.executeTakeFirst()).toEqual({
    name: "Ada Lovelace",
    email: "lovelace@y.test",
  });
  const report = await imported(`${header}\nAda,Lovelace,${foreign.email},B1,1\n`);
  expect(report.problems).toMatchObject([
    { line: 2, message: "The email address belongs to another account." },
  ]);
});

test("another network's panel with the same attorneys does not change", async () => {
  const elsewhere = network;
  await imported(`${header}\nAda,Byron,ada@x.test,B1,1\n`);
  network = await makeNetwork(db);
  expect(await imported(`${header}\nAda,Lovelace,ada@x.test,B1,2\n`)).toMatchObject({
    inserted: 1,
  });
  network = elsewhere;
  expect(await panel()).toMatchObject([{ lastName: "Byron", addressCity: "1" }]);
});

test("headers may have any order and many spellings; unknown ones are listed", async () => {
  const report = await imported(
    "ZIP Code,Practice Areas,State,lastName,Street,,Email Address,Telephone,Given name\n" +
      "10001,family; tax,NY,Byron,1 Main St,,ada@x.test,555 010 4477,Ada\n",
  );
  expect(report).toMatchObject({ inserted: 1, ignoredHeaders: ["Practice Areas"] });
  expect(await panel()).toMatchObject([
    {
      firstName: "Ada",
      lastName: "Byron",
      phone: "(555) 010-4477",
      addressRegion: "NY",
      addressZip: "10001",
    },
  ]);
});

test.each<[string, string | Buffer, string]>([
  [
    "a column is missing",
    "first_name,last_name\nAda,Byron\n",
    'The file has no column headed "email".',
  ],
  [
    "unknown separators",
    "a|b|c\n1|2|3\n",
    "Columns must be separated by commas, semicolons or tabs.",
  ],
  [
    "a duplicate column",
    "first_name,last_name,email,E-Mail\n",
    'Two columns of the file contain the "email".',
  ],
  ["an empty file", "", "The file is empty"],
  ["a header never closed", 'first_name,"last_name\n', "Line 1: The quotation marks do not match"],
])("a file that cannot be read is refused with a message: %s", async (_, content, sentence) => {
  await expect(imported(content)).rejects.toThrow(sentence);
  expect(await panel()).toEqual([]);
});

test("the audit trail names each attorney added or changed, and the import as a whole", async () => {
  await imported(`${header}\nAda,Byron,ada@x.test,B1,1\nMary,Shelley,mary@x.test,B2,2\n`);
  await imported(`${header}\nAda,Lovelace,ada@x.test,B1,1\nMary,Shelley,mary@x.test,B2,2\n`);
  const entries = await db
    .selectFrom("auditEntries")
    .select(["actorName", "action", "recordId", "before", "after"])
    .where("networkId", "=", network.id)
    .orderBy("id")
    .execute();
  expect(entries.map(({ action }) => action)).toEqual([
    "added",
    "added",
    "imported",
    "changed details",
    "imported",
  ]);
  expect(entries[3]).toMatchObject({
    actorName: "Operator (command line)",
    recordId: entries[0]?.recordId,
    before: { lastName: "Byron", barNumber: "B1" },
    after: { lastName: "Lovelace", barNumber: "B1" },
  });
  expect(entries[4]?.after).toEqual({
    file: "panel.csv",
    firms: 0,
    emailsAsked: 0,
    inserted: 0,
    updated: 1,
    unchanged: 1,
    skipped: 0,
  });
});

test("two imports of one file at the same time add each attorney once", async () => {
  const rows = Array.from(
    { length: 500 },
    (_, index) => `Ada,Byron ${index},ada${index}@z.test,Z${index},`,
  );
  const content = [header, ...rows].join("\n");
  const outcomes = await Promise.allSettled([imported(content), imported(content)]);
  expect(await panel()).toHaveLength(500);
  const reasons = outcomes.flatMap((outcome) =>
    outcome.status === "rejected" ? [String(outcome.reason)] : [],
  );
  expect(reasons.filter((reason) => !reason.includes("The panel changed"))).toEqual([]);
});

test("phones, states and zips are formatted and checked like on the screen, row by row", async () => {
  const columns = "first name,last name,email,phone,state,zip";
  const bad = await imported(
    `${columns}\nAda,Byron,ada@x.test,call me,NY,10013\nMary,Shelley,mary@x.test,,Ontario,\nJo,March,jo@x.test,,,1001\n\u200b,Woodhouse,emma@x.test,,,\n`,
  );
  expect(bad.isImported).toBe(false);
  expect(bad.problems).toEqual([
    {
      line: 2,
      field: "phone",
      message: "Phone must be a US phone number, such as (555) 010-4477 or (555) 010-4477 x12.",
    },
    {
      line: 3,
      field: "address_region",
      message: "State must be a US state, such as NY or New York.",
    },
    {
      line: 4,
      field: "address_zip",
      message:
        "Zip must be a US zip, such as 10013 or 10013-2413. Excel may have dropped the zero: 01001?",
    },
    {
      line: 5,
      field: "first_name",
      message: "Enter a first name.",
    },
  ]);
  await imported(
    `${columns}\nAda,Byron,ada@x.test,+1 555.010.4477,ny,100132413\nJo,March,o&leary/2@x.test,608/555-0100;11,Puerto Rico,00601-\n`,
  );
  expect(await panel()).toMatchObject([
    { phone: "(555) 010-4477", addressRegion: "NY", addressZip: "10013-2413" },
    {
      email: "o&leary/2@x.test",
      phone: "(608) 555-0100 x11",
      addressRegion: "PR",
      addressZip: "00601",
    },
  ]);
});

test("old values that would be refused today stay if the file has no value for them", async () => {
  await imported(`${header}\nAda,Byron,ada@x.test,B1,\n`);
  await db
    .updateTable("attorneys")
    .set({ phone: "555", addressRegion: "New York" })
    .where("networkId", "=", network.id)
    .execute();
  const report = await imported("first name,last name,email,phone\nAda,Lovelace,ada@x.test,\n");
  expect(report).toMatchObject({ isImported: true, updated: 1 });
  expect(await panel()).toMatchObject([
    { lastName: "Lovelace", phone: "555", addressRegion: "New York" },
  ]);
});

const firmHeader = "first_name,last_name,email,Law firm";

async function firmsOf() {
  const rows = await db
    .selectFrom("attorneys as a")
    .leftJoin("firms as f", (on) =>
      on.onRef("f.networkId", "=", "a.networkId").onRef("f.id", "=", "a.firmId"),
    )
    .select(["a.lastName", "f.name as firm"])
    .where("a.networkId", "=", network.id)
    .orderBy("a.id")
    .execute();
  return Object.fromEntries(rows.map(({ lastName, firm }) => [lastName, firm]));
}

test("a firm is matched by name in any case, added if new, and an empty cell keeps it", async () => {
  const first = await imported(
    `${firmHeader}\nAda,Byron,ada@x.test,Hale & Finch LLP\nJo,March,jo@x.test,HALE & FINCH LLP\nMary,Shelley,mary@x.test,Núñez PC\nEve,Adams,eve@x.test,\n`,
  );
  expect(first).toMatchObject({ inserted: 4, firms: 2 });
  expect(await firmsOf()).toEqual({
    Byron: "Hale & Finch LLP",
    March: "Hale & Finch LLP",
    Shelley: "Núñez PC",
    Adams: null,
  });
  const again = await imported(
    `${firmHeader}\nAda,Byron,ada@x.test,hale & finch llp\nJo,March,jo@x.test,\nMary,Shelley,mary@x.test,Hale & Finch LLP\nEve,Adams,eve@x.test,Adams Law\n`,
  );
  expect(again).toMatchObject({ inserted: 0, updated: 2, unchanged: 2, firms: 1 });
  expect(await firmsOf()).toEqual({
    Byron: "Hale & Finch LLP",
    March: "Hale & Finch LLP",
    Shelley: "Hale & Finch LLP",
    Adams: "Adams Law",
  });
  const moved = await db
    .selectFrom("auditEntries")
    .select(["before", "after"])
    .where("networkId", "=", network.id)
    .where("action", "=", "changed details")
    .where("recordType", "=", "attorney")
    .orderBy("id")
    .execute();
  expect(moved).toMatchObject([
    { before: { firm: "Núñez PC" }, after: { firm: "Hale & Finch LLP" } },
    { before: { firm: null }, after: { firm: "Adams Law" } },
  ]);
});

test("four spellings of a name add one firm, and a fifth matches it", async () => {
  const ways = [
    "Núñez & Kay LLP",
    "Nu\u0301n\u0303ez & Kay LLP",
    "Núñez\u00a0& Kay LLP",
    "Núñez &  Kay LLP",
  ];
  const lines = ways.map((firm, at) => `A${at},B${at},a${at}@x.test,${firm}`);
  expect(await imported([firmHeader, ...lines, ""].join("\n"))).toMatchObject({ firms: 1 });
  expect(await firmsOf()).toEqual(
    Object.fromEntries(ways.map((_, at) => [`B${at}`, "Núñez & Kay LLP"])),
  );
  const again = await imported(`${firmHeader}\nJo,March,jo@x.test,NUNEZ and Kay LLP\n`);
  expect(again).toMatchObject({ inserted: 1, firms: 0 });
});

test("a file with a bad row adds no firm", async () => {
  const report = await imported(
    `${firmHeader}\nAda,Byron,no address,Hale LLP\nJo,March,jo@x.test,Hale LLP\n`,
  );
  expect(report).toMatchObject({ isImported: false, firms: 0 });
  const firms = await db
    .selectFrom("firms")
    .select("id")
    .where("networkId", "=", network.id)
    .execute();
  expect(firms).toEqual([]);
});
