import { describe, expect } from "vitest";
import { attorneyImports } from "#people/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { matterImports } from "#referrals/matters/contract.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { signedIn } from "#tests/support/visitor.ts";

/* The columns of real files: their headings, and what a network's answers say they contain. */

const test = appTest({ clock: "2026-07-01T12:00:00Z", network: {} });

const query = { file_name: "panel.csv" };
const preview = (lines: string[], by = admin) =>
  by.call(attorneyImports.preview, { query, body: lines.join("\r\n") });
const address = (name: string) => `${name}-${network.id}@example.test`;
const say = (columns: { heading: string; holds: string }[]) =>
  admin.call(attorneyImports.columns, { body: { columns } });

describe("a file of attorneys", () => {
  test("from Outlook is read unchanged", async () => {
    const found = await preview([
      "First Name,Middle Name,Last Name,Suffix,Company,Business Street,Business Street 2,Business City,Business State,Business Postal Code,Primary Phone,Business Phone,E-mail Address",
      `José,M.,Núñez,Jr.,Hale LLP,12 Harbor Street,Suite 9,Boston,MA,02110,,212-555-0147,${address("jose")}`,
    ]);
    expect(found).toMatchObject({ added: 1, refused: 0, ignoredColumns: [], askedColumns: [] });
    expect(found.firstRows[0]?.values).toEqual({
      name: "José M. Núñez, Jr.",
      email: address("jose"),
      phone: "(212) 555-0147",
      firm: "Hale LLP",
      address: "12 Harbor Street, Suite 9, Boston, MA 02110",
    });
  });

  test("from Google or a bar's register is read unchanged", async () => {
    const found = await preview([
      "First Name,Last Name,E-mail 1 - Value,Phone 1 - Value,Organization Name,Registration Number,Street 1,Street 2,City,State,Zip Code,Zip Plus Four",
      `Maya,Okafor,${address("maya")},2125550148,Okafor LLP,4471203,1 Main Street,,Albany,NY,12207,123`,
    ]);
    expect(found).toMatchObject({ added: 1, refused: 0, ignoredColumns: [], askedColumns: [] });
    expect(found.firstRows[0]?.values).toMatchObject({
      phone: "(212) 555-0148",
      bar_number: "4471203",
      firm: "Okafor LLP",
      address: "1 Main Street, Albany, NY 12207-0123",
    });
  });

  test("shows two values of an unknown column, and saves the answer for the network", async () => {
    const lines = [
      "First name,Last name,Email,Hotline,Favourite colour",
      `Ada,Byron,${address("ada")},,blue`,
      `Jo,March,${address("jo")},2125550147,blue`,
      `Mary,Shelley,${address("mary")},2125550148,red`,
      `Zoe,Roe,${address("zoe")},2125550149,green`,
    ];
    const found = await preview(lines);
    expect(found.askedColumns).toEqual([
      { heading: "Hotline", samples: ["2125550147", "2125550148"], holds: null },
      { heading: "Favourite colour", samples: ["blue", "red"], holds: null },
    ]);
    expect(found.ignoredColumns).toEqual(["Hotline", "Favourite colour"]);
    await say([
      { heading: "Hotline", holds: "phone" },
      { heading: "Favourite colour", holds: "none" },
    ]);
    const again = await preview(lines.map((line) => line.replace("Hotline", "HOT-LINE")));
    expect(again).toMatchObject({
      added: 4,
      ignoredColumns: ["Favourite colour"],
      askedColumns: [{ heading: "HOT-LINE", holds: "phone" }, { holds: "none" }],
    });
    expect(again.firstRows[1]?.values["phone"]).toBe("(212) 555-0147");
    expect(again.digest).not.toBe(found.digest);
    const elsewhere = await signedIn(app, "admin", await makeNetwork(app.db));
    expect((await preview(lines, elsewhere)).askedColumns[0]).toMatchObject({ holds: null });
    const importing = { query: { ...query, digest: again.digest }, body: lines.join("\r\n") };
    expect((await admin.ask(attorneyImports.importing, importing)).status).toBe(409); // other bytes
    const { digest } = await preview(lines);
    const reply = await admin.ask(attorneyImports.importing, {
      query: { ...query, digest },
      body: lines.join("\r\n"),
    });
    expect(reply.object).toMatchObject({ added: 4 });
  });

  test("is imported only as previewed: not after an answer about a column has changed", async () => {
    const body = `First name,Last name,Email,Hotline\nAda,Byron,${address("ada")},2125550147`;
    const { digest } = await preview([body]);
    await say([{ heading: "hotline", holds: "phone" }]);
    const reply = await admin.ask(attorneyImports.importing, { query: { ...query, digest }, body });
    expect(reply.status).toBe(409);
  });

  test("with the whole name in one column is read once its order is chosen, and the result is previewed", async () => {
    const lines = [
      "Attorney Name,Email",
      `"Okafor, Maya R.",${address("maya")}`,
      `"de la Cruz, Maria",${address("maria")}`,
    ];
    const found = await preview(lines);
    expect(found).toMatchObject({
      rows: 0,
      added: 0,
      missingFields: ["first_name", "last_name"],
      askedColumns: [
        { heading: "Attorney Name", samples: ["Okafor, Maya R.", "de la Cruz, Maria"] },
      ],
    });
    await say([{ heading: "Attorney Name", holds: "name_last_first" }]);
    const again = await preview(lines);
    expect(again).toMatchObject({ rows: 2, added: 2, missingFields: [] });
    expect(again.notes).toEqual([
      "“Okafor, Maya R.” is read as first name “Maya R.”, last name “Okafor”.",
      "“de la Cruz, Maria” is read as first name “Maria”, last name “de la Cruz”.",
    ]);
    expect(again.firstRows.map(({ values }) => values["name"])).toEqual([
      "Maya R. Okafor",
      "Maria de la Cruz",
    ]);
  });

  test("lists a column without a heading if it has values", async () => {
    const found = await preview([
      "First name,,Last name,Email,,",
      `Ada,Dr.,Byron,${address("ada")},,`,
    ]);
    expect(found).toMatchObject({
      added: 1,
      ignoredColumns: ["column B, which has no heading"],
      askedColumns: [],
    });
  });

  test("may name its separator in the first line, before the headings", async () => {
    const found = await preview([
      "sep=;",
      "First name;Last name;Email",
      `Ada;"Byron, Lady";${address("ada")}`,
      ";Nobody;nobody@example.test",
    ]);
    expect(found).toMatchObject({
      added: 1,
      notes: ["The first line names the separator, so values are separated by semicolons."],
      problems: [{ row: 3, message: "First name must be given." }],
    });
    const reply = await admin.ask(attorneyImports.preview, { query, body: "sep=|\na|b\n" });
    expect(reply).toMatchObject({
      status: 422,
      message: expect.stringContaining('names "|" as the separator'),
    });
  });

  test("with a bar number shortened by a spreadsheet is refused at that row", async () => {
    const found = await preview([
      "First name,Last name,Email,Bar No.",
      `Ada,Byron,${address("ada")},5.00001E+06`,
    ]);
    expect(found.problems).toEqual([
      {
        row: 2,
        column: "Bar No.",
        message:
          "Bar No. must be complete: a spreadsheet has shortened it to 5.00001E+06. Format the column as text there.",
      },
    ]);
  });

  test("adds nobody whose bar number differs from a known one only in leading zeros", async () => {
    const maya = {
      firstName: "Maya",
      lastName: "Okafor",
      barNumber: "000123",
      email: address("maya"),
    };
    await makeAttorney(app.db, network, maya);
    const found = await preview([
      "First name,Last name,Email,Bar number",
      `Maya,Okafor,${maya.email},123`,
      `Another,Okafor,${address("another")},0123`,
      `New,Roe,${address("new")},00777`,
      `Other,Roe,${address("other")},777`,
    ]);
    expect(found).toMatchObject({ unchanged: 1, added: 1, refused: 2 });
    expect(found.notes).toEqual([
      "One bar number differs from the panel's only in leading zeros and is not changed: 000123, not 123.",
    ]);
    expect(found.problems.map(({ row, message }) => `${row}: ${message}`)).toEqual([
      "3: This is probably the same bar number as 000123, which Maya Okafor has. Only the leading zeros differ.",
      "5: This is probably the same bar number as 00777, which row 4 has. Only the leading zeros differ.",
    ]);
  });

  test("gives nobody another's bar number that differs only in leading zeros", async () => {
    const maya = { firstName: "Maya", lastName: "Okafor", barNumber: "000123" };
    await makeAttorney(app.db, network, { ...maya, email: address("maya") });
    for (const name of ["bo", "cy"])
      await makeAttorney(app.db, network, { firstName: name, email: address(name) });
    const found = await preview([
      "First name,Last name,Email,Bar number",
      `Bo,Roe,${address("bo")},123`,
      `New,Roe,${address("new")},00777`,
      `Cy,Roe,${address("cy")},777`,
    ]);
    expect(found.problems.map(({ row, message }) => `${row}: ${message}`)).toEqual([
      "2: This is probably the same bar number as 000123, which Maya Okafor has. Only the leading zeros differ.",
      "4: This is probably the same bar number as 00777, which row 3 has. Only the leading zeros differ.",
    ]);
  });

  test("may have headings of any length, with line breaks, accents and invisible letters, and asks about them", async () => {
    const question = `What do you prefer? ${"Say it as you like. ".repeat(20)}`;
    const lines = [
      `First name,Last name,Email,${question},"Direct\r\nline",Numéro,\u{200B}`,
      `Ada,Byron,${address("ada")},tea,2125550147,7,x`,
    ];
    const found = await preview(lines);
    expect(found.askedColumns.map(({ heading }) => heading)).toEqual([
      question.trim(),
      "Direct line",
      "Numéro",
    ]);
    expect(found.ignoredColumns).toContain("column G, which has no heading");
    const holds = ["none", "phone", "bar_number"];
    await say(
      found.askedColumns.map(({ heading }, at) => ({ heading, holds: holds[at] ?? "none" })),
    );
    const again = await preview(lines.map((line) => line.normalize("NFD")));
    expect(again.askedColumns.map((column) => column.holds)).toEqual(holds);
    expect(again.firstRows[0]?.values).toMatchObject({ phone: "(212) 555-0147", bar_number: "7" });
  });

  test("is refused if needed columns are missing and none can be chosen", async () => {
    const body = `First name,Email\nAda,${address("ada")}\n`;
    const reply = await admin.ask(attorneyImports.preview, { query, body });
    expect([reply.status, reply.message]).toEqual([
      422,
      'The file has no column headed "last name".',
    ]);
  });
});

test("a column's content must be a field of the record", async () => {
  const wrong = { columns: [{ heading: "Hotline", holds: "balance" }] };
  const reply = await admin.ask(attorneyImports.columns, { body: wrong });
  expect([reply.status, reply.message]).toEqual([422, 'A column cannot contain "balance".']);
});

test("a referral's reference with leading zeros is not a new one without them", async () => {
  const of = (reference: string) =>
    `Reference,First name,Last name,Submitted on\n${reference},Ann,Abbott,06/01/2026\n`;
  const referrals = { file_name: "referrals.csv" };
  const { digest } = await admin.call(matterImports.preview, {
    query: referrals,
    body: of("00123"),
  });
  await admin.call(matterImports.importing, { query: { ...referrals, digest }, body: of("00123") });
  const found = await admin.call(matterImports.preview, { query: referrals, body: of("123") });
  expect(found).toMatchObject({
    added: 0,
    refused: 1,
    problems: [
      {
        column: "Reference",
        message:
          "A referral has the reference 00123, which differs only in leading zeros. Enter it the same way.",
      },
    ],
  });
});
