import { readFile } from "node:fs/promises";
import { describe, expect } from "vitest";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { app, network } from "#tests/support/app-test.ts";
import { expectNoBarriers, page, pageTest, watched } from "#tests/support/page-test.ts";
import {
  aRow,
  attorneyFile,
  chooseFile,
  firstNames,
  header,
  mailbox,
} from "#tests/support/screens/imports.ts";

/* Files of attorneys and referrals, imported by an administrator in a browser. */

const test = pageTest({ network: {}, by: "admin" });

const counts = async () => (await page.locator("dl").innerText()).replaceAll(/\s+/g, " ").trim();

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
    await chooseFile(
      attorneyFile(aRow("Ada", "Byron", "(212) 555-0147"), `Zoë,Nuñez,${mailbox("zoe")},`),
    );
    await page.getByText("2 attorneys will be added.").waitFor();
    await expect
      .poll(counts)
      .toBe("Rows in the file 2 Added 2 Changed 0 Left as they are 0 Refused 0");
    await page.getByRole("row", { name: /Zoë Nuñez.*3.*Added/ }).waitFor();
    await expectNoBarriers();
    expect(await firstNames()).toEqual([]);
    await page.getByRole("button", { name: "Add 2 attorneys" }).click();
    await page.getByText("2 attorneys added.").waitFor();
    await expectNoBarriers();
    await page.getByRole("link", { name: "Go to Attorneys" }).click();
    await page.getByRole("link", { name: "Ada Byron" }).waitFor();
    expect(watched.alerts).toEqual([]);
  });

  test("with bad rows: each is named, they are downloaded to be corrected, and only the good ones are imported", async () => {
    await page.goto("/admin/attorneys/import");
    await chooseFile(
      attorneyFile(aRow("Ada", "Byron"), ",Nobody,nobody@example.test,", "Jo,March,jo,"),
    );
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
    expect(await firstNames()).toEqual(["Ada"]);

    await page.getByRole("button", { name: "Import another file" }).click();
    await chooseFile(
      refused.replace(",jo,", `,${mailbox("jo")},`).replace("given.,,", "given.,Al,"),
    );
    await page.getByText(/columns are left out: Row, What is wrong\./).waitFor();
    await page.getByRole("button", { name: "Add 2 attorneys" }).click();
    await page.getByText("2 attorneys added.").waitFor();
    expect(watched.alerts).toEqual([]);
  });

  test("with other headings: says by keyboard what each column holds, and sees first how names are split", async () => {
    await page.goto("/admin/attorneys/import");
    await chooseFile(
      [
        "Attorney,Email,Hotline,Favourite colour",
        `"Okafor, Maya",${mailbox("maya")},2125550147,blue`,
        `"de la Cruz, Ana",${mailbox("ana")},2125550148,red`,
      ].join("\n"),
    );
    await page
      .getByText("No column contains the first name and last name. Choose it below.")
      .waitFor();
    expect(await page.getByRole("button", { name: /^(Add|Change|Import the)/ }).count()).toBe(0);
    await page.getByText("Such as Okafor, Maya and de la Cruz, Ana").waitFor();
    await expectNoBarriers();
    await page.getByLabel("Attorney", { exact: true }).focus();
    await page.keyboard.type("Whole name, as in Okafor");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Phone");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Something else");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page
      .getByText("“de la Cruz, Ana” is read as first name “Ana”, last name “de la Cruz”.")
      .waitFor();
    await page.getByText("2 attorneys will be added.").waitFor();
    await page.getByRole("row", { name: /Maya Okafor.*\(212\) 555-0147/ }).waitFor();
    await expectNoBarriers();
    await page.getByText("Your answers for 3 columns").click();
    await expect
      .poll(() => page.getByLabel("Hotline").locator("option:checked").innerText())
      .toBe("Phone");
    await expectNoBarriers();
    await page.getByRole("button", { name: "Add 2 attorneys" }).click();
    await page.getByText("2 attorneys added.").waitFor();
    expect(await firstNames()).toEqual(["Maya", "Ana"]);
    expect(watched.alerts).toEqual([]);
  });
});

test("an administrator imports referrals, and sees first who will be suspended", async () => {
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
  await chooseFile(
    "Reference,First name,Last name,Submitted on,Attorney\nR-1,Ann,Abbott,01/05/2026,12345\n",
    "referrals.csv",
  );
  await page
    .getByText(
      "1 referral will be added. 1 attorney will be suspended for overdue reports. Email is not set up: messages are saved, not sent.",
    )
    .waitFor();
  await page.getByRole("row", { name: /Ann Abbott.*01\/05\/2026.*Maya Okafor.*Open/ }).waitFor();
  await page.getByRole("button", { name: "Add 1 referral" }).click();
  await page.getByText("1 referral added. 1 attorney suspended for overdue reports.").waitFor();
  await page.getByRole("link", { name: "Go to Referrals" }).click();
  await page.getByRole("link", { name: "Ann Abbott" }).waitFor();
  expect(watched.alerts).toEqual([]);
});
