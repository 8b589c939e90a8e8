import { showSession } from "#kit/contract/session.ts";
import { hashPassword as scryptHash } from "better-auth/crypto";
import { sql } from "kysely";
import { describe, expect } from "vitest";
import { listActivity } from "#office/activity/contract.ts";
import { inviteAttorney } from "#people/contract.ts";
import * as auth from "#access/sign-in/contract.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { lockSignIn } from "#access/sign-in/account-holders.ts";
import { setPassword } from "#access/sign-in/accounts.ts";
import { removeOldTraces } from "#access/sign-in/sign-in-events.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { listMail } from "#outgoing/mail/contract.ts";
import { cookieName } from "#kit/http/cookie-names.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";
import { waitingForLocks } from "#tests/support/lock-waits.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import {
  codeOf,
  enterCode,
  enterPassword,
  enterRecoveryCode,
  giveAuthenticatorApp,
} from "#tests/support/second-factors.ts";
import { anApp } from "#tests/support/running-app.ts";
import { aVisitor, type Visitor } from "#tests/support/visitor.ts";

const test = appTest({
  rateLimits: true,
  network: { admin: { name: "Dana Whitfield" } },
  attorney: { firstName: "Maya", lastName: "Okafor" },
});

const firefox = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0";

/** Post a sign-in with a browser's user agent. */
async function send(visitor: Visitor, path: string, body: object) {
  const headers = {
    "x-csrf-token": visitor.csrf,
    "content-type": "application/json",
    "user-agent": firefox,
  };
  return await visitor.sendRaw({
    method: "POST",
    url: path,
    headers,
    payload: JSON.stringify(body),
  });
}

const signIn = async (visitor: Visitor, password = testPassword, email = attorney.email) =>
  await send(visitor, auth.signIn.path, { email, password });

/** The entries under "Sign-ins", newest first: who, action, device and address. */
async function traces(): Promise<unknown[]> {
  const { items } = await admin.call(listActivity, { query: { record_type: "sign-in" } });
  return items.map(({ who, action, recordName, after }) => ({ who, action, recordName, after }));
}

const subjectsTo = async (recipient: string) =>
  (await admin.call(listMail)).items
    .filter((mail) => mail.recipient === recipient)
    .map(({ subject }) => subject);

async function withPassword(): Promise<void> {
  const { userId } = await makeAccount(app.db, network, attorney);
  await givePassword(app.db, userId);
}

