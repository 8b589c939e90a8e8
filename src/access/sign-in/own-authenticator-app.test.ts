import { sql } from "kysely";
import { beforeEach, describe, expect } from "vitest";
import { listActivity } from "#office/activity/contract.ts";
import { showAttorney } from "#people/contract.ts";
import {
  beginAuthenticatorApp,
  changeSecondFactorRequirement,
  confirmAuthenticatorApp,
  listAdministrators,
  removeAuthenticatorApp,
  removeSecondFactorOfAdministrator,
  removeSecondFactorOfAttorney,
  replaceRecoveryCodes,
  showSecondFactor,
  showSecondFactorRequirement,
} from "#access/sign-in/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { sessionCookieName } from "#kit/http/session.ts";
import { setPassword } from "#access/sign-in/accounts.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAdmin, makeNetwork } from "#tests/support/records/networks.ts";
import { createNetwork } from "#access/networks/networks.ts";
import { admin, app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { givePassword } from "#tests/support/passwords.ts";
import {
  codeOf,
  enterCode,
  enterPassword,
  enterRecoveryCode,
  giveAuthenticatorApp,
  wrongCodeOf,
} from "#tests/support/second-factors.ts";
import { anApp } from "#tests/support/running-app.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";

const test = appTest({ network: {}, attorney: {}, lawyer: true });
beforeEach(async () => {
  await givePassword(app.db, network.admin.userId);
});

const idOf = async (visitor: Visitor) => (await visitor.call(showSession)).user?.id ?? null;
const cookie = sessionCookieName(false);

/** Age the session, so that it needs a new confirmation. */
const letConfirmationLapse = () =>
  sql`update sessions set confirmed_at = now() - interval '11 minutes'`.execute(app.db);

describe("setting up an authenticator app", () => {
  test("shows a secret and ten codes once, and takes effect after a code is entered", async () => {
    const begun = await admin.call(beginAuthenticatorApp);
    expect(begun.uri).toContain("otpauth://totp/Referral%20Network:");
    expect(begun.uri).toContain(`secret=${begun.secret}`);
    expect(new Set(begun.recoveryCodes).size).toBe(10);
    expect(await admin.call(showSecondFactor)).toEqual({
      authenticatorAppSince: null,
      recoveryCodesLeft: 0,
    });
    const visitor = aVisitor(app);
    await enterPassword(visitor, network.admin.email);
    expect(await idOf(visitor)).toBe(network.admin.userId);

    const wrong = await wrongCodeOf(begun.secret);
    const refused = await admin.ask(confirmAuthenticatorApp, { body: { code: wrong } });
    expect([refused.status, refused.errors[0]?.path]).toEqual([422, "code"]);
    const code = (await codeOf(begun.secret)).replace(/^.../, "$& ");
    const confirmed = await admin.call(confirmAuthenticatorApp, { body: { code } });
    expect(confirmed).toMatchObject({ recoveryCodesLeft: 10 });
    expect(await idOf(visitor)).toBeNull(); // its session began without a code
    expect(await idOf(admin)).toBe(network.admin.userId);

    const again = await admin.ask(beginAuthenticatorApp);
    expect([again.status, again.message]).toEqual([
      409,
      "You already have an authenticator app. Remove it first.",
    ]);
    const { items } = await admin.call(listActivity, { query: { record_type: "sign-in" } });
    expect(items[0]?.action).toBe("set up an authenticator app");
    expect(JSON.stringify(items)).not.toContain(begun.secret);
  });

  test("started again makes a new secret; unconfirmed, its recovery codes do not work", async () => {
    const first = await admin.call(beginAuthenticatorApp);
    const second = await admin.call(beginAuthenticatorApp);
    const old = await admin.ask(confirmAuthenticatorApp, {
      body: { code: await codeOf(first.secret) },
    });
    expect(old.status).toBe(422);
    await admin.call(confirmAuthenticatorApp, { body: { code: await codeOf(second.secret) } });
    await admin.call(removeAuthenticatorApp);
    const none = await admin.ask(confirmAuthenticatorApp, { body: { code: "123456" } });
    expect([none.status, none.message]).toEqual([
      409,
      "No authenticator app is being set up. Start again.",
    ]);
    // A passkey also causes a second step, but an unconfirmed app is not a factor.
    const { recoveryCodes } = await admin.call(beginAuthenticatorApp);
    await app.db
      .insertInto("passkeys")
      .values({
        userId: network.admin.userId,
        publicKey: "x",
        credentialId: `one-${network.id}`,
        counter: 0,
        deviceType: "singleDevice",
        backedUp: false,
      })
      .execute();
    const visitor = aVisitor(app);
    expect(JSON.parse((await enterPassword(visitor, network.admin.email)).text)).toEqual({
      twoFactorRedirect: true,
      twoFactorMethods: [],
    });
    expect((await enterRecoveryCode(visitor, recoveryCodes[0] ?? "")).status).toBe(401);
    expect(await idOf(visitor)).toBeNull();
  });

  test("or removing it or its codes needs a new confirmation after ten minutes", async () => {
    await giveAuthenticatorApp(app, network.admin);
    await letConfirmationLapse();
    const calls = [beginAuthenticatorApp, removeAuthenticatorApp, replaceRecoveryCodes];
    for (const call of calls) {
      const reply = await admin.send("POST", call.path, {});
      expect([reply.status, reply.errors[0]?.path]).toEqual([403, "confirmation"]);
    }
    expect((await admin.call(showSecondFactor)).recoveryCodesLeft).toBe(10);
  });
});

describe("signing in with a second factor", () => {
  test("takes the password, then a code from the app, without a session in between", async () => {
    const { secret } = await giveAuthenticatorApp(app, network.admin);
    const visitor = aVisitor(app);
    const first = await enterPassword(visitor, network.admin.email);
    expect(first.status).toBe(200);
    expect(JSON.parse(first.text)).toEqual({
      twoFactorRedirect: true,
      twoFactorMethods: ["totp"],
    });
    expect(await idOf(visitor)).toBeNull();
    expect(String(first.headers["set-cookie"])).toMatch(
      /^referral-network\.two_factor=[^,]*; HttpOnly; SameSite=Lax$/,
    );
    expect([...visitor.cookies.keys()].filter((name) => /session|device/.test(name))).toEqual([]);
    const signedInBefore = await app.db
      .selectFrom("auditEntries")
      .select("id")
      .where("networkId", "=", network.id)
      .where("action", "=", "signed in")
      .execute();
    expect(signedInBefore).toEqual([]);

    const wrong = await enterCode(visitor, await wrongCodeOf(secret));
    expect([wrong.status, JSON.parse(wrong.text)]).toMatchObject([401, { code: "INVALID_CODE" }]);
    expect(await idOf(visitor)).toBeNull();
    const right = await enterCode(visitor, await codeOf(secret));
    expect(right.status).toBe(200);
    expect(JSON.parse(right.text)).toMatchObject({ user: { email: network.admin.email } });
    expect(await idOf(visitor)).toBe(network.admin.userId);
    const entry = await app.db
      .selectFrom("auditEntries")
      .select("after")
      .where("networkId", "=", network.id)
      .where("action", "=", "signed in")
      .executeTakeFirstOrThrow();
    expect(entry.after).toMatchObject({ method: "authenticator app" });
  });

  test("works the same over TLS, where cookies have other names", async () => {
    const secure = await anApp({ publicUrl: "https://dues.example.test" });
    try {
      const office = await makeNetwork(secure.db);
      await givePassword(secure.db, office.admin.userId);
      const { secret } = await giveAuthenticatorApp(secure, office.admin);
      const visitor = aVisitor(secure);
      const { headers } = await enterPassword(visitor, office.admin.email);
      expect(String(headers["set-cookie"])).toMatch(
        /^__\w+-referral-network\.two_factor=.*; Secure/,
      );
      expect((await enterCode(visitor, await codeOf(secret))).status).toBe(200);
      expect(await idOf(visitor)).toBe(office.admin.userId);
    } finally {
      await secure.close();
    }
  });

  test("keeps the browser's current session until the code is entered, and then switches accounts", async () => {
    const colleague = { userId: await makeAdmin(app.db, network), email: "" };
    const { email } = await app.db
      .selectFrom("users")
      .select("email")
      .where("id", "=", colleague.userId)
      .executeTakeFirstOrThrow();
    await givePassword(app.db, colleague.userId);
    const { secret } = await giveAuthenticatorApp(app, { ...colleague, email });
    await enterPassword(admin, email);
    expect(await idOf(admin)).toBe(network.admin.userId);
    const before = admin.cookies.get(cookie) ?? "";
    expect((await enterCode(admin, await codeOf(secret))).status).toBe(200);
    expect(await idOf(admin)).toBe(colleague.userId);
    const copy = aVisitor(app);
    copy.cookies.set(cookie, before);
    expect(await idOf(copy)).toBeNull();
  });

  test("works with each recovery code once, with or without dash and capitals", async () => {
    const { recoveryCodes } = await giveAuthenticatorApp(app, network.admin);
    const [first = "", second = ""] = recoveryCodes;
    for (const written of [first, ` ${second.replace("-", "").toUpperCase()}`]) {
      const visitor = aVisitor(app);
      await enterPassword(visitor, network.admin.email);
      expect((await enterRecoveryCode(visitor, written)).status).toBe(200);
      expect(await idOf(visitor)).toBe(network.admin.userId);
      expect((await visitor.call(showSecondFactor)).recoveryCodesLeft).toBe(
        written === first ? 9 : 8,
      );
    }
    const late = aVisitor(app);
    await enterPassword(late, network.admin.email);
    expect((await enterRecoveryCode(late, first)).status).toBe(401);

    const { recoveryCodes: renewed } = await admin.call(replaceRecoveryCodes);
    expect(renewed).toHaveLength(10);
    expect((await enterRecoveryCode(late, recoveryCodes[2] ?? "")).status).toBe(401);
    expect((await enterRecoveryCode(late, renewed[0] ?? "")).status).toBe(200);
  });

  test("needs only the password after the factor is removed", async () => {
    await giveAuthenticatorApp(app, network.admin);
    expect(await admin.call(removeAuthenticatorApp)).toEqual({
      authenticatorAppSince: null,
      recoveryCodesLeft: 0,
    });
    for (const call of [removeAuthenticatorApp, replaceRecoveryCodes])
      expect((await admin.send("POST", call.path, {})).status).toBe(409);
    const visitor = aVisitor(app);
    await enterPassword(visitor, network.admin.email);
    expect(await idOf(visitor)).toBe(network.admin.userId);
  });

  test.each([
    ["verify-totp", { code: "12345" }, "Enter the six digits that the app shows."],
    ["verify-totp", { code: "" }, "Enter the six digits that the app shows."],
    ["verify-backup-code", { code: "123456" }, "Enter one of your recovery codes"],
    ["verify-backup-code", {}, "Code must be given."],
  ])("refuses text that cannot be a code with a message (%s %j)", async (step, body, message) => {
    const reply = await aVisitor(app).send("POST", `/api/auth/two-factor/${step}`, body);
    expect([reply.status, reply.message]).toEqual([422, expect.stringContaining(message)]);
  });

  test("treats a used code as wrong, and after five wrong codes accepts none", async () => {
    const { secret } = await giveAuthenticatorApp(app, network.admin);
    const [first, second] = [aVisitor(app), aVisitor(app)];
    await enterPassword(first, network.admin.email);
    const used = await codeOf(secret);
    expect((await enterCode(first, used)).status).toBe(200);
    await enterPassword(second, network.admin.email);
    for (let tries = 0; tries < 5; tries += 1)
      expect((await enterCode(second, used)).status).toBe(401);
    expect((await enterCode(second, await codeOf(secret, 1))).status).toBe(400);
    expect(await idOf(second)).toBeNull();
  });

  test("does not work with a code without the password first", async () => {
    const { secret, recoveryCodes } = await giveAuthenticatorApp(app, network.admin);
    for (const visitor of [aVisitor(app), admin]) {
      expect((await enterCode(visitor, await codeOf(secret))).status).toBe(401);
      expect((await enterRecoveryCode(visitor, recoveryCodes[0] ?? "")).status).toBe(401);
    }
  });
});

describe("a network that requires second factors of its administrators", () => {
  const due = async (visitor: Visitor) => (await visitor.call(showSession)).user?.secondFactorDueAt;
  const requireIt = (required: boolean, who = admin) =>
    who.ask(changeSecondFactorRequirement, { body: { required } });
  const requiredDaysAgo = (days: number, of = network.id) =>
    sql`update networks set second_factor_required_since = now() - make_interval(days => ${days}) where id = ${of}`.execute(
      app.db,
    );
  const madeDaysAgo = (days: number) =>
    sql`update users set created_at = now() - make_interval(days => ${days}) where network_id = ${network.id}`.execute(
      app.db,
    );

  test("gives each seven days, from the change or from when their account was made", async () => {
    await madeDaysAgo(400);
    expect(await due(admin)).toBeNull();
    expect((await requireIt(true)).object).toMatchObject({ required: true });
    const days = async (visitor: Visitor) =>
      Math.round((Date.parse((await due(visitor)) ?? "") - Date.now()) / 86_400_000);
    expect(await days(admin)).toBe(7);
    await requiredDaysAgo(30);
    const colleague = await makeAdmin(app.db, network);
    const newcomer = await signedIn(app, "admin", {
      ...network,
      admin: { ...network.admin, userId: colleague },
    });
    expect(await days(newcomer)).toBe(7);
    expect((await newcomer.ask(listAdministrators)).status).toBe(200);
    expect(await due(lawyer)).toBeNull();
  });

  test("then lets administrators without one do nothing but set it up", async () => {
    await madeDaysAgo(400);
    await requiredDaysAgo(8);
    const refused = await admin.ask(listAdministrators);
    expect([refused.status, refused.errors[0]?.path]).toEqual([403, "second_factor"]);
    expect(refused.message).toBe(
      "Your network requires administrators to use a second factor. Set one up under your account first.",
    );
    for (const one of [
      () => admin.ask(showAttorney, { params: { id: attorney.id } }),
      () => requireIt(false),
      () => admin.sendRaw({ method: "GET", url: "/legal_networks/logo" }),
    ])
      expect((await one()).status).toBe(403);
    expect((await lawyer.ask(showAttorney, { params: { id: attorney.id } })).status).toBe(200);
    const visitor = aVisitor(app);
    await enterPassword(visitor, network.admin.email); // signing in still works
    const { secret } = await visitor.call(beginAuthenticatorApp);
    await visitor.call(confirmAuthenticatorApp, { body: { code: await codeOf(secret) } });
    expect((await visitor.ask(listAdministrators)).status).toBe(200);
    expect(await due(visitor)).toBeNull();
  });

  test("is the default for a network created by an operator, but not for the demo", async () => {
    expect(await admin.call(showSecondFactorRequirement)).toEqual({ required: false, since: null });
    const id = await app.db.transaction().execute((tx) =>
      createNetwork(tx, {
        name: "New",
        timeZone: "America/New_York",
        permitsMatterEditing: false,
      }),
    );
    const made = { ...network, id };
    const first = await makeAdmin(app.db, made);
    const visitor = await signedIn(app, "admin", {
      ...made,
      admin: { ...network.admin, userId: first },
    });
    expect((await visitor.call(showSecondFactorRequirement)).required).toBe(true);
    expect((await visitor.ask(listAdministrators)).status).toBe(200);
  });

  test("needs a recent confirmation to switch it off; both changes are in the activity", async () => {
    await requireIt(true);
    await requireIt(true); // changes nothing
    await letConfirmationLapse();
    const refused = await requireIt(false);
    expect([refused.status, refused.errors[0]?.path]).toEqual([403, "confirmation"]);
    await sql`update sessions set confirmed_at = now()`.execute(app.db);
    expect((await requireIt(false)).object).toEqual({ required: false, since: null });
    const { items } = await admin.call(listActivity);
    expect(items.map(({ action }) => action)).toEqual([
      "stopped requiring second factors",
      "required second factors",
    ]);
  });
});

describe("a lost second factor", () => {
  const removeOf = (id: number, who = admin) =>
    who.ask(removeSecondFactorOfAdministrator, { params: { id } });

  test("can be removed by another administrator, with an email, an activity entry and ended sessions", async () => {
    const email = `lost-${network.id}@example.test`;
    const colleague = await makeAdmin(app.db, network, { name: "Grace Ful", email });
    await givePassword(app.db, colleague);
    await giveAuthenticatorApp(app, { userId: colleague, email });
    const theirs = await signedIn(app, "admin", {
      ...network,
      admin: { ...network.admin, userId: colleague },
    });
    const stateOf = async () =>
      (await admin.call(listAdministrators)).find(({ id }) => id === colleague)?.hasSecondFactor;
    expect(await stateOf()).toBe(true);
    expect((await removeOf(colleague)).object).toEqual({ removed: true });
    expect(await stateOf()).toBe(false);
    expect(await idOf(theirs)).toBeNull();
    const visitor = aVisitor(app);
    await enterPassword(visitor, email);
    expect(await idOf(visitor)).toBe(colleague);
    const mail = await app.db
      .selectFrom("mails")
      .select(["subject", "body"])
      .where("recipient", "=", email)
      .executeTakeFirstOrThrow();
    expect(mail.subject).toBe("Your second factor was removed");
    expect(mail.body).toContain("Ada Min has removed the second factor");
    const { items } = await admin.call(listActivity, { query: { record_type: "sign-in" } });
    expect(items.map(({ action }) => action)).toContain("removed second factor");
    expect((await removeOf(colleague)).message).toBe("Grace Ful has no second factor.");
  });

  test("cannot be removed while an app is only being set up; nothing ends", async () => {
    const colleague = await makeAdmin(app.db, network, { name: "Grace Ful" });
    const theirs = await signedIn(app, "admin", {
      ...network,
      admin: { ...network.admin, userId: colleague },
    });
    const { secret } = await theirs.call(beginAuthenticatorApp);
    const reply = await removeOf(colleague);
    expect([reply.status, reply.message]).toEqual([409, "Grace Ful has no second factor."]);
    await theirs.call(confirmAuthenticatorApp, { body: { code: await codeOf(secret) } });
  });

  test("must be another person's in the same network, and needs a recent confirmation", async () => {
    await giveAuthenticatorApp(app, network.admin);
    expect((await removeOf(network.admin.userId)).status).toBe(409);
    const other = await makeNetwork(app.db);
    await giveAuthenticatorApp(app, other.admin);
    expect((await removeOf(other.admin.userId)).status).toBe(404);
    await letConfirmationLapse();
    expect((await removeOf(other.admin.userId)).errors[0]?.path).toBe("confirmation");
  });

  test("of an attorney is removed on the attorney's page", async () => {
    const removeTheirs = (id: number) =>
      admin.ask(removeSecondFactorOfAttorney, { params: { id } });
    const shown = async () =>
      (await admin.call(showAttorney, { params: { id: attorney.id } })).hasSecondFactor;
    const { secret } = await lawyer.call(beginAuthenticatorApp);
    await lawyer.call(confirmAuthenticatorApp, { body: { code: await codeOf(secret) } });
    expect(await shown()).toBe(true);
    expect((await removeTheirs(attorney.id)).status).toBe(200);
    expect(await shown()).toBe(false);
    expect(await idOf(lawyer)).toBeNull();
    expect((await removeTheirs(attorney.id)).status).toBe(409);
  });

  describe("cannot be removed for seven days", () => {
    const removeTheirs = () =>
      admin.ask(removeSecondFactorOfAttorney, { params: { id: attorney.id } });
    const letDaysPass = (days: number) =>
      sql`update users set password_changed_at = password_changed_at - make_interval(days => ${days}),
        email_changed_at = email_changed_at - make_interval(days => ${days})
        where network_id = ${network.id}`.execute(app.db);
    const mailsAbout = async (recipient: string, subject: string) =>
      (await mailsOf(app.db, network)).filter(
        (mail) => mail.recipient === recipient && mail.subject === subject,
      );
    const asked = "Someone asked to remove your second factor";
    const removed = "Your second factor was removed";
    let account: { userId: number; email: string };
    beforeEach(async () => {
      account = await makeAccount(app.db, network, attorney);
      await givePassword(app.db, account.userId);
      await giveAuthenticatorApp(app, account);
    });

    test("after a new password; its owner gets one email a day about attempts", async () => {
      await inTransaction(app.db, (tx) =>
        setPassword(tx, { ...account, name: "Maya" }, "another long one"),
      );
      const first = await removeTheirs();
      await removeTheirs();
      expect(first.status).toBe(409);
      expect(first.message).toMatch(
        /^The password of Grace Hopper .+ was changed less than seven days ago\. You can remove the second factor on or after \d\d\/\d\d\/\d{4}\.$/,
      );
      expect(await mailsAbout(account.email, asked)).toMatchObject([
        { body: expect.stringContaining("your password was changed less than seven days ago") },
      ]);
      const { items } = await admin.call(listActivity, { query: { record_type: "sign-in" } });
      expect(items[0]).toMatchObject({
        action: "was refused to remove second factor",
        who: "Ada Min",
      });
      await letDaysPass(6);
      expect((await removeTheirs()).status).toBe(409);
      await letDaysPass(1);
      expect((await removeTheirs()).status).toBe(200);
      expect(await mailsAbout(account.email, removed)).toHaveLength(1);
    });

    test("after a change of address has taken effect", async () => {
      const email = `changed-${network.id}@example.test`;
      await app.db.updateTable("users").set({ email }).where("id", "=", account.userId).execute();
      const refused = await removeTheirs();
      expect([refused.status, refused.message]).toEqual([
        409,
        expect.stringMatching(/^The email address of Grace Hopper /),
      ]);
      expect(await mailsAbout(email, asked)).toHaveLength(1);
      await letDaysPass(7);
      expect((await removeTheirs()).status).toBe(200);
    });

    test("and the previous address gets an email too", async () => {
      const { email: oldEmail, userId } = account;
      const newEmail = `changed-${network.id}@example.test`;
      await sql`insert into email_changes (network_id, user_id, old_email, new_email, asked_by, old_code_hash,
          new_code_hash, confirmed_by_new_at, ended_at, ended)
        values (${network.id}, ${userId}, ${oldEmail}, ${newEmail}, 'Ada Min', 'o', 'n', now(), now(), 'applied')`.execute(
        app.db,
      );
      await app.db.updateTable("users").set({ email: newEmail }).where("id", "=", userId).execute();
      expect((await removeTheirs()).status).toBe(409);
      await letDaysPass(7);
      expect((await removeTheirs()).status).toBe(200);
      for (const recipient of [oldEmail, newEmail])
        for (const subject of [asked, removed])
          expect(await mailsAbout(recipient, subject)).toHaveLength(1);
    });

    test("also for an administrator, but not after a first password", async () => {
      const colleague = await makeAdmin(app.db, network, { name: "Grace Ful" });
      const { email } = await app.db
        .selectFrom("users")
        .select("email")
        .where("id", "=", colleague)
        .executeTakeFirstOrThrow();
      const of = { userId: colleague, email, name: "Grace Ful" };
      const choose = (password: string) =>
        inTransaction(app.db, (tx) => setPassword(tx, of, password));
      expect(await choose("a first long one")).toBe("chosen");
      await giveAuthenticatorApp(app, of);
      expect((await removeOf(colleague)).status).toBe(200);
      await giveAuthenticatorApp(app, of);
      expect(await choose("another long one")).toBe("changed");
      expect((await removeOf(colleague)).status).toBe(409);
    });
  });
});
