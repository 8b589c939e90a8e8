import { beforeEach, describe, expect } from "vitest";
import { requestLink, showSession } from "#features/auth/contract.ts";
import { sessionCookieName } from "#http/session.ts";
import { aColleague, aNetwork, givePassword, testPassword } from "#tests/support/people.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest, network } from "#tests/support/app-test.ts";

/* What somebody does who wants to be someone else, or to know who else there is. */

const cookie = sessionCookieName(false);

const test = appTest({ network: {} });
beforeEach(async () => {
  await givePassword(app.db, network.admin.userId);
});

const signIn = (visitor: Visitor, email: string, password = testPassword) =>
  visitor.send("POST", "/api/auth/sign-in/email", { email, password });
const idOf = async (visitor: Visitor) => (await visitor.call(showSession)).user?.id ?? null;

describe("a session that somebody else has put into the browser", () => {
  test("is replaced by signing in, and does not become the victim's", async () => {
    const other = await aNetwork(app.db);
    const attacker = await signedIn(app, "admin", other);
    const victim = aVisitor(app);
    const planted = attacker.cookies.get(cookie) ?? "";
    victim.cookies.set(cookie, planted);
    victim.csrf = attacker.csrf;
    expect((await signIn(victim, network.admin.email)).status).toBe(200);
    expect(victim.cookies.get(cookie)).not.toBe(planted);
    expect(await idOf(victim)).toBe(network.admin.userId);
    expect(await idOf(attacker)).toBe(other.admin.userId);
  });

  test.each(["chosen-by-the-attacker", "chosen.by-the-attacker", "a".repeat(32)])(
    "and that the server never gave out (%s) is nobody's, before and after",
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

describe("whether an account exists", () => {
  /**
   * By how many times the slowest kind of attempt takes longer than the quickest, going by the least
   * time of each; the kinds by turns, and again while the machine has others to see to.
   */
  async function maxRatio(kinds: (() => Promise<unknown>)[], enough: number): Promise<number> {
    const least = kinds.map(() => Infinity);
    for (let round = 1, ratio = Infinity; ; round += 1) {
      for (const [index, attempt] of kinds.entries()) {
        const begun = performance.now();
        await attempt();
        least[index] = Math.min(least[index] ?? Infinity, performance.now() - begun);
      }
      ratio = Math.max(...least) / Math.min(...least);
      if (round >= 3 && (ratio < enough || round === 20)) return ratio;
    }
  }

  test("is told by neither the answer to a sign-in nor its time", async () => {
    const invited = `invited-${network.id}@example.test`;
    const colleague = await aColleague(app.db, network); // who has no password yet
    await app.db.updateTable("users").set({ email: invited }).where("id", "=", colleague).execute();
    const answers = new Set<string>();
    const attempt = (email: string) => async () => {
      const reply = await signIn(aVisitor(app), email, "not the password");
      answers.add(`${reply.status} ${reply.text} ${Object.keys(reply.headers).join()}`);
    };
    const kinds = [network.admin.email, "nobody-at-all@example.test", invited].map(attempt);
    // Hashing takes by far the longest: an answer without it would come in a tenth of the time.
    expect(await maxRatio(kinds, 3)).toBeLessThan(3);
    expect(answers.size).toBe(1);
  });

  test("is told by neither the answer to a forgotten password nor its time", async () => {
    const answers = new Set<string>();
    const attempt = (email: string) => async () => {
      const reply = await aVisitor(app).ask(requestLink, { body: { email } });
      answers.add(`${reply.status} ${reply.text}`);
    };
    const kinds = [network.admin.email, "nobody@example.test"].map(attempt);
    expect(await maxRatio(kinds, 2)).toBeLessThan(2);
    expect(answers.size).toBe(1);
  });
});

test("the link of a forgotten password leads to our own address, whatever host was asked", async () => {
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
