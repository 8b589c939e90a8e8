import { describe, expect } from "vitest";
import { attorneyImports } from "#people/contract.ts";
import { admin, appTest, network } from "#tests/support/app-test.ts";

const test = appTest({ clock: "2026-07-01T12:00:00Z", network: {} });

const query = { file_name: "panel.csv" };
const file = (...lines: string[]) =>
  ["First name,Last name,E-mail,Bar no,Phone", ...lines].join("\r\n");
const address = (name: string) => `${name}-${network.id}@example.test`;
const rowOf = (first: string, last: string) => `${first},${last},${address(first.toLowerCase())},,`;

const preview = (body: string | Buffer) => admin.call(attorneyImports.preview, { query, body });

const importing = (
  body: string,
  { digest }: { digest: string },
  more: { skips_bad?: boolean } = {},
) => admin.ask(attorneyImports.importing, { query: { ...query, digest, ...more }, body });

describe("the refused rows of a file", () => {
  test("can be downloaded with their row numbers and reasons, corrected and imported", async () => {
    const body = file(
      rowOf("Ada", "Byron"),
      `,"O'Neil, Jr.",no address,B2;3,`,
      `Jo,"March ""x""",jo,B3,`,
    );
    const { rows, csv } = await admin.call(attorneyImports.refusedRows, { query, body });
    expect(rows).toBe(2);
    expect(csv).toBe(
      [
        "\u{FEFF}Row,What is wrong,First name,Last name,E-mail,Bar no,Phone",
        `3,"First name must be given. E-mail must be an email address, such as name@example.org.",,"O'Neil, Jr.",no address,"B2;3",`,
        `4,"E-mail must be an email address, such as name@example.org.",Jo,"March ""x""",jo,B3,`,
        "",
      ].join("\r\n"),
    );
    const corrected = csv
      .replace("no address", address("neil"))
      .replace("given.,,", "given.,Neil,");
    expect(
      await preview(
        corrected.replace(`org.",,`, `org.",Neil,`).replace(",jo,", `,${address("jo")},`),
      ),
    ).toMatchObject({ added: 2, refused: 0, ignoredColumns: ["Row", "What is wrong"] });
  });
});

describe("a file with unreadable rows", () => {
  const good = (index: number) => `Good${index},Byron,${address(`good${index}`)},,`;

  test("says how many, and returns each unchanged", async () => {
    const body = file(
      good(2),
      good(3),
      `"Open,Hale,${address("open")},,`,
      ...Array.from({ length: 8 }, (_, index) => good(5 + index)),
    );
    const found = await preview(body);
    expect(found).toMatchObject({ rows: 11, added: 2, refused: 9 });
    expect(found.problems).toEqual([
      {
        row: 4,
        column: null,
        message: "The quotation marks do not match, so this row and the 8 after it cannot be read.",
      },
    ]);
    const { rows, csv } = await admin.call(attorneyImports.refusedRows, { query, body });
    expect(rows).toBe(9);
    const lines = csv.split("\r\n").slice(1, -1);
    expect(lines).toHaveLength(9);
    expect(lines[0]).toContain(`,"""Open",Hale,${address("open")},,`);
    expect(lines[8]).toMatch(/^12,.*,Good12,Byron,/);
    const reply = await importing(body, found, { skips_bad: true });
    expect(reply.object).toMatchObject({ added: 2, refused: 9 });
    const corrected = csv.replace('"""Open"', "Open");
    expect(await preview(corrected)).toMatchObject({ rows: 9, added: 9, refused: 0 });
  });

  test("returns the cells of a single bad row, which can be imported unchanged", async () => {
    const body = file(`Robert "Bob",Hale,${address("bob")},B7,`, good(3));
    expect(await preview(body)).toMatchObject({ rows: 2, added: 1, refused: 1 });
    const { csv } = await admin.call(attorneyImports.refusedRows, { query, body });
    expect(csv).toContain(`"Robert ""Bob""",Hale,${address("bob")},B7,`);
    expect(await preview(csv)).toMatchObject({
      added: 1,
      firstRows: [{ values: { name: 'Robert "Bob" Hale', bar_number: "B7" } }],
    });
  });

  test("is refused only at the row with a byte in another encoding", async () => {
    const known = ["Bergström", "Nuñez", "Müller"].map((last, at) => rowOf(`Known${at}`, last));
    const all = file(...known);
    expect((await importing(all, await preview(all))).status).toBe(200);
    const bad = Buffer.from(rowOf("Jos\u00E9", "Roe").replace("jos\u00E9", "jose"), "latin1");
    const body = Buffer.concat([Buffer.from(`${all}\r\n`), bad]);
    const found = await preview(body);
    expect(found).toMatchObject({ unchanged: 3, changed: 0, refused: 1, encoding: "utf-8" });
    expect(found.problems).toEqual([
      {
        row: 5,
        column: null,
        message:
          'This row has a letter that is not UTF-8, unlike the rest of the file. Check its accents and apostrophes, or save the whole file as "CSV UTF-8".',
      },
    ]);
    const { csv } = await admin.call(attorneyImports.refusedRows, { query, body });
    expect(csv).toContain("José,Roe");
  });

  test("shows rows with accents first, so that people check them", async () => {
    const plain = Array.from({ length: 12 }, (_, index) => good(index));
    const body = Buffer.from(
      file(...plain, `Zo\u00EB,Roe,${address("zoe")},,`, `Jo,O\u0092Neil,${address("jo")},,`),
      "latin1",
    );
    const { firstRows } = await preview(body);
    expect(firstRows).toHaveLength(10);
    expect(firstRows.slice(0, 3).map(({ row, values }) => [row, values["name"]])).toEqual([
      [14, "Zoë Roe"],
      [15, "Jo O’Neil"],
      [2, "Good0 Byron"],
    ]);
  });
});
