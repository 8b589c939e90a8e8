import { expect } from "vitest";
import { queueMail, RecipientRefused, sendDueMail } from "#outgoing/mail/outbox.ts";
import { app, attorney, network } from "#tests/support/app-test.ts";
import { expectNoBarriers, page, pageTest, watched } from "#tests/support/page-test.ts";
import { overflowOnPhone } from "#tests/support/watched-page.ts";

const test = pageTest({
  network: {},
  attorney: { firstName: "Quentin", lastName: "Hale" },
  by: "admin",
});

async function aMail(subject: string): Promise<void> {
  await queueMail(app.db, {
    networkId: network.id,
    attorneyId: attorney.id,
    occasion: subject,
    recipient: attorney.email,
    subject,
    body: "Dear Quentin,\n\nthis is the text.",
  });
}

test("a rejected email address is shown on Today, in the list linked there, on the attorney's page and with the email, until a message is accepted there", async () => {
  await page.goto("/admin");
  await page.getByText("Nothing is waiting").waitFor();
  await aMail("First");
  const reply = "550 5.1.1 No such user here";
  await sendDueMail(app.db, () => Promise.reject(new RecipientRefused("no such mailbox", reply)));

  const line = page.getByRole("link", { name: "1 attorney whose email is refused" });
  await line.click();
  await page.getByRole("heading", { level: 1, name: "Attorneys" }).waitFor();
  await page.getByText("1–1 of 1").waitFor();
  await expect.poll(() => page.getByLabel("Email").inputValue()).toBe("refused");
  await page.getByRole("link", { name: "Quentin Hale" }).click();
  await page.getByRole("tab", { name: "Details" }).click();
  const refused = page.getByText("Refused: no such mailbox");
  await refused.waitFor();
  await expectNoBarriers();
  expect(await overflowOnPhone(page)).toBe(0);

  await page.goto("/admin/mail?status=gave_up");
  await page
    .getByRole("row", { name: /Refused: no such mailbox\s*The mail server said: 550 5\.1\.1/ })
    .waitFor();
  await page.getByRole("button", { name: /^First, to/ }).click();
  await page.getByRole("dialog", { name: "First" }).getByText("Refused: no such mailbox").waitFor();
  await expectNoBarriers();

  await page.goto(`/admin/attorneys/${attorney.id}?view=details`);
  await refused.waitFor();
  await aMail("Second");
  await sendDueMail(app.db, () => Promise.resolve());
  await refused.waitFor({ state: "hidden" });
  await page.goto("/admin");
  await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
  await page.getByText("1 email could not be sent").waitFor();
  expect(await line.count()).toBe(0);
  expect(watched.alerts).toEqual([]);
});
