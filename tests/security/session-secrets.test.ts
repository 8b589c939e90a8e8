import { sql } from "kysely";
import { describe, expect } from "vitest";
import { changeVacationSettings } from "#panel/contract.ts";
import { sessionCookieName } from "#kit/http/session.ts";
import { anAppBesideSandboxes, type CardWorld } from "#tests/interface/card-records.ts";
import { goodRequest, nameOf, recordsOf, servedCalls } from "#tests/interface/good-requests.ts";
import { admin, app, attorney, lawyer, network, peopleTest } from "#tests/support/app-test.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import {
  codeOf,
  enterCode,
  enterPassword,
  enterRecoveryCode,
  giveAuthenticatorApp,
  wrongCodeOf,
} from "#tests/support/second-factors.ts";
import { aVisitor, type Reply, type Visitor } from "#tests/support/visitor.ts";

/*
 * A session is its cookie, which no script can read. An answer with the cookie's value, or the token in it,
 * would give the session to any script of the page, or to a cache.
 */

const test = peopleTest(() => anAppBesideSandboxes(), { network: {}, attorney: {}, lawyer: true });

const sessionCookie = sessionCookieName(false);
const waitingCookie = sessionCookie.replace("session_token", "two_factor");

/** The tokens of all sessions, and of sign-ins that wait for a code. */
async function secrets(): Promise<string[]> {
  const { rows } = await sql<{ secret: string }>`
    select token as secret from sessions union all select identifier from verifications`.execute(
    app.db,
  );
  return rows.map(({ secret }) => secret);
}

/** Session tokens in an answer, apart from its cookies. */
function tokensIn(known: string[], { text, headers }: Reply): string[] {
  const { "set-cookie": _, ...others } = headers;
  const told = text + JSON.stringify(others);
  return known.filter((secret) => told.includes(secret));
}

describe("no answer of signing in and out contains a session's token", () => {
  const signIn = async (visitor: Visitor, password = testPassword) => ({
    visitor,
    reply: await enterPassword(visitor, network.admin.email, password),
  });

  test("with a password", async () => {
    await givePassword(app.db, network.admin.userId);
    const { visitor, reply } = await signIn(aVisitor(app));
    expect(reply.status).toBe(200);
    expect(visitor.cookies.has(sessionCookie)).toBe(true);
    expect(JSON.parse(reply.text)).toMatchObject({
      redirect: false,
      user: { email: network.admin.email, name: "Ada Min" },
    });
    expect(JSON.parse(reply.text)).not.toHaveProperty("token");
    expect(tokensIn(await secrets(), reply)).toEqual([]);
    const known = await secrets();
    const out = await visitor.send("POST", "/api/auth/sign-out");
    expect([out.status, tokensIn(known, out)]).toEqual([200, []]);
  });

  test("with a wrong password, with a code, a wrong code and a recovery code", async () => {
    await givePassword(app.db, network.admin.userId);
    const authenticator = await giveAuthenticatorApp(app, network.admin);
    const [recoveryCode = ""] = authenticator.recoveryCodes;
    const wrong = await signIn(aVisitor(app), "not the password");
    expect([wrong.reply.status, tokensIn(await secrets(), wrong.reply)]).toEqual([401, []]);
    const ways = [
      async (one: Visitor) => enterCode(one, await codeOf(authenticator.secret)),
      async (one: Visitor) => enterRecoveryCode(one, recoveryCode),
      async (one: Visitor) => enterCode(one, await wrongCodeOf(authenticator.secret)),
    ];
    const statuses: number[] = [];
    for (const way of ways) {
      const { visitor, reply } = await signIn(aVisitor(app));
      expect(visitor.cookies.has(waitingCookie)).toBe(true);
      const known = await secrets();
      expect(tokensIn(known, reply)).toEqual([]);
      const second = await way(visitor);
      expect(tokensIn([...known, ...(await secrets())], second)).toEqual([]);
      if (second.status === 200)
        expect(Object.keys(JSON.parse(second.text) as object)).toEqual(["user"]);
      statuses.push(second.status);
    }
    expect(statuses).toEqual([200, 200, 401]);
  });
});

test("no answer of any other call, and no page, contains one", async () => {
  await admin.call(changeVacationSettings, { body: { lawyers_set_own_vacation: true } });
  const people = [aVisitor(app), admin, lawyer];
  const known = await secrets();
  expect(known.length).toBeGreaterThan(1);
  const telling: string[] = [];
  let answered = 0;
  const look = (name: string, reply: Reply) => {
    if (tokensIn(known, reply).length > 0) telling.push(name);
    if (reply.status < 300) answered += 1;
  };
  const ids = await recordsOf(app as CardWorld, network, attorney);
  for (const { endpoint } of servedCalls(app))
    for (const person of people)
      look(
        nameOf(endpoint),
        await person.sendRaw(person.requestOf(endpoint, goodRequest(endpoint, ids))),
      );
  for (const url of ["/", "/sign-in", "/admin", "/account/security", "/admin/settings", "/nowhere"])
    for (const person of people) look(url, await person.sendRaw({ method: "GET", url }));
  expect(telling).toEqual([]);
  expect(answered).toBeGreaterThan(100);
});
