import { beforeEach } from "vitest";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { app } from "#tests/support/app-test.ts";
import { openPage, page, pageTest } from "#tests/support/page-test.ts";
import { givePassword } from "#tests/support/passwords.ts";
import { aVisitor } from "#tests/support/visitor.ts";

/* Pages of a signed-out person, and the credentials. */

/** The file's network: Harbor County, whose administrator has `testPassword`. */
export let network: MadeNetwork;

export function signInTest() {
  const test = pageTest();
  test.beforeAll(async () => {
    network = await makeNetwork(app.db, { name: "Harbor County" });
    await givePassword(app.db, network.admin.userId);
  });
  beforeEach(() => openPage({ visitor: aVisitor(app) }));
  return test;
}

/** On the page that asks for both. */
export async function signIn(email: string, password: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** The name of the field that has focus. */
export const focused = () => page.evaluate(() => document.activeElement?.getAttribute("name"));

/**
 * The account name that a password manager finds for each form with a password: the value of a text field in
 * the layout.
 */
export const usernames = () =>
  page.evaluate(() =>
    [...document.querySelectorAll("form:has(input[type=password])")].map((form) => {
      const field = form.querySelector<HTMLInputElement>("input[autocomplete=username]");
      return field && ["text", "email"].includes(field.type) && field.checkVisibility()
        ? field.value
        : null;
    }),
  );
