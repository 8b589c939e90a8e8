import { beforeEach, describe, expect } from "vitest";
import { requestLink } from "#access/sign-in/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { sessionCookieName } from "#kit/http/session.ts";
import { makeAdmin, makeNetwork } from "#tests/support/records/networks.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest, network } from "#tests/support/app-test.ts";

/* Attempts to take over another account, or to find out who has one. */

const cookie = sessionCookieName(false);

const test = appTest({ network: {} });
beforeEach(async () => {
  await givePassword(app.db, network.admin.userId);
});

const signIn = (visitor: Visitor, email: string, password = testPassword) =>
  visitor.send("POST", "/api/auth/sign-in/email", { email, password });
const idOf = async (visitor: Visitor) => (await visitor.call(showSession)).user?.id ?? null;

describe("a session that an attacker has put into the browser", () => {
  test("is replaced at sign-in, and does not become the victim's", async () => {
    const other = await makeNetwork(app.db);
    const attacker = await signedIn(app, "admin", other);
    const victim = aVisitor(app);
    const planted = attacker.cookies.get(cookie) ?? "";
    victim.cookies.set(cookie, planted);
    victim.csrf = attacker.csrf;
    expect((await signIn(victim, network.admin.email)).status).toBe(200);
    expect(victim.cookies.get(cookie)).not.toBe(planted);
    expect(await idOf(victim)).toBe(network.admin.userId);
    expect(await idOf(attacker)).toBeNull(); // signing in has ended the browser's previous session
  });

  test.each(["chosen-by-the-attacker", "chosen.by-the-attacker", "a".repeat(32)])(
    "and that the server never issued (%s) is nobody's, before and after",
    async (planted) => {
      const victim = aVisitor(app);
      victim.cookies.set(cookie, planted);
      expect(await idOf(victim)).toBeNull();
      expect((await signIn(victim, network.admin.email)).status).toBe(200);
      const attacker = aVisitor(app);
      attacker.cookies.set(cookie, planted);
      expect(await idOf(attacker)).toBeNull();
    },
  );
});

/* Response times: account-times.full.test.ts */
describe("whether an account exists", () => {
  test("is not revealed by the answer to a sign-in", async () => {
    const invited = `invited-${network.id}@example.test`;
    const colleague = await makeAdmin(app.db, network); // who has no password yet
    await app.db.updateTable("users").set({ email: invited }).where("id", "=", colleague).execute();
    const answers = new Set<string>();
    for (const email of [network.admin.email, "nobody-at-all@example.test", invited]) {
      const reply = await signIn(aVisitor(app), email, "not the password");
      answers.add(`${reply.status} ${reply.text} ${Object.keys(reply.headers).join()}`);
    }
    expect(answers.size).toBe(1);
  });

  test("is not revealed by the answer to a forgotten password", async () => {
    const answers = new Set<string>();
    for (const email of [network.admin.email, "nobody@example.test"]) {
      const reply = await aVisitor(app).ask(requestLink, { body: { email } });
      answers.add(`${reply.status} ${reply.text}`);
    }
    expect(answers.size).toBe(1);
  });
});

test("the link for a forgotten password leads to our own address, whatever host was requested", async () => {
  const visitor = aVisitor(app);
  const reply = await visitor.sendRaw({
    method: "POST",
    url: "/sign_in_links/request",
    headers: {
      host: "evil.example",
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "https",
      "x-csrf-token": visitor.csrf,
      "content-type": "application/json",
    },
    payload: JSON.stringify({ email: network.admin.email }),
  });
  expect(reply.status).toBe(200);
  const mail = await app.db
    .selectFrom("mails")
    .select("body")
    .where("recipient", "=", network.admin.email)
    .executeTakeFirstOrThrow();
  expect(mail.body).toContain("http://localhost:3000/sign-in/link#");
  expect(mail.body).not.toContain("evil.example");
});