describe("the activity of sign-ins", () => {
  test("shows account, address and device, under its own heading", async () => {
    await withPassword();
    const visitor = aVisitor(app);
    visitor.address = "203.0.113.7";
    expect((await signIn(visitor, "a wrong password")).status).toBe(401);
    expect((await signIn(visitor)).status).toBe(200);
    await send(visitor, auth.signOut.path, {});
    const place = { address: "203.0.113.7", device: "Firefox on Windows" };
    const recordName = "Maya Okafor";
    expect(await traces()).toEqual([
      { who: "Maya Okafor", action: "signed out", recordName, after: place },
      {
        who: "Maya Okafor",
        action: "signed in",
        recordName,
        after: { ...place, method: "password" },
      },
      { who: "Somebody", action: "failed to sign in", recordName, after: place },
    ]);
    const changes = await admin.call(listActivity);
    expect(changes.items.filter((entry) => entry.recordType === "sign-in")).toEqual([]);
  });

  test("shows a lock-out once, and nothing for an address without an account", async () => {
    await withPassword();
    const visitor = aVisitor(app);
    for (let failed = 0; failed < 12; failed++) await signIn(visitor, "a wrong password");
    await signIn(visitor, "a wrong password", "nobody@example.test");
    const actions = (await traces()).map((trace) => (trace as { action: string }).action);
    expect(actions.filter((action) => action === "was locked out")).toHaveLength(1);
    expect(actions.filter((action) => action === "failed to sign in")).toHaveLength(10);
    expect(actions).toHaveLength(11);
  });

  test("shows wrong passwords of a signed-in person, where a session thief guesses", async () => {
    await withPassword();
    const visitor = aVisitor(app);
    await signIn(visitor);
    const { csrf } = visitor;
    const thief = Object.assign(aVisitor(app), { csrf, cookies: new Map(visitor.cookies) });
    thief.cookies.delete(cookieName("device", false));
    const changed = { current_password: "a guess", new_password: "another one of words" };
    await send(thief, auth.changePassword.path, changed);
    for (let guessed = 0; guessed < 11; guessed++)
      await send(thief, auth.confirmPassword.path, { password: "a guess" });
    const after = { address: "127.0.0.1", device: "Firefox on Windows" };
    expect((await traces()).slice(0, 2)).toEqual([
      { who: "Somebody", action: "was locked out", recordName: "Maya Okafor", after },
      { who: "Somebody", action: "failed to sign in", recordName: "Maya Okafor", after },
    ]);
    expect(await traces()).toHaveLength(1 + 10 + 1);
  });

  test("shows links made and used, by whom and from where", async () => {
    const { url } = await admin.call(inviteAttorney, { params: { id: attorney.id } });
    const token = url?.split("#")[1];
    const visitor = aVisitor(app);
    await send(visitor, auth.acceptLink.path, { token, password: "a password of words" });
    await send(visitor, auth.requestLink.path, { email: attorney.email });
    expect(await traces()).toMatchObject([
      { who: "Maya Okafor", action: "asked for a new password" },
      {
        who: "Maya Okafor",
        action: "chose a password by a link",
        after: { device: "Firefox on Windows" },
      },
      {
        who: "Dana Whitfield",
        action: "made a sign-in link",
        recordName: "Maya Okafor",
        after: { address: "127.0.0.1", purpose: "invitation" },
      },
    ]);
  });

  test("is deleted after 400 days, without other activity", async () => {
    await app.db
      .insertInto("auditEntries")
      .values(
        ["sign-in", "attorney"].flatMap((recordType) =>
          [399, 401].map((days) => ({
            networkId: network.id,
            actorName: "Somebody",
            action: `did something ${days} days ago`,
            recordType,
            createdAt: sql<string>`now() - make_interval(days => ${days})`,
          })),
        ),
      )
      .execute();
    await removeOldTraces(app.db);
    const kept = await app.db
      .selectFrom("auditEntries")
      .select(["recordType", "action"])
      .where("networkId", "=", network.id)
      .where("action", "like", "did something%")
      .orderBy("id")
      .execute();
    expect(kept.map(({ recordType, action }) => `${recordType} ${action}`)).toEqual([
      "sign-in did something 399 days ago",
      "attorney did something 399 days ago",
      "attorney did something 401 days ago",
    ]);
    const tamper = app.db
      .deleteFrom("auditEntries")
      .where("networkId", "=", network.id)
      .where("recordType", "=", "sign-in");
    await expect(tamper.execute()).rejects.toThrow("never changed or deleted");
  });
});

describe("a person who signs in while the account is being changed waits, and", () => {
  /** Sign in while another transaction, which commits afterwards, changes the account. */
  async function signInDuring(change: (tx: Db, userId: number) => Promise<unknown>) {
    const { userId } = await makeAccount(app.db, network, attorney);
    await givePassword(app.db, userId);
    const visitor = aVisitor(app);
    const signingIn = await inTransaction(app.db, async (tx) => {
      await change(tx, userId);
      const begun = signIn(visitor);
      await expect.poll(() => waitingForLocks(app.db)).toBe(1);
      return [begun];
    });
    return { visitor, reply: await signingIn[0] };
  }

  test("is not signed in with a password that was changed", async () => {
    const { visitor, reply } = await signInDuring((tx, userId) =>
      setPassword(tx, { userId, email: attorney.email, name: "Maya" }, "another one of words"),
    );
    expect(reply).toMatchObject({
      status: 403,
      message: "Your account was changed while you were signing in. Sign in again.",
    });
    expect(reply?.headers["set-cookie"]).toBeUndefined();
    expect((await visitor.call(showSession)).user).toBeNull();
    expect((await signIn(visitor, "another one of words")).status).toBe(200);
  });

  test("needs a code from the authenticator app that was set up", async () => {
    const { visitor, reply } = await signInDuring(async (db, userId) => {
      await lockSignIn(db, userId);
      await giveAuthenticatorApp({ db, secret: app.secret }, { userId, email: attorney.email });
    });
    expect(JSON.parse(reply?.text ?? "")).toMatchObject({ twoFactorRedirect: true });
    expect((await visitor.call(showSession)).user).toBeNull();
  });
});

