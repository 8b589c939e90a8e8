import { expect } from "vitest";
import { fileReport } from "#referrals/matters/contract.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app, attorney, network } from "#tests/support/app-test.ts";
import { page, watched } from "#tests/support/page-test.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";
import { chooseAttorney, mattersTest, openMatter } from "#tests/support/screens/matters.ts";

const test = mattersTest();

test("an empty list says how to add referrals, and the first one is recorded and referred", async () => {
  await page.goto("/admin/matters");
  await page.getByRole("link", { name: "Import referrals" }).waitFor();
  await page.getByRole("link", { name: "Record a referral" }).click();
  await page.getByLabel("Last name").fill("Doe");
  await page.getByRole("textbox", { name: "Phone" }).fill("555 010");
  await page.getByLabel("Zip").fill("1001");
  await page.getByRole("button", { name: "Record referral" }).click();
  await page.getByRole("link", { name: /^Zip must be a US zip/ }).waitFor();
  await page.getByRole("link", { name: /^Phone must be a US phone number/ }).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await page.getByRole("link", { name: "Enter a first name." }).click();
  await page.keyboard.type("Jane");
  await page.getByRole("textbox", { name: "Phone" }).fill("+1 555.010.4477");
  await page.getByLabel("State").selectOption("NY, New York");
  await page.getByLabel("Zip").fill("10013");
  await page.getByRole("textbox", { name: "Email" }).fill("Jane@Example.test");
  await page.getByLabel("Address line 1").fill("1 Main Street");
  await page.getByLabel("Address line 2").fill("Apt 4");
  await page.getByLabel("City").fill("Harbor");
  await page.getByRole("radio", { name: "By phone" }).check();
  await page.getByLabel("The client agreed to be asked how the referral went").check();
  await page.getByLabel("Note for the attorney").fill("A lease dispute.");
  await chooseAttorney("byron", "Ada Byron");
  await page.getByRole("button", { name: "Record and refer" }).click();
  await page.getByRole("heading", { name: "Jane Doe" }).waitFor();
  await expect
    .poll(contactDetails)
    .toMatch(
      /^Name Jane Doe Phone \(555\) 010-4477 Email jane@example\.test Address 1 Main Street Apt 4 Harbor, NY 10013 Contact preference Prefers to be contacted by phone\. Follow-up consent Agreed to be asked how the referral went\. Referral date \d\d\/\d\d\/\d{4} Note A lease dispute\.$/,
    );
  await page.getByText("Report due 12/30/2026").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  expect(watched.alerts).toEqual([]);
});

test("referrals are found by typing, by status, by attorney and page by page, and the address has all of it", async () => {
  await app.db
    .insertInto("matters")
    .values(
      Array.from({ length: 60 }, (_, index) => ({
        networkId: network.id,
        firstName: "Client",
        lastName: `Number ${index}`,
      })),
    )
    .execute();
  await makeMatter(app.db, network, { attorney, dueOn: "2026-11-20", lastName: "Late" });
  await makeMatter(app.db, network, { attorney, dueOn: "2026-11-30", lastName: "Today" });
  await page.goto("/admin/matters");
  await page.getByText("1–50 of 62").waitFor();
  expect(await overflowOnPhone(page)).toBe(0);
  await expect
    .poll(async () => (await rows()).slice(0, 3))
    .toEqual([
      expect.stringMatching(
        /^Jane Today \(555\) 010-4477 jane@example.test Open Ada Byron \S+ 11\/30\/2026 Due today$/,
      ),
      expect.stringMatching(/^Jane Late .* 11\/20\/2026 10 days overdue$/),
      expect.stringMatching(
        /^Client Number 59 Not provided New None yet Not yet requested \S+ None$/,
      ),
    ]);
  await page.getByRole("link", { name: "Next" }).click();
  await page.getByText("51–62 of 62").waitFor();

  await page.keyboard.press("/");
  await page.keyboard.type("client 59");
  await page.getByText("1–1 of 1").waitFor();
  await expect.poll(() => new URL(page.url()).search).toBe("?search=client+59");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("nobody");
  await page.getByText("No referrals match these filters").waitFor();
  await page.getByRole("link", { name: "Clear filters" }).click();
  await page.getByText("1–50 of 62").waitFor();

  await page.getByLabel("Status", { exact: true }).selectOption("Open");
  await page.getByText("1–2 of 2").waitFor();
  await page.getByLabel("Status", { exact: true }).selectOption("Report overdue");
  await page.getByText("1–1 of 1").waitFor();
  await expect.poll(rows).toEqual([expect.stringMatching(/^Jane Late .* 10 days overdue$/)]);
  await page.getByLabel("Status", { exact: true }).selectOption("All");
  await chooseAttorney("byron", "Ada Byron");
  await page.getByText("1–2 of 2").waitFor();
  await expect.poll(() => new URL(page.url()).search).toBe(`?attorney=${attorney.id}`);
  await page.reload();
  await page.getByText("1–2 of 2").waitFor();
  await page.getByText(`Ada Byron (${attorney.email})`).waitFor();
  await page.goto("/admin/matters?page=9");
  await page.getByRole("link", { name: "Go to the first page" }).click();
  await page.getByText("1–50 of 62").waitFor();
});

