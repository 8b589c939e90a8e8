import { beforeEach, expect } from "vitest";
import { editAttorney } from "#people/contract.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { admin, app, attorney, network } from "#tests/support/app-test.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { address, expectNoBarriers, openPage, page, pageTest } from "#tests/support/page-test.ts";
import { givePassword } from "#tests/support/passwords.ts";
import { aVisitor } from "#tests/support/visitor.ts";

/* An attorney's sign-in email: an administrator asks for another address, and both addresses confirm it. */

const test = pageTest({
  sendsMail: true,
  network: { name: "Harbor County Bar" },
  attorney: { firstName: "Maya", lastName: "Okafor" },
});

let right: string;
beforeEach(async () => {
  right = `maya-${network.id}@new.example.test`;
  const { userId } = await makeAccount(app.db, network, attorney);
  await givePassword(app.db, userId);
});

/** Open the link last emailed to an address, signed out. */
async function openLinkOf(recipient: string): Promise<void> {
  const mails = (await mailsOf(app.db, network)).filter((mail) => mail.recipient === recipient);
  const code = /\/sign-in\/address#([\w-]+)/.exec(mails.at(-1)?.body ?? "")?.[1];
  await openPage({ visitor: aVisitor(app) });
  await page.goto(`${address}/sign-in/address#${code}`);
  await page.getByRole("heading", { name: "Change of your email address" }).waitFor();
}

const press = async (name: string) => await page.getByRole("button", { name }).click();

test("an administrator asks for another address, and it takes effect once both have confirmed it", async () => {
  await openPage({ visitor: admin });
  const record = `${address}/admin/attorneys/${attorney.id}?view=details`;
  await page.goto(record);
  await press("Edit");
  const dialog = page.getByRole("dialog", { name: "Edit contact details" });
  await dialog.getByLabel("Email address").fill(right);
  await dialog.getByRole("button", { name: "Save contact details" }).click();
  await page
    .getByText(
      `Contact details saved. The email address changes after it is confirmed by a link. ${right} and ${attorney.email} will be emailed.`,
    )
    .waitFor();
  const waiting = page.getByRole("region", {
    name: `Waiting for a new email address to be confirmed: ${right}`,
  });
  await waiting
    .getByText(/Ada Min requested it on .+ The change takes effect once both addresses confirm it/)
    .waitFor();
  await expectNoBarriers();

  // Saving again without a new address changes nothing about it.
  await press("Edit");
  await dialog.getByLabel("Phone").fill("(555) 010-4477");
  await dialog.getByRole("button", { name: "Save contact details" }).click();
  await page.getByText("Contact details saved.", { exact: true }).waitFor();
  await waiting.waitFor();

  await openLinkOf(right);
  await page.getByText(`Confirm that ${right} is your address.`).waitFor();
  await expectNoBarriers();
  await press("Confirm");
  await page.getByText(`The change takes effect once ${attorney.email} also confirms`).waitFor();
  await openLinkOf(attorney.email);
  await page.getByText("If you do nothing, it takes effect on").waitFor();
  await expectNoBarriers();
  await press("Confirm");
  await page.getByText(`Your email address is now ${right}. Sign in with it.`).waitFor();
  await page.reload();
  await page.getByText("This change of email address has ended").waitFor();
  await expectNoBarriers();
});

test("the old address can refuse, and an administrator can cancel", async () => {
  const params = { id: attorney.id };
  await admin.call(editAttorney, { params, body: { email: right } });
  await openLinkOf(attorney.email);
  await press("Keep the old address");
  await page.getByText(`Your email address is still ${attorney.email}.`).waitFor();

  await admin.call(editAttorney, { params, body: { email: right } });
  await openPage({ visitor: admin });
  await page.goto(`${address}/admin/attorneys/${attorney.id}?view=details`);
  await press("Cancel the new email address");
  await page.getByText(`The email address stays ${attorney.email}.`).waitFor();
  await expect.poll(() => page.getByText("Waiting for a new email address").count()).toBe(0);
});
