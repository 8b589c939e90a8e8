import { sql } from "kysely";
import { beforeEach, describe, expect } from "vitest";
import { listActivity } from "#office/activity/contract.ts";
import { attorneyImports, editAttorney } from "#people/contract.ts";
import { changeCardSettings } from "#cards/contract.ts";
import {
  confirmPassword,
  endOtherSessions,
  endSession,
  endSessionsOfAdministrator,
  endSessionsOfAttorney,
  inviteAdministrator,
  listAdministrators,
  listSessions,
  removeAdministrator,
} from "#access/sign-in/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { purgeSignIns } from "#access/sign-in/purge.ts";
import { makeSignInLink } from "#access/sign-in/sign-in-links.ts";
import { sessionsStillOpen } from "#kit/http/session.ts";
import { makeAdmin, makeNetwork } from "#tests/support/records/networks.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { sessionTokenOf } from "#tests/support/cable.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { anotherApp } from "#tests/support/running-app.ts";
import { aProgram } from "#tests/support/program.ts";
import { aVisitor, type Reply, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { admin, app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";

const test = appTest({ network: {}, attorney: {}, lawyer: true, rateLimits: true });
beforeEach(async () => {
  await givePassword(app.db, network.admin.userId);
});

/** Change the times of a visitor's session, such as `last_seen_at = now() - interval '1 day'`. */
async function setSession(visitor: Visitor, times: string): Promise<void> {
  await sql`update sessions set ${sql.raw(times)} where token = ${sessionTokenOf(visitor)}`.execute(
    app.db,
  );
}

async function sessionOf(visitor: Visitor) {
  return await app.db
    .selectFrom("sessions")
    .select(["id", "lastSeenAt", "confirmedAt"])
    .where("token", "=", sessionTokenOf(visitor))
    .executeTakeFirst();
}

const isSignedIn = async (visitor: Visitor) => (await visitor.call(showSession)).user !== null;

async function signInWith(userAgent: string, address: string): Promise<Visitor> {
  const visitor = aVisitor(app);
  visitor.address = address;
  const reply = await visitor.sendRaw({
    method: "POST",
    url: "/api/auth/sign-in/email",
    headers: {
      "x-csrf-token": visitor.csrf,
      "content-type": "application/json",
      "user-agent": userAgent,
    },
    payload: JSON.stringify({ email: network.admin.email, password: testPassword }),
  });
  expect(reply.status).toBe(200);
  return visitor;
}

const firefox = "Mozilla/5.0 (Windows NT 10.0; rv:128.0) Gecko/20100101 Firefox/128.0";

describe("a person's own sessions", () => {
  test("are listed with device, address and times, the current one first, without other people's", async () => {
    const phone = await signInWith("Mozilla/5.0 (iPhone) Version/17.5 Safari/604.1", "203.0.113.7");
    const office = await signInWith(firefox, "203.0.113.8");
    await setSession(admin, "last_seen_at = now() - interval '3 hours'");
    await setSession(phone, "last_seen_at = now() - interval '2 hours'");
    const mine = await office.call(listSessions);
    expect(mine.map(({ device, address, isCurrent }) => [device, address, isCurrent])).toEqual([
      ["Firefox on Windows", "203.0.113.8", true],
      ["Safari on iPhone", "203.0.113.7", false],
      ["Unknown device", null, false],
    ]);
    expect(mine[1]?.lastSeenAt).toBe((await sessionOf(phone))?.lastSeenAt);
    expect(await lawyer.call(listSessions)).toHaveLength(1);
  });

  test("that have expired are not listed", async () => {
    const [left, old] = [await signInWith(firefox, "::1"), await signInWith(firefox, "::1")];
    await setSession(left, "last_seen_at = now() - interval '13 hours'");
    await setSession(old, "expires_at = now()");
    expect(await admin.call(listSessions)).toHaveLength(1);
  });

  test("can be ended one by one, each in the activity, except the current one and other people's", async () => {
    const other = await signInWith(firefox, "203.0.113.8");
    const [otherId, ownId] = [(await sessionOf(other))?.id, (await sessionOf(admin))?.id];
    const end = async (id: number | undefined, by = admin) =>
      (await by.ask(endSession, { params: { id } })).status;
    expect(await end(otherId, lawyer)).toBe(404);
    expect(await end(ownId)).toBe(409);
    expect(await isSignedIn(other)).toBe(true);
    expect(await end(otherId)).toBe(200);
    expect(await isSignedIn(other)).toBe(false);
    expect(await end(otherId)).toBe(404);
    const traces = await app.db
      .selectFrom("auditEntries")
      .select(["action", "after"])
      .where("networkId", "=", network.id)
      .where("action", "like", "ended%")
      .execute();
    expect(traces).toEqual([
      {
        action: "ended a session",
        after: expect.objectContaining({
          endedDevice: "Firefox on Windows",
          endedAddress: "203.0.113.8",
        }),
      },
    ]);
  });

  test("can all be ended together, except the current one", async () => {
    const others = [await signInWith(firefox, "::1"), await signInWith(firefox, "::1")];
    expect(await admin.call(endOtherSessions)).toEqual({ ended: 2 });
    for (const other of others) expect(await isSignedIn(other)).toBe(false);
    expect(await isSignedIn(admin)).toBe(true);
    expect(await isSignedIn(lawyer)).toBe(true);
    expect(await admin.call(endOtherSessions)).toEqual({ ended: 0 });
  });
});

describe("an unused session", () => {
  test.each([
    ["an administrator's", () => admin, "11 hours 59 minutes", "12 hours"],
    ["an attorney's", () => lawyer, "13 days 23 hours", "14 days"],
  ])("ends: %s", async (_, whose, open, ended) => {
    const visitor = whose();
    const id = (await sessionOf(visitor))?.id ?? 0;
    await setSession(visitor, `last_seen_at = now() - interval '${open}'`);
    expect((await visitor.sendRaw(automatic)).status).toBe(200);
    expect(await sessionsStillOpen(app.db, [id])).toEqual(new Set([id]));
    await setSession(visitor, `last_seen_at = now() - interval '${ended}'`);
    expect((await visitor.ask(listSessions)).status).toBe(401);
    expect(await isSignedIn(visitor)).toBe(false);
    expect(await sessionsStillOpen(app.db, [id])).toEqual(new Set());
  });

  test("is kept open by what its person does, not by automatic calls of a page", async () => {
    const left = await signInWith(firefox, "::1");
    for (const visitor of [left, admin])
      await setSession(visitor, "last_seen_at = now() - interval '10 hours'");
    const before = await sessionOf(left);
    expect((await left.sendRaw(automatic)).status).toBe(200);
    await admin.call(listSessions);
    const { rows } = await sql<{ aWhileAgo: string }>`
      select (now() - interval '1 minute') as a_while_ago`.execute(app.db);
    const isWritten = async () =>
      String((await sessionOf(admin))?.lastSeenAt) > String(rows[0]?.aWhileAgo);
    await expect.poll(isWritten, { timeout: 30_000 }).toBe(true);
    expect(await sessionOf(left)).toEqual(before);
  });

  test("is updated at most every few minutes, and immediately by a process that stops", async () => {
    const beside = await anotherApp(app);
    const there = async (visitor: Visitor, seen: string) => {
      await setSession(visitor, `last_seen_at = now() - interval '${seen}'`);
      const same = aVisitor(beside);
      for (const [name, value] of visitor.cookies) same.cookies.set(name, value);
      const before = await sessionOf(visitor);
      await same.call(listSessions);
      return before;
    };
    const lately = await there(admin, "4 minutes");
    const longAgo = await there(lawyer, "6 minutes");
    await beside.close();
    expect(await sessionOf(admin)).toEqual(lately);
    expect(await sessionOf(lawyer)).not.toEqual(longAgo);
  });
});

/** The automatic calls of a page that nobody is using. */
const automatic = {
  method: "GET",
  url: "/account/sessions",
  headers: { "x-automatic": "1" },
};

describe("confirming who one is", () => {
  const forgotten = "confirmed_at = now() - interval '11 minutes'";
  const newEmail = () => `changed-${Math.random()}@example.test`;

  /** Each makes the call for a visitor. */
  const calls: [name: string, prepare: () => Promise<(by: Visitor) => Promise<Reply>>][] = [
    [
      "inviting an administrator",
      async () => {
        const body = { name: "Zoë", email: newEmail() };
        return (by) => by.ask(inviteAdministrator, { body });
      },
    ],
    [
      "removing an administrator",
      async () => {
        const params = { id: await makeAdmin(app.db, network) };
        return (by) => by.ask(removeAdministrator, { params });
      },
    ],
    [
      "ending a session elsewhere",
      async () => {
        const params = { id: (await sessionOf(await signInWith(firefox, "::1")))?.id };
        return (by) => by.ask(endSession, { params });
      },
    ],
    ["ending all sessions elsewhere", async () => (by) => by.ask(endOtherSessions)],
    [
      "the keys of a card processor",
      async () => (by) => by.ask(changeCardSettings, { body: { payment_processor: "stripe" } }),
    ],
    [
      "the email address of an account in use",
      async () => {
        await givePassword(app.db, (await makeAccount(app.db, network, attorney)).userId);
        const asked = { params: { id: attorney.id }, body: { email: newEmail() } };
        return (by) => by.ask(editAttorney, asked);
      },
    ],
    [
      "the same by a file",
      async () => {
        await givePassword(app.db, (await makeAccount(app.db, network, attorney)).userId);
        await sql`update attorneys set bar_number = 'B77' where id = ${attorney.id}`.execute(
          app.db,
        );
        const body = `first name,last name,email,bar no\nGrace,Hopper,${newEmail()},B77`;
        const query = { file_name: "panel.csv" };
        const { digest } = await admin.call(attorneyImports.preview, { query, body });
        return (by) => by.ask(attorneyImports.importing, { query: { ...query, digest }, body });
      },
    ],
  ];
  test.each(calls)(
    "is needed before %s, and is good for ten minutes of this session",
    async (_, prepare) => {
      const ask = await prepare();
      const colleague = await signedIn(app, "admin", network);
      for (const one of [admin, colleague]) await setSession(one, forgotten);
      const state = () =>
        sql`
      select (select json_agg(u order by id) from users u where network_id = ${network.id}) as users,
        (select json_agg(a order by id) from attorneys a where network_id = ${network.id}) as attorneys,
        (select json_agg(c) from card_processors c where network_id = ${network.id}) as processors`.execute(
          app.db,
        );
      const before = await state();
      const refused = await ask(admin);
      expect(refused).toMatchObject({ status: 403, errors: [{ path: "confirmation" }] });
      expect((await state()).rows).toEqual(before.rows);
      await admin.call(confirmPassword, { body: { password: testPassword } });
      expect((await ask(colleague)).status).toBe(403);
      expect((await ask(admin)).status).not.toBe(403);
    },
  );

  test("is not needed right after signing in, nor for other calls", async () => {
    await setSession(admin, forgotten);
    const params = { id: attorney.id };
    const invited = await makeAttorney(app.db, network);
    await makeAccount(app.db, network, invited); // has not used the invitation
    for (const asked of [
      { params, body: { phone: "212 555 0147", email: attorney.email } },
      { params: { id: invited.id }, body: { email: newEmail() } },
    ])
      expect((await admin.ask(editAttorney, asked)).status).toBe(200);
    expect((await admin.ask(listAdministrators)).status).toBe(200);
    const fresh = await signInWith(firefox, "::1");
    const body = { name: "Zoë", email: newEmail() };
    expect((await fresh.ask(inviteAdministrator, { body })).status).toBe(200);
  });

  test("comes after the role and before the input", async () => {
    for (const one of [admin, lawyer]) await setSession(one, forgotten);
    const bad = { body: { surprise: 1 } };
    expect((await lawyer.ask(inviteAdministrator, bad)).message).toMatch(/Only an administrator/);
    expect((await admin.ask(inviteAdministrator, bad)).status).toBe(403);
    await admin.call(confirmPassword, { body: { password: testPassword } });
    expect((await admin.ask(inviteAdministrator, bad)).status).toBe(422);
    expect(
      (await admin.ask(editAttorney, { params: { id: 999_999 }, body: { email: newEmail() } }))
        .status,
    ).toBe(404);
  });

  test("with a wrong password is refused, and counts as a failed sign-in", async () => {
    await setSession(admin, forgotten);
    const body = { password: "not the password" };
    for (let failure = 0; failure < 10; failure += 1)
      expect(await admin.ask(confirmPassword, { body })).toMatchObject({
        status: 422,
        errors: [{ path: "password", message: "The password is wrong. Try again." }],
      });
    const right = { password: testPassword };
    expect((await admin.ask(confirmPassword, { body: right })).status).toBe(429);
    const invited = { body: { name: "Zoë", email: newEmail() } };
    expect((await admin.ask(inviteAdministrator, invited)).status).toBe(403);
  });
});

describe("signing a person out everywhere", () => {
  const outAdmin = (id: number, who = admin) =>
    who.ask(endSessionsOfAdministrator, { params: { id } });
  const outAttorney = (id: number, who = admin) =>
    who.ask(endSessionsOfAttorney, { params: { id } });
  const mailsTo = async (recipient: string) =>
    (
      await app.db
        .selectFrom("mails")
        .select(["subject", "body"])
        .where("recipient", "=", recipient)
        .execute()
    ).filter(({ subject }) => subject === "You were signed out everywhere");
  const idOf = async (visitor: Visitor) => (await visitor.call(showSession)).user?.id ?? null;

  test("ends all sessions of only that administrator, emails them, and is in the activity", async () => {
    const email = `colleague-${network.id}@example.test`;
    const userId = await makeAdmin(app.db, network, { email });
    const account = { ...network, admin: { ...network.admin, userId, email } };
    const theirs = [await signedIn(app, "admin", account), await signedIn(app, "admin", account)];
    expect((await outAdmin(userId)).object).toEqual({ ended: 2 });
    expect(await Promise.all(theirs.map(idOf))).toEqual([null, null]);
    expect([await idOf(admin), await idOf(lawyer)].includes(null)).toBe(false);
    const mails = await mailsTo(email);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.body).toContain("Ada Min has signed you out on every device.");
    const { items } = await admin.call(listActivity, { query: { record_type: "sign-in" } });
    expect(items[0]).toMatchObject({ action: "ended all sessions", who: "Ada Min" });
    // Without sessions, no email is sent.
    expect((await outAdmin(userId)).object).toEqual({ ended: 0 });
    expect(await mailsTo(email)).toHaveLength(1);
    // They can sign in again.
    expect(await idOf(await signedIn(app, "admin", account))).toBe(userId);
  });

  test("ends all sessions of an attorney, and emails them", async () => {
    expect((await outAttorney(attorney.id)).object).toEqual({ ended: 1 });
    expect(await idOf(lawyer)).toBeNull();
    expect(await mailsTo(attorney.email)).toHaveLength(1);
  });

  test("needs an administrator with a recent confirmation, and is not for oneself", async () => {
    const newcomer = await makeAttorney(app.db, network);
    const own = await outAdmin(network.admin.userId);
    expect([own.status, own.message]).toEqual([409, "End your own sessions under Your account."]);
    const without = await outAttorney(newcomer.id);
    expect([without.status, without.message]).toEqual([
      409,
      "This attorney has no account and no session.",
    ]);
    const program = await aProgram(app, network);
    expect((await outAttorney(attorney.id, program)).status).toBe(403);
    expect((await outAdmin(network.admin.userId, program)).status).toBe(403);
    await setSession(admin, "confirmed_at = now() - interval '11 minutes'");
    expect(await outAttorney(attorney.id)).toMatchObject({
      status: 403,
      errors: [{ path: "confirmation" }],
    });
    expect(await idOf(lawyer)).not.toBeNull();
  });
});

test("expired sessions, links and address changes are deleted, and nothing else", async () => {
  const { userId } = network.admin;
  const [left, old, open] = [
    await signedIn(app, "admin", network),
    await signedIn(app, "admin", network),
    await signInWith(firefox, "::1"),
  ];
  await setSession(left, "last_seen_at = now() - interval '12 hours'");
  await setSession(old, "expires_at = now()");
  await setSession(lawyer, "last_seen_at = now() - interval '13 days'");
  await sql`insert into verifications (identifier, value, expires_at)
    values ('old', '', now()), ('new', '', now() + interval '1 minute')`.execute(app.db);
  for (const purpose of ["invitation", "password_reset", "invitation"] as const)
    await makeSignInLink(app.db, { networkId: network.id, userId }, purpose, {
      publicUrl: "",
      by: network.admin,
      from: null,
    });
  await sql`update sign_in_links set used_at = now() - interval '31 days'
    where user_id = ${userId} and purpose = 'password_reset'`.execute(app.db);
  const moved = await makeNetwork(app.db);
  await sql`insert into sign_in_links (network_id, id, user_id, purpose, code_hash, expires_at)
    select ${moved.id}, id, ${moved.admin.userId}, 'invitation', 'moved' || id, now() + interval '7 days'
    from sign_in_links where user_id = ${userId}`.execute(app.db);
  await purgeSignIns(app.db);
  const [leftNow, oldNow, ...others] = await Promise.all(
    [left, old, open, admin, lawyer].map(sessionOf),
  );
  expect([leftNow, oldNow]).toEqual([undefined, undefined]);
  for (const other of others) expect(other).toBeDefined();
  const { rows } = await sql`select identifier from verifications`.execute(app.db);
  expect(rows).toEqual([{ identifier: "new" }]);
  const links = await sql`select purpose from sign_in_links where user_id = ${userId}`.execute(
    app.db,
  );
  expect(links.rows).toEqual([{ purpose: "invitation" }, { purpose: "invitation" }]);
  const sameIds = await sql`select from sign_in_links where network_id = ${moved.id}`.execute(
    app.db,
  );
  expect(sameIds.rows).toHaveLength(3);
});
