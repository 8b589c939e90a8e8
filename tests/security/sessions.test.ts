import { sql } from "kysely";
import { afterAll, beforeEach, expect } from "vitest";
import { editAttorney } from "#people/contract.ts";
import {
  acceptLink,
  changePassword,
  endOtherSessions,
  endSession,
  endSessionsOfAdministrator,
  endSessionsOfAttorney,
  inspectLink,
  listSessions,
  removeAdministrator,
} from "#access/sign-in/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { purgeSignIns } from "#access/sign-in/purge.ts";
import { makeSignInLink } from "#access/sign-in/sign-in-links.ts";
import { recordDeparture } from "#people/departures/contract.ts";
import { csrfToken } from "#kit/http/csrf.ts";
import { sessionCookieName } from "#kit/http/session.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeAdmin, makeNetwork } from "#tests/support/records/networks.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import {
  aSocket,
  CableSocket,
  cableOf,
  cableOrigin,
  cookiesOf,
  sessionTokenOf,
} from "#tests/support/cable.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { anotherApp, type RunningApp } from "#tests/support/running-app.ts";
import { aSession, aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";
import { todayInNewYork } from "#tests/support/today.ts";

/*
 * Somebody has copied a session's cookie and the CSRF token of its pages, and has a socket open with them on
 * another process. However the session ends, none of the three works any more.
 */

/** A second server on the same database, as another process. */
let otherProcess: RunningApp;
/** Each test has people of its own. */
let network: MadeNetwork;

const test = appTest();
test.beforeAll(async () => {
  otherProcess = await anotherApp(app);
});
afterAll(async () => await otherProcess.close());
beforeEach(async () => {
  network = await makeNetwork(app.db);
  await givePassword(app.db, network.admin.userId); // somebody must remain who can sign in
});

interface Victim {
  visitor: Visitor;
  userId: number;
  email: string;
  attorneyId: number;
}

async function anAttorney(): Promise<Victim> {
  const attorney = await makeAttorney(app.db, network);
  const { userId } = await makeAccount(app.db, network, attorney);
  const { id: attorneyId, email } = attorney;
  return { visitor: await anotherSession(userId), userId, email, attorneyId };
}

async function anAdministrator(): Promise<Victim> {
  const userId = await makeAdmin(app.db, network);
  return { visitor: await anotherSession(userId), userId, email: "", attorneyId: 0 };
}

/** Signed in as with a password, but without hashing it. */
async function anotherSession(userId: number): Promise<Visitor> {
  const visitor = aVisitor(app);
  const { cookie, csrf } = await aSession(app, userId);
  visitor.cookies.set(sessionCookieName(false), cookie);
  visitor.csrf = csrf;
  return visitor;
}

async function signIn({ userId, email }: Victim, visitor = aVisitor(app)): Promise<Visitor> {
  await givePassword(app.db, userId);
  const body = { email, password: testPassword };
  expect((await visitor.send("POST", "/api/auth/sign-in/email", body)).status).toBe(200);
  return visitor;
}

/** What a thief has: only the session's cookie, without the browser's others, and a page's CSRF token. */
async function copyOf({ visitor, userId }: Victim): Promise<Visitor> {
  const copy = aVisitor(otherProcess);
  copy.cookies.clear();
  const name = sessionCookieName(false);
  copy.cookies.set(name, visitor.cookies.get(name) ?? "");
  const owner = { sessionToken: sessionTokenOf(visitor), visitorSecret: undefined };
  copy.csrf = csrfToken(owner, app.secret);
  expect((await copy.call(showSession)).user?.id).toBe(userId);
  expect((await copy.ask(inspectLink, unknownLink)).status).toBe(404); // the CSRF token is valid
  return copy;
}

const unknownLink = { body: { token: "x".repeat(40) } };

const endings: [
  name: string,
  whose: () => Promise<Victim>,
  end: (victim: Victim) => Promise<unknown>,
][] = [
  ["signing out", anAttorney, ({ visitor }) => visitor.send("POST", "/api/auth/sign-out", {})],
  [
    "being ended from another device",
    anAttorney,
    async ({ visitor, userId }) => {
      const [own] = await visitor.call(listSessions);
      await (await anotherSession(userId)).call(endSession, { params: { id: own?.id } });
    },
  ],
  [
    "all others being ended",
    anAttorney,
    async ({ userId }) => (await anotherSession(userId)).call(endOtherSessions),
  ],
  ["a new sign-in in that browser", anAttorney, (victim) => signIn(victim, victim.visitor)],
  [
    "a new password, chosen elsewhere",
    anAttorney,
    async (victim) =>
      (await signIn(victim)).call(changePassword, {
        body: { current_password: testPassword, new_password: "an even better one" },
      }),
  ],
  [
    "a new password, chosen by a link",
    anAttorney,
    async ({ userId }) => {
      const account = { networkId: network.id, userId };
      const made = { publicUrl: "", by: network.admin, from: null };
      const { url } = await makeSignInLink(app.db, account, "password_reset", made);
      const body = { token: url.split("#")[1], password: "an even better one" };
      await aVisitor(app).call(acceptLink, { body });
    },
  ],
  [
    "a new email address",
    anAttorney,
    async ({ attorneyId }) =>
      (await signedIn(app, "admin", network)).call(editAttorney, {
        params: { id: attorneyId },
        body: { email: `new-${attorneyId}@example.test` },
      }),
  ],
  [
    "its attorney's departure",
    anAttorney,
    async ({ attorneyId }) =>
      (await signedIn(app, "admin", network)).call(recordDeparture, {
        params: { id: attorneyId },
        body: { left_on: todayInNewYork() },
      }),
  ],
  [
    "its administrator's removal",
    anAdministrator,
    async ({ userId }) =>
      (await signedIn(app, "admin", network)).call(removeAdministrator, { params: { id: userId } }),
  ],
  [
    "its administrator being signed out everywhere by another one",
    anAdministrator,
    async ({ userId }) =>
      (await signedIn(app, "admin", network)).call(endSessionsOfAdministrator, {
        params: { id: userId },
      }),
  ],
  [
    "its attorney being signed out everywhere by an administrator",
    anAttorney,
    async ({ attorneyId }) =>
      (await signedIn(app, "admin", network)).call(endSessionsOfAttorney, {
        params: { id: attorneyId },
      }),
  ],
  [
    "twelve hours in which an administrator does nothing",
    anAdministrator,
    ({ visitor }) => setSession(visitor, "last_seen_at = now() - interval '12 hours'"),
  ],
  [
    "fourteen days in which an attorney does nothing",
    anAttorney,
    ({ visitor }) => setSession(visitor, "last_seen_at = now() - interval '14 days'"),
  ],
  [
    "thirty days, however active",
    anAttorney,
    ({ visitor }) =>
      setSession(
        visitor,
        "created_at = created_at - interval '30 days', expires_at = expires_at - interval '30 days'",
      ),
  ],
];

async function setSession(visitor: Visitor, times: string): Promise<void> {
  await sql`update sessions set ${sql.raw(times)} where token = ${sessionTokenOf(visitor)}`.execute(
    app.db,
  );
}

test.each(endings)("a copied session does not work after %s", async (_, whose, end) => {
  const victim = await whose();
  const copy = await copyOf(victim);
  const socket = await aSocket(otherProcess, copy);
  await end(victim);

  expect((await copy.ask(listSessions)).status).toBe(401);
  expect((await copy.call(showSession)).user).toBeNull();
  expect((await copy.ask(endOtherSessions)).status).toBe(401);
  expect((await copy.ask(inspectLink, unknownLink)).message).toMatch(/Reload/);
  expect((await copy.send("POST", "/api/auth/sign-out", {})).status).toBe(403);
  const again = new CableSocket(await cableOf(otherProcess), {
    origin: cableOrigin,
    cookie: cookiesOf(copy),
  });
  await again.frame(({ reason }) => reason === "unauthorized");

  await purgeSignIns(app.db); // sessions ended by time; a process also checks each minute
  expect(await socket.closed).toBe(1000);
  expect(socket.texts.at(-1)).toBe('{"type":"disconnect","reason":"remote","reconnect":false}');
});

test("activity of a thief keeps a session open no longer than its thirty days", async () => {
  const victim = await anAttorney();
  victim.visitor = await signIn(victim);
  const { rows } = await sql<{ days: number }>`
    select round(extract(epoch from expires_at - created_at) / 86400)::int as days from sessions
    where token = ${sessionTokenOf(victim.visitor)}`.execute(app.db);
  expect(rows).toEqual([{ days: 30 }]);
  const copy = await copyOf(victim);
  await copy.call(listSessions);
  const { headers } = await copy.ask(listSessions);
  expect(headers["set-cookie"]).toBeUndefined();
});

test("after ten minutes a copied cookie cannot change keys, administrators or addresses", async () => {
  const victim = await anAdministrator();
  const copy = await copyOf(victim);
  await setSession(victim.visitor, "confirmed_at = now() - interval '10 minutes'");
  const { userId } = network.admin;
  const params = { id: userId };
  expect(await copy.ask(removeAdministrator, { params })).toMatchObject({
    status: 403,
    errors: [{ path: "confirmation" }],
  });
  await copy.call(listSessions); // activity does not help
  expect((await copy.ask(removeAdministrator, { params })).status).toBe(403);
});