test("a sign-in that fails at the end leaves no session, no waiting step and no used code", async () => {
  const busy = await anApp({ asOwner: true });
  try {
    const { admin: owner } = await makeNetwork(busy.db);
    await givePassword(busy.db, owner.userId);
    await sql`create function refuse_trace() returns trigger language plpgsql as $$
      begin if new.action = 'signed in' then raise 'no trace'; end if; return null; end $$`.execute(
      busy.db,
    );
    await sql`create trigger refuse_trace after insert on audit_entries
      for each row execute function refuse_trace()`.execute(busy.db);
    const attempt = { email: owner.email, password: testPassword };
    const failing = aVisitor(busy);
    await expect(failing.send("POST", auth.signIn.path, attempt)).rejects.toThrow("500");
    const { secret, recoveryCodes } = await giveAuthenticatorApp(busy, owner);
    await enterPassword(failing, owner.email);
    const [code, recoveryCode = ""] = [await codeOf(secret), recoveryCodes[0]];
    await expect(enterCode(failing, code)).rejects.toThrow("500");
    await expect(enterRecoveryCode(failing, recoveryCode)).rejects.toThrow("500");
    expect(await busy.db.selectFrom("sessions").select("id").execute()).toEqual([]);
    await sql`drop trigger refuse_trace on audit_entries`.execute(busy.db);
    expect((await enterCode(failing, code)).status).toBe(200);
    await enterPassword(failing, owner.email);
    expect((await enterRecoveryCode(failing, recoveryCode)).status).toBe(200);
  } finally {
    await busy.close();
  }
});

describe("a person gets an email", () => {
  test("when a new device signs in, but not a known one", async () => {
    await withPassword();
    const visitor = aVisitor(app);
    await signIn(visitor);
    await send(visitor, auth.signOut.path, {});
    await signIn(visitor);
    expect(await subjectsTo(attorney.email)).toEqual(["A new device signed in to your account"]);
    await signIn(aVisitor(app));
    expect(await subjectsTo(attorney.email)).toHaveLength(2);
  });

  test("but not when the same password was only rehashed since the device was known", async () => {
    await withPassword();
    const visitor = aVisitor(app);
    await signIn(visitor);
    const password = await scryptHash(testPassword);
    await inTransaction(app.db, async (tx) => {
      await sql`select set_config('referral_network.same_password', 'yes', true)`.execute(tx);
      await sql`update accounts set password = ${password}
        where user_id = (select id from users where email = ${attorney.email})`.execute(tx);
    });
    for (const _ of ["renews", "is as any"]) expect((await signIn(visitor)).status).toBe(200);
    expect(await subjectsTo(attorney.email)).toEqual(["A new device signed in to your account"]);
  });

  test("when the password is changed, but not when a first one is chosen", async () => {
    const { url } = await admin.call(inviteAttorney, { params: { id: attorney.id } });
    const token = url?.split("#")[1];
    const visitor = aVisitor(app);
    await visitor.call(auth.acceptLink, { body: { token, password: testPassword } });
    expect(await subjectsTo(attorney.email)).toEqual(["Your access to " + network.name]);
    await signIn(visitor);
    const change = { current_password: testPassword, new_password: "another one of words" };
    await visitor.call(auth.changePassword, { body: change });
    expect((await subjectsTo(attorney.email))[0]).toBe("Your password was changed");
  });

  test("at the old address when the email address of an account in use is changed in any way", async () => {
    await withPassword();
    for (const email of ["maya@new.example.test", "maya@newer.example.test"])
      await app.db
        .updateTable("users")
        .set({ email })
        .where("attorneyId", "=", attorney.id)
        .execute();
    const changed = "The email address of your account was changed";
    expect(await subjectsTo(attorney.email)).toEqual([changed]);
    expect(await subjectsTo("maya@new.example.test")).toEqual([changed]);
    expect(await subjectsTo("maya@newer.example.test")).toEqual([]);
  });
});

test("a link for an account in use goes only by email, and without email there is none", async () => {
  await withPassword();
  const reply = await admin.ask(inviteAttorney, { params: { id: attorney.id } });
  expect(reply).toMatchObject({
    status: 409,
    message:
      "Maya Okafor's account is in use, so a link to choose a new password can only be sent by email. Email is not set up: set it up first, or ask your system administrator to make a link.",
  });
  expect(await subjectsTo(attorney.email)).toEqual([]);
});
