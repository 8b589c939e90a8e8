import type { Request } from "playwright-core";
import { expect } from "vitest";
import { firstScreens } from "#main/first-screens.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { makeAdmin, makeNetwork } from "#tests/support/records/networks.ts";
import { app } from "#tests/support/app-test.ts";
import { exportedFile } from "#tests/support/exports.ts";
import { aNetworkForEveryScreen } from "#tests/support/network-for-every-screen.ts";
import { openPage, page, pageTest, watched } from "#tests/support/page-test.ts";
import { testPassword } from "#tests/support/passwords.ts";
import { cookieOf } from "#tests/support/screens/unsaved.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

/*
 * Two tabs of one browser share its cookie. The tab opened by the first account shows and changes nothing of
 * the second.
 */

const test = pageTest();
let made: Awaited<ReturnType<typeof aNetworkForEveryScreen>>;
let accountOfLawyer: number;
/** The administrator and the attorney of another network. */
let others: { admin: number; lawyer: number };

test.beforeEach(async () => {
  made = await aNetworkForEveryScreen(app);
  const lakeside = await makeNetwork(app.db, { name: "Lakeside Bar" });
  const attorney = await makeAttorney(app.db, lakeside, { firstName: "Lea", lastName: "Lakeside" });
  await makeMatter(app.db, lakeside, { attorney });
  others = {
    admin: await makeAdmin(app.db, lakeside, { name: "Dana Lakeside" }),
    lawyer: (await makeAccount(app.db, lakeside, attorney)).userId,
  };
  const { id } = await app.db
    .selectFrom("users")
    .select("id")
    .where("attorneyId", "=", made.attorney.id)
    .executeTakeFirstOrThrow();
  accountOfLawyer = id;
});

const otherOwner = () => page.getByRole("dialog", { name: "Someone else has signed in" });

/** Pages for signed-in people, with a record where they show one. */
const pages = firstScreens.screens
  .map(({ path }) => path.source.slice(1, -1).replaceAll("\\/", "/"))
  .filter((path) => !path.startsWith("/sign-in"))
  .map((path) => path.replace("([a-z-]+)", "people"));

function addressOf(path: string): string {
  const { matter, receipt, plan, firm, check, deposit } = made.records;
  const ids = {
    attorneys: made.attorney.id,
    statements: made.attorney.id,
    matters: matter,
    receipts: receipt,
    plans: plan,
    firms: firm,
    checks: check,
    deposits: deposit,
  };
  return path.replace(
    /(\w+)\/\(\[1-9\]\\d\*\)/,
    (_, kind: keyof typeof ids) => `${kind}/${ids[kind]}`,
  );
}

/** Who is signed in in this browser from now on; its pages do not know yet. */
const isNow = async (userId: number) => await page.context().addCookies([await cookieOf(userId)]);

/** As when a person turns to a tab. */
const turnToPage = () => page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));

/** The page's text, visible or announced, outside the dialog that asks who is there. */
async function readable(): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const shown = (element: Element) => element.checkVisibility({ visibilityProperty: true });
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found: string[] = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const { parentElement, textContent } = node;
      const isLast =
        parentElement?.closest("dialog") === [...document.querySelectorAll("dialog")].at(-1);
      if (parentElement && shown(parentElement) && !(isLast && parentElement.closest("dialog")))
        found.push(textContent ?? "");
    }
    return found;
  });
  return texts.filter((text) => text.trim() !== "");
}

/** Calls of the page until the returned function is called, which waits for their answers. */
function watchCalls(): () => Promise<{ address: string; owner: string; status: number }[]> {
  const asked: Request[] = [];
  const note = (request: Request) => request.resourceType() === "fetch" && asked.push(request);
  page.on("request", note);
  return async () => {
    page.off("request", note);
    return await Promise.all(
      asked.map(async (request) => ({
        address: new URL(request.url()).pathname,
        owner: request.headers()["x-page-owner"] ?? "",
        status: (await request.response())?.status() ?? 0,
      })),
    );
  };
}

test("no page shows one account's data to another that has signed in since, and none of its calls is answered", async () => {
  await openPage({ visitor: made.admin });
  let refused = 0;
  for (const path of pages) {
    const isLawyers = path.startsWith("/dashboard");
    const owner = isLawyers ? accountOfLawyer : made.network.admin.userId;
    await isNow(owner);
    const before = watchCalls();
    await page.goto(addressOf(path));
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    for (const call of await before())
      expect([path, call]).toMatchObject([path, { owner: String(owner) }]);

    await isNow(isLawyers ? others.lawyer : others.admin);
    const since = watchCalls();
    await turnToPage();
    await otherOwner().waitFor();
    const calls = (await since()).filter(({ address: asked }) => asked !== "/session");
    // 0: aborted by the page, which was closed before the answer.
    expect([path, calls.filter(({ status }) => status !== 403 && status !== 0)]).toEqual([
      path,
      [],
    ]);
    refused += calls.length;
    expect([path, await readable(), await page.title()]).toEqual([path, [], "Referral Network"]);
  }
  expect(refused).toBeGreaterThan(pages.length);
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  await otherOwner().getByRole("button", { name: "Continue as" }).click();
  await page.getByRole("link", { name: "Dana Lakeside" }).waitFor();
  expect(watched.alerts).toEqual([]);
});

