import type { Page } from "playwright-core";
import { makeDebit } from "#tests/support/records/dues.ts";
import { sessionCookieName } from "#kit/http/session.ts";
import { admin, app, attorney, network } from "#tests/support/app-test.ts";
import { address, openPage, page, pageTest, watched } from "#tests/support/page-test.ts";
import { testPassword } from "#tests/support/passwords.ts";
import { aSession } from "#tests/support/visitor.ts";

/* An administrator's page with typed text, and a session that ends before it is saved. */

export const unsavedTest = () =>
  pageTest({
    by: "admin",
    network: { permitsMatterEditing: true },
    attorney: { firstName: "Ada", lastName: "Byron" },
  });

export const adjusting = () => page.getByRole("dialog", { name: "Adjust balance" });
export const question = () => page.getByRole("dialog", { name: "Discard what you entered?" });
export const signingIn = () => page.getByRole("dialog", { name: "Sign in again" });

/** A page that makes no requests by itself notices the ended session only when the test presses something. */
export async function openPageThatHearsNothing(): Promise<void> {
  await watched.close();
  await openPage({ visitor: admin, hearsNothing: true });
}

/** Open the dialog on a debit of $50.00. Returns the debit's id. */
export async function openAdjusting(): Promise<number> {
  const debit = await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  await page.goto(`/admin/attorneys/${attorney.id}`);
  await page.getByRole("button", { name: /^Adjust/ }).click();
  await adjusting().waitFor();
  return debit;
}

/** All of the administrator's sessions. */
export async function endSessions(): Promise<void> {
  await app.db.deleteFrom("sessions").where("userId", "=", network.admin.userId).execute();
}

/** In the dialog, unless another place is given. */
export async function signIn(
  email: string,
  where: Pick<Page, "getByLabel"> = signingIn(),
): Promise<void> {
  await where.getByLabel("Email address").fill(email);
  await where.getByLabel("Password").fill(testPassword);
  await where.getByLabel("Password").press("Enter");
}

/** The cookie of a new session for someone. */
export async function cookieOf(userId: number) {
  const { cookie } = await aSession(app, userId);
  return { name: sessionCookieName(false), value: cookie, url: address };
}

/** As when a person turns to a tab: its data is refetched. */
export async function lookAtPage(): Promise<void> {
  await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
}
