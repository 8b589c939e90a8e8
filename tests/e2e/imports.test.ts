import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { describe, expect } from "vitest";
import { lockOf } from "#db/locks.ts";
import { makeAttorney } from "#features/demo/records/attorneys.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";
import { app, network } from "#tests/support/app-test.ts";
import { page, pageTest, watched } from "#tests/support/page-test.ts";

/* Files of attorneys and referrals, brought in by an administrator in a browser. */

const test = pageTest({ network: {}, by: "admin" });

const mailbox = (name: string) => `${name}-${network.id}@example.test`;
const header = "First name,Last name,Email,Phone";
const aRow = (first: string, last: string, phone = "") =>
  `${first},${last},${mailbox(first.toLowerCase())},${phone}`;

/** Choose a file, as a person does in the browser's own dialog. */
async function choose(text: string | Buffer, name = "panel.csv"): Promise<void> {
  const file = { name, mimeType: "text/csv", buffer: Buffer.from(text) };
  await page.getByLabel("Choose a CSV file").setInputFiles(file);
}

/** Let a file fall onto the page, its text as often as asked for. */
async function drop(name: string, text: string, times = 1): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    (file) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([file.text.repeat(file.times)], file.name));
      return transfer;
    },
    { name, text, times },
  );
  await page.getByText("or drop it here").dispatchEvent("drop", { dataTransfer });
}

const lines = (...all: string[]) => [header, ...all].join("\r\n");

const counts = async () => (await page.locator("dl").innerText()).replaceAll(/\s+/g, " ").trim();

async function expectNoBarriers(): Promise<void> {
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
}

const names = async () => {
  const query = app.db.selectFrom("attorneys").select("firstName");
  const rows = await query.where("networkId", "=", network.id).orderBy("id").execute();
  return rows.map(({ firstName }) => firstName);
};