test("signing out in one tab immediately hides clients' names in the other, also behind Back", async () => {
  await openPage({ visitor: await signedIn(app, "admin", made.network) });
  await page.goto(`/admin/matters/${made.records.matter}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  const tab = await page.context().newPage();
  await tab.goto("/account");
  await tab.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  await expect.poll(() => new URL(page.url()).search).toContain("next=%2Fadmin%2Fmatters");
  await page.goBack();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
});

test("what was typed stays hidden from another account, and comes back when its owner signs in", async () => {
  await openPage({ visitor: await signedIn(app, "admin", made.network), hearsNothing: true });
  await page.goto("/admin/matters/new");
  await page.getByLabel("Last name").fill("Doe");
  const tab = await page.context().newPage();
  await isNow(others.admin);
  await tab.goto("/admin"); // and the page notices by itself
  await tab.getByRole("heading", { level: 1, name: "Today" }).waitFor(); // it listens by now
  await otherOwner().waitFor();
  expect(await readable()).toEqual([]);
  await otherOwner().getByRole("button", { name: "Sign in as Ada Min" }).click();
  const signingIn = page.getByRole("dialog", { name: "Sign in again" });
  await signingIn.getByLabel("Email address").fill(made.network.admin.email);
  await signingIn.getByLabel("Password").fill(testPassword);
  await signingIn.getByLabel("Password").press("Enter");
  await signingIn.waitFor({ state: "detached" });
  await page.getByRole("heading", { level: 1, name: "Record a referral" }).waitFor();
  expect(await page.getByLabel("Last name").inputValue()).toBe("Doe");
  await page.keyboard.type("nut"); // focus is back where the typing was
  expect(await page.getByLabel("Last name").inputValue()).toBe("Doenut");
  expect(await page.title()).toBe("Record a referral · Referral Network");

  // The other tab checks in its turn, or reloads as the current person if it checked while nobody was signed
  // in.
  const asked = tab.getByRole("dialog", { name: "Someone else has signed in" });
  const asks = asked.getByRole("button", { name: "Sign in as Dana Lakeside" });
  await asks.or(tab.getByRole("link", { name: "Ada Min" })).waitFor();
  await expect.poll(() => tab.getByRole("link", { name: "Dana Lakeside" }).count()).toBe(0);
  expect(watched.alerts).toEqual([]);
});

test("while the server does not say who is signed in, the page stays hidden, and asks again when told to", async () => {
  const visitor = await signedIn(app, "admin", made.network);
  await openPage({ visitor, hearsNothing: true, mayComplain: true });
  await page.goto(`/admin/attorneys/${made.attorney.id}`);
  await page.getByRole("heading", { level: 1, name: "Ada Byron" }).waitFor();
  await page.route("**/session", (route) => route.abort());
  const tab = await page.context().newPage();
  await isNow(others.admin);
  await tab.goto("/admin");
  const asking = page.getByRole("dialog", { name: "Is it still you?" });
  await asking.waitFor();
  expect(await readable()).toEqual([]);
  await page.unroute("**/session");
  await asking.getByRole("button", { name: "Try again" }).click();
  await otherOwner().waitFor();
  expect(await readable()).toEqual([]);
});

test("a page from the browser's back-forward cache is reloaded when Back shows it, and covered until then", async () => {
  await openPage({ visitor: made.admin });
  await isNow(made.network.admin.userId);
  await page.goto("/admin/attorneys");
  await page.getByRole("heading", { level: 1, name: "Attorneys" }).waitFor();
  await page.evaluate(() =>
    window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })),
  );
  expect(await readable()).toEqual([]);
  await isNow(others.admin);
  await Promise.all([
    page.waitForEvent("load"),
    page.evaluate(() =>
      window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })),
    ),
  ]);
  await page.getByRole("link", { name: "Dana Lakeside" }).waitFor();
});

test("a page's links to files stop working once somebody else is signed in, of the same network too", async () => {
  const { network } = made;
  await openPage({ visitor: made.admin });
  await isNow(network.admin.userId);
  const admin = await signedIn(app, "admin", network);
  await exportedFile(app, admin, { report_type: "attorneys", columns: ["phone"] });
  await page.goto("/admin/reports");
  const link = page.getByRole("link", { name: /^Download/ }).first();
  const href = (await link.getAttribute("href")) ?? "";
  expect((await page.request.get(href)).status()).toBe(200);
  await isNow(await makeAdmin(app.db, network));
  expect((await page.request.get(href)).status()).toBe(403);
});