test("contact details are edited in place; preference, consent and date stay", async () => {
  await openMatter(await makeMatter(app.db, network, { attorney }));
  await page.getByRole("button", { name: "Edit" }).click();
  const editing = page.getByRole("region", { name: "Contact details" });
  await expect
    .poll(() => editing.getByRole("textbox").evaluateAll(valuesOf))
    .toEqual([
      "Jane",
      "Doe",
      "(555) 010-4477",
      "jane@example.test",
      "1 Main Street",
      "Apt 4",
      "Harbor",
      "10013",
    ]);
  await editing.getByText("May be contacted by phone or email.").waitFor();
  await editing.getByLabel("Last name").fill("Changed");
  await editing.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("heading", { name: "Jane Doe" }).waitFor();

  await page.getByRole("button", { name: "Edit" }).click();
  await editing.getByLabel("Email").fill("nothing");
  await editing.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: /^Email must be an email address/ }).click();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("jane@elsewhere.test");
  await editing.getByLabel("Zip").fill("10013 2413");
  await page.keyboard.press("Enter");
  await page.getByText("Contact details saved.").waitFor();
  await expect.poll(contactDetails).toMatch(/Email jane@elsewhere\.test .*Harbor, NY 10013-2413/);
  const history = page.getByRole("table", { name: "History" });
  await history.getByText("Changed contact details").waitFor();
  await expect
    .poll(async () => oneLine(await history.innerText()))
    .toMatch(/Email: jane@example\.test → became jane@elsewhere\.test/);
  expect(watched.alerts).toEqual([]);
});

test("a referral shows its status reports", async () => {
  const matter = await makeMatter(app.db, network, { attorney, dueOn: "2026-11-20" });
  const lawyer = await signedIn(app, attorney, network);
  const params = { id: matter };
  await lawyer.call(fileReport, { params, body: { outcome: "retained", fee: "1250" } });
  await lawyer.call(fileReport, { params, body: { outcome: "closed", note: "Settled." } });
  await openMatter(matter);
  const reports = page.getByRole("table", { name: "Status reports" });
  await reports.getByText("Settled.").waitFor();
  await expect
    .poll(async () => (await reports.locator("tbody tr").allInnerTexts()).map(oneLine))
    .toEqual([
      "11/30/2026 Closed Settled. Ada Byron None",
      "11/30/2026 Retained Not provided Ada Byron $1,250.00",
    ]);
  await page.getByRole("main").locator("h1 + *").getByText("Closed").waitFor();
});

async function rows(): Promise<string[]> {
  const found = page.getByRole("table", { name: "Referrals" }).locator("tbody tr");
  return (await found.allInnerTexts()).map(oneLine);
}

async function contactDetails(): Promise<string> {
  const region = page.getByRole("region", { name: "Contact details" });
  return oneLine(await region.locator("dl").innerText());
}

const valuesOf = (fields: Element[]) =>
  fields.map((field) => (field instanceof HTMLInputElement ? field.value : null));

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();
