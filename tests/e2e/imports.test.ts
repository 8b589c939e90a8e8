import { readFile } from "node:fs/promises";
import { describe, expect } from "vitest";
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
