import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { describe, expect } from "vitest";
import { lockOf } from "#kit/db/locks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { app, network } from "#tests/support/app-test.ts";
import { expectNoBarriers, page, pageTest, watched } from "#tests/support/page-test.ts";
import {
  aRow,
  attorneyFile,
  chooseFile,
  firstNames,
  mailbox,
} from "#tests/support/screens/imports.ts";

/* Further cases of imports; src/kit/imports tests what files do and which are refused. */

const test = pageTest({ network: {}, by: "admin" });

/** Drop a file on the page, with its text repeated. */
async function dropFile(name: string, text: string, times = 1): Promise<void> {
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

describe("an administrator imports attorneys", () => {
  test("sees the new effect of the file after a colleague has changed the panel", async () => {
    await page.goto("/admin/attorneys/import");
    await chooseFile(attorneyFile(aRow("Ada", "Byron"), aRow("Mary", "Shelley")));
    await page.getByRole("button", { name: "Add 2 attorneys" }).waitFor();
    await makeAttorney(app.db, network, { firstName: "Mary", email: mailbox("mary") });
    await page.getByRole("button", { name: "Add 2 attorneys" }).click();
    await page.getByText("Nothing was imported yet").waitFor();
    await expect
      .poll(() => watched.alerts)
      .toEqual([
        expect.stringMatching(
          /^Nothing was imported: something has changed since this file was checked/,
        ),
      ]);
    expect(await firstNames()).toEqual(["Mary"]);
    await page.getByRole("button", { name: "Add 1 and change 1 attorney" }).click();
    await page.getByText("1 attorney added and 1 changed.").waitFor();
  });

  test("is told what kind of file it is when it cannot be read, and chooses another", async () => {
    await page.goto("/admin/attorneys/import");
    await chooseFile(Buffer.from("PK\u0003\u0004xl"), "panel.xlsx");
    await page.getByText("The file could not be checked").waitFor();
    const says =
      'The file is a workbook, not a CSV file. In Excel choose File, Save As, and "CSV UTF-8 (Comma delimited)".';
    await page.getByText(`${says} Nothing was imported.`).waitFor();
    await expect.poll(() => watched.alerts).toEqual([says]);
    await expectNoBarriers();
    await page.getByRole("button", { name: "Choose another file" }).click();
    await dropFile("huge.csv", "x", 20 * 1024 * 1024 + 1);
    await page.getByText("huge.csv is too large. The limit is 20 MB.").waitFor();
    await page.getByRole("button", { name: "Choose another file" }).click();
    await chooseFile(Buffer.from(attorneyFile("José,Nuñez,jose@example.test,"), "latin1"));
    await page.getByText("Check accents and apostrophes in the rows below").waitFor();
    await page.getByRole("row", { name: /José Nuñez/ }).waitFor();
    await expectNoBarriers();
  });

  test("by dropping the file, and by keyboard only", async () => {
    await page.goto("/admin/attorneys/import");
    await dropFile("dropped.csv", attorneyFile(aRow("Ada", "Byron")));
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

  test("sees the network's unfinished import after reloading the page", async () => {
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
      await page.getByText("Colette Ague is importing a file").waitFor();
      await page.getByText("big.csv: Reading rows: 24,000 of about 60,000...").waitFor();
    });
    await page.getByText("Colette Ague is importing a file").waitFor({ state: "hidden" });
    expect(watched.alerts).toEqual([]);
  });
});

test("the example file of each import can be imported", async () => {
  for (const [path, button] of [
    ["/admin/attorneys/import", "Add 2 attorneys"],
    ["/admin/matters/import", "Add 2 referrals"],
  ] as const) {
    await page.goto(path);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download an example file" }).click(),
    ]);
    await chooseFile(await readFile(await download.path()), download.suggestedFilename());
    await page.getByRole("button", { name: button }).waitFor();
    await expect.poll(() => page.getByText("left out").count()).toBe(0);
    await expectNoBarriers();
  }
});