describe("an administrator imports attorneys", () => {
  test("from the empty list: chosen, shown in numbers, and added", async () => {
    await page.goto("/admin/attorneys");
    await page.getByRole("link", { name: "Import attorneys" }).click();
    await page.getByRole("heading", { name: "Import attorneys" }).waitFor();
    await page
      .getByRole("table", { name: "Columns" })
      .getByRole("row", { name: /Email/ })
      .waitFor();
    await expectNoBarriers();
    await choose(lines(aRow("Ada", "Byron", "(212) 555-0147"), `Zoë,Nuñez,${mailbox("zoe")},`));
    await page.getByText("2 attorneys will be added.").waitFor();
    await expect
      .poll(counts)
      .toBe("Rows in the file 2 Added 2 Changed 0 Left as they are 0 Refused 0");
    await page.getByRole("row", { name: /Zoë Nuñez.*3.*Added/ }).waitFor();
    await expectNoBarriers();
    expect(await names()).toEqual([]);
    await page.getByRole("button", { name: "Add 2 attorneys" }).click();
    await page.getByText("2 attorneys added.").waitFor();
    await expectNoBarriers();
    await page.getByRole("link", { name: "Go to Attorneys" }).click();
    await page.getByRole("link", { name: "Ada Byron" }).waitFor();
    expect(watched.alerts).toEqual([]);
  });

  test("with bad rows: each is named, they are downloaded to be mended, and the good ones imported alone", async () => {
    await page.goto("/admin/attorneys/import");
    await choose(lines(aRow("Ada", "Byron"), ",Nobody,nobody@example.test,", "Jo,March,jo,"));
    await page.getByRole("heading", { name: "2 rows cannot be imported" }).waitFor();
    await page.getByRole("row", { name: "Row 3 First name First name must be given." }).waitFor();
    await page.getByRole("row", { name: /^Row 4 Email Email must be an email address/ }).waitFor();
    await expectNoBarriers();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download the refused rows" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("panel-refused.csv");
    const refused = await readFile(await download.path(), "utf8");
    expect(refused.split("\r\n")).toEqual([
      `\u{FEFF}Row,What is wrong,${header}`,
      "3,First name must be given.,,Nobody,nobody@example.test,",
      '4,"Email must be an email address, such as name@example.org.",Jo,March,jo,',
      "",
    ]);
    await page.getByText("1 attorney will be added. 2 rows will be left out.").waitFor();
    await page.getByRole("button", { name: "Import the 1 good row" }).click();
    await page.getByText("1 attorney added and 2 rows left out.").waitFor();
    expect(await names()).toEqual(["Ada"]);

    await page.getByRole("button", { name: "Import another file" }).click();
    await choose(refused.replace(",jo,", `,${mailbox("jo")},`).replace("given.,,", "given.,Al,"));
    await page.getByText(/columns are left out: Row, What is wrong\./).waitFor();
    await page.getByRole("button", { name: "Add 2 attorneys" }).click();
    await page.getByText("2 attorneys added.").waitFor();
    expect(watched.alerts).toEqual([]);
  });

  test("pressing twice imports once, and the same file again has nothing to do", async () => {
    await page.goto("/admin/attorneys/import");
    await choose(lines(aRow("Ada", "Byron")));
    await page.getByRole("button", { name: "Add 1 attorney" }).dblclick();
    await page.getByText("1 attorney added.").waitFor();
    await page.getByRole("button", { name: "Import another file" }).click();
    await choose(lines(aRow("Ada", "Byron")));
    await page.getByText("There is nothing to import").waitFor();
    await expect
      .poll(() => page.getByRole("button", { name: /^(Add|Change|Import the)/ }).count())
      .toBe(0);
    expect(await names()).toEqual(["Ada"]);
    expect(watched.alerts).toEqual([]);
  });

  test("is shown anew what it does when a colleague has changed the panel meanwhile", async () => {
    await page.goto("/admin/attorneys/import");
    await choose(lines(aRow("Ada", "Byron"), aRow("Mary", "Shelley")));
    await page.getByRole("button", { name: "Add 2 attorneys" }).waitFor();
    await makeAttorney(app.db, network, { firstName: "Mary", email: mailbox("mary") });
    await page.getByRole("button", { name: "Add 2 attorneys" }).click();
    await page.getByText("Nothing was imported yet").waitFor();
    await expect
      .poll(() => watched.alerts)
      .toEqual([expect.stringMatching(/^Something has changed since this file was checked/)]);
    expect(await names()).toEqual(["Mary"]);
    await page.getByRole("button", { name: "Add 1 and change 1 attorney" }).click();
    await page.getByText("1 attorney added and 1 changed.").waitFor();
  });

  test("is told what a file is that cannot be read, and chooses another", async () => {
    await page.goto("/admin/attorneys/import");
    await choose(Buffer.from("PK\u0003\u0004xl"), "panel.xlsx");
    await page.getByText("The file could not be checked").waitFor();
    const says =
      'The file is a workbook, not a CSV file. In Excel choose File, Save As, and "CSV UTF-8 (Comma delimited)".';
    await page.getByText(`${says} Nothing was imported.`).waitFor();
    await expect.poll(() => watched.alerts).toEqual([says]);
    await expectNoBarriers();
    await page.getByRole("button", { name: "Choose another file" }).click();
    await drop("huge.csv", "x", 20 * 1024 * 1024 + 1);
    await page.getByText("huge.csv is too large: at most 20 MB are accepted.").waitFor();
    await page.getByRole("button", { name: "Choose another file" }).click();
    await choose(Buffer.from(lines("José,Nuñez,jose@example.test,"), "latin1"));
    await page.getByText("Look at accents and apostrophes in the rows below").waitFor();
    await page.getByRole("row", { name: /José Nuñez/ }).waitFor();
    await expectNoBarriers();
  });

  test("by dropping the file, and by keyboard alone", async () => {
    await page.goto("/admin/attorneys/import");
    await drop("dropped.csv", lines(aRow("Ada", "Byron")));
    await page.getByText("dropped.csv").waitFor();
    await page.getByRole("button", { name: "Add 1 attorney" }).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.ariaLabel))
      .toBe("What the file does");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("1 attorney added.").waitFor();
    expect(watched.alerts).toEqual([]);
  });

  test("of a thousand rows that are all bad, sees the first few hundred problems and how many there are", async () => {
    await page.goto("/admin/attorneys/import");
    await choose(lines(...Array.from({ length: 1_000 }, (_, index) => `,Last ${index},x,`)));
    await page.getByText("The first 300 of 2,000 problems are listed").waitFor();
    await page.getByText("No row can be imported.").waitFor();
    await expect.poll(() => page.getByRole("table").getByRole("row").count()).toBe(301);
    await expect.poll(() => page.getByRole("button", { name: /^Import the/ }).count()).toBe(0);
  });

  test("after loading the page again, sees a file of the network that is still under way", async () => {
    const other = { recordType: "attorney", fileName: "big.csv", begunBy: "Colette Ague" } as const;
    await app.db
      .insertInto("importsUnderWay")
      .values({
        ...other,
        networkId: network.id,
        step: "reading",
        rowsRead: 24_000,
        rowsInAll: 60_000,
      })
      .execute();
    await app.db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${lockOf.import}, ${network.id}::integer)`.execute(tx);
      await page.goto("/admin/attorneys/import");
      await page.getByText("Colette Ague has a file under way").waitFor();
      await page.getByText("big.csv: Reading rows: 24,000 of about 60,000...").waitFor();
    });
    await page.getByText("Colette Ague has a file under way").waitFor({ state: "hidden" });
    expect(watched.alerts).toEqual([]);
  });
});

test("the example file of either import is one that can be imported", async () => {
  for (const [path, button] of [
    ["/admin/attorneys/import", "Add 2 attorneys"],
    ["/admin/matters/import", "Add 2 referrals"],
  ] as const) {
    await page.goto(path);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download an example file" }).click(),
    ]);
    await choose(await readFile(await download.path()), download.suggestedFilename());
    await page.getByRole("button", { name: button }).waitFor();
    await expect.poll(() => page.getByText("left out").count()).toBe(0);
    await expectNoBarriers();
  }
});

test("an administrator imports referrals, and is told beforehand who is suspended by it", async () => {
  await makeAttorney(app.db, network, {
    firstName: "Maya",
    lastName: "Okafor",
    barNumber: "12345",
  });
  await app.db
    .updateTable("networks")
    .set({ suspendsOverdueAttorneys: true })
    .where("id", "=", network.id)
    .execute();
  await page.goto("/admin/matters");
  await page.getByRole("link", { name: "Import referrals" }).click();
  await expectNoBarriers();
  await choose(
    "Reference,First name,Last name,Submitted on,Attorney\nR-1,Ann,Abbott,01/05/2026,12345\n",
    "referrals.csv",
  );
  await page
    .getByText(
      "1 referral will be added. 1 attorney will be suspended for overdue reports, and mailed.",
    )
    .waitFor();
  await page.getByRole("row", { name: /Ann Abbott.*01\/05\/2026.*Maya Okafor.*Open/ }).waitFor();
  await page.getByRole("button", { name: "Add 1 referral" }).click();
  await page.getByText("1 referral added. 1 attorney suspended for overdue reports.").waitFor();
  await page.getByRole("link", { name: "Go to Referrals" }).click();
  await page.getByRole("link", { name: "Ann Abbott" }).waitFor();
  expect(watched.alerts).toEqual([]);
});
