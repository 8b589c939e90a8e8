import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, vi } from "vitest";
import {
  acceptLink,
  beginAuthenticatorApp,
  changePassword,
  confirmAuthenticatorApp,
  removeAuthenticatorApp,
  requestLink,
} from "#access/sign-in/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { makeSignInLink } from "#access/sign-in/sign-in-links.ts";
import { sessionCookieName } from "#kit/http/session.ts";
import { makeAdmin } from "#tests/support/records/networks.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
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

/* Attempts by someone who has stolen a password and is asked for a code. */

const test = appTest({ rateLimits: true, network: {} });

let secret: string;
let recoveryCodes: string[];
beforeEach(async () => {
  await givePassword(app.db, network.admin.userId);
  ({ secret, recoveryCodes } = await giveAuthenticatorApp(app, network.admin));
});
afterEach(() => {
  vi.useRealTimers();
});

const idOf = async (visitor: Visitor) => (await visitor.call(showSession)).user?.id ?? null;
const waitingCookie = sessionCookieName(false).replace("session_token", "two_factor");

/** Somebody who has entered the password and must enter a code. */
async function waiting(email = network.admin.email, password = testPassword): Promise<Visitor> {
  const visitor = aVisitor(app);
  const { text } = await enterPassword(visitor, email, password);
  expect(JSON.parse(text)).toMatchObject({ twoFactorRedirect: true });
  return visitor;
}

/** Move the failure counts into the past. */
const minutesLater = (minutes: number) =>
  sql`update sign_in_failures set failed_at = failed_at - make_interval(mins => ${minutes})`.execute(
    app.db,
  );

describe("a code that an attacker has seen", () => {
  test("is good once, and so are no earlier ones", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const [before, code] = [await codeOf(secret, -1), await codeOf(secret)];
    expect((await enterCode(await waiting(), code)).status).toBe(200);
    const thief = await waiting();
    for (const used of [code, before]) expect((await enterCode(thief, used)).status).toBe(401);
    expect(await idOf(thief)).toBeNull();
    expect((await enterCode(await waiting(), await codeOf(secret, 1))).status).toBe(200);
  });

  test("lets in one of two who send it at the same moment", async () => {
    const [one, other] = [await waiting(), await waiting()];
    const code = await codeOf(secret);
    const replies = await Promise.all([enterCode(one, code), enterCode(other, code)]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  });

  test("that set up the app is used up", async () => {
    await admin.call(removeAuthenticatorApp);
    const begun = await admin.call(beginAuthenticatorApp);
    const code = await codeOf(begun.secret);
    await admin.call(confirmAuthenticatorApp, { body: { code } });
    expect((await enterCode(await waiting(), code)).status).toBe(401);
  });
});

test("a code is good half a minute early and late, but no more", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  for (const steps of [-2, 2])
    expect((await enterCode(await waiting(), await codeOf(secret, steps))).status).toBe(401);
  for (const steps of [-1, 1])
    expect((await enterCode(await waiting(), await codeOf(secret, steps))).status).toBe(200);
});

describe("guessing codes", () => {
  test("ends a sign-in after five, and all sign-ins of the account after ten from anywhere, also at the same time", async () => {
    const wrong = await wrongCodeOf(secret);
    const first = await waiting();
    for (let guess = 0; guess < 5; guess += 1)
      expect((await enterCode(first, wrong)).status).toBe(401);
    expect((await enterCode(first, await codeOf(secret))).status).toBe(400); // the password again
    const crowd: Visitor[] = [];
    for (let index = 0; index < 7; index += 1) {
      const visitor = await waiting();
      visitor.address = `198.51.100.${index}`;
      crowd.push(visitor);
    }
    const guesses = await Promise.all(crowd.map((visitor) => enterCode(visitor, wrong)));
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(4); // ten with the first six
    const refused = guesses.find(({ status }) => status === 429);
    expect(refused?.message).toMatch(/^Too many wrong codes\. Try again in 1[45] minutes, or/);
    expect(Number(refused?.headers["retry-after"])).toBeGreaterThan(0);
    const mails = await app.db
      .selectFrom("mails")
      .select("subject")
      .where("recipient", "=", network.admin.email)
      .execute();
    expect(mails).toEqual([{ subject: "Wrong codes were entered for your account" }]);
    const recovery = await enterRecoveryCode(await waiting(), recoveryCodes[0] ?? "");
    expect(recovery.status).toBe(429); // one count for both
    await minutesLater(16);
    expect((await enterCode(await waiting(), await codeOf(secret, 1))).status).toBe(200);
  });

  test("ends for a day after fifty, however slowly; the owner is emailed, and their browser lets them in", async () => {
    const owner = await waiting();
    await enterCode(owner, await codeOf(secret));
    const wrong = await wrongCodeOf(secret);
    const guessTen = async (guess: (thief: Visitor) => Promise<Reply>) => {
      const statuses: number[] = [];
      for (let signIn = 0; signIn < 2; signIn += 1) {
        const thief = await waiting();
        thief.address = `203.0.113.${signIn}`;
        for (let tried = 0; tried < 5; tried += 1) statuses.push((await guess(thief)).status);
      }
      await minutesLater(16);
      return statuses.filter((status) => status === 401).length;
    };
    for (let round = 0; round < 4; round += 1)
      expect(await guessTen((thief) => enterCode(thief, wrong))).toBe(10);
    expect(await guessTen((thief) => enterRecoveryCode(thief, "aaaaa-aaaaa"))).toBe(10);

    const refused = await enterCode(await waiting(), await codeOf(secret, 1));
    expect(refused.status).toBe(429);
    expect(refused.message).toMatch(
      /^Too many wrong codes\. Try again in 23 hours, or in a browser/,
    );
    const hours = Number(refused.headers["retry-after"]) / 3600;
    expect([hours > 22, hours < 23]).toEqual([true, true]);
    expect((await enterRecoveryCode(await waiting(), recoveryCodes[0] ?? "")).status).toBe(429);
    const mails = app.db.selectFrom("mails").select("subject");
    expect(await mails.where("recipient", "=", network.admin.email).execute()).toContainEqual({
      subject: "Wrong codes were entered for your account",
    });
    // A right code from elsewhere would not reset the count, and the owner's browser has its own.
    await enterPassword(owner, network.admin.email);
    expect((await enterRecoveryCode(owner, recoveryCodes[1] ?? "")).status).toBe(200);
    expect((await enterRecoveryCode(await waiting(), recoveryCodes[2] ?? "")).status).toBe(429);

    // Nor does a new password, which the email advises; but the browser in which the owner chooses it stays
    // known.
    const link = await inTransaction(app.db, (tx) =>
      makeSignInLink(tx, network.admin, "password_reset", {
        publicUrl: "",
        by: network.admin,
        from: null,
      }),
    );
    const body = { token: link.url.split("#")[1] ?? "", password: "another one of words" };
    await owner.call(acceptLink, { body });
    await enterPassword(owner, network.admin.email, body.password);
    expect((await enterRecoveryCode(owner, recoveryCodes[2] ?? "")).status).toBe(200);
    const stranger = () => waiting(network.admin.email, body.password);
    expect((await enterRecoveryCode(await stranger(), recoveryCodes[3] ?? "")).status).toBe(429);

    await minutesLater(24 * 60);
    expect((await enterRecoveryCode(await stranger(), recoveryCodes[3] ?? "")).status).toBe(200);
  });

  test("in a known browser ends for a day after fifty, too: it may have been stolen", async () => {
    const owner = await waiting();
    await enterCode(owner, await codeOf(secret));
    const wrong = await wrongCodeOf(secret);
    for (let round = 0; round < 10; round += 1) {
      await enterPassword(owner, network.admin.email);
      for (let guess = 0; guess < 5; guess += 1)
        expect((await enterCode(owner, wrong)).status).toBe(401);
      if (round % 2 === 1) await minutesLater(16);
    }
    await enterPassword(owner, network.admin.email);
    expect((await enterRecoveryCode(owner, recoveryCodes[0] ?? "")).status).toBe(429);
    expect((await enterRecoveryCode(await waiting(), recoveryCodes[1] ?? "")).status).toBe(200);
  });

  test("a right password does not reset the count of wrong passwords while the code is missing", async () => {
    for (let guess = 0; guess < 9; guess += 1)
      await enterPassword(aVisitor(app), network.admin.email, "not the password");
    await waiting();
    await enterPassword(aVisitor(app), network.admin.email, "not the password");
    expect((await enterPassword(aVisitor(app), network.admin.email)).status).toBe(429);
  });
});

describe("an attacker who has the password and guesses codes to lock its owner out", () => {
  const guessAway = async () => {
    const wrong = await wrongCodeOf(secret);
    for (let round = 0; round < 2; round += 1) {
      const thief = await waiting();
      thief.address = "203.0.113.9";
      for (let guess = 0; guess < 5; guess += 1) await enterCode(thief, wrong);
    }
  };

  test("fails: the owner's browser has a count of its own", async () => {
    const owner = await waiting();
    await enterCode(owner, await codeOf(secret));
    await guessAway();
    expect((await enterCode(await waiting(), await codeOf(secret, 1))).status).toBe(429);
    await enterPassword(owner, network.admin.email);
    expect((await enterCode(owner, await codeOf(secret, 1))).status).toBe(200);
    expect(await idOf(owner)).toBe(network.admin.userId);
  });

  test("is locked out once the owner has chosen a new password, though the mailbox is no second factor", async () => {
    await guessAway();
    const owner = aVisitor(app);
    await owner.call(requestLink, { body: { email: network.admin.email } });
    const { body } = await app.db
      .selectFrom("mails")
      .select("body")
      .where("recipient", "=", network.admin.email)
      .where("subject", "=", "Choose a new password")
      .executeTakeFirstOrThrow();
    const token = /#([\w-]+)/.exec(body ?? "")?.[1];
    const password = "a new one entirely";
    await owner.call(acceptLink, { body: { token, password } });
    expect((await enterPassword(aVisitor(app), network.admin.email)).status).toBe(401);
    await enterPassword(owner, network.admin.email, password);
    expect((await enterCode(owner, await codeOf(secret))).status).toBe(429); // no known browser yet
    await minutesLater(16);
    expect((await enterCode(owner, await codeOf(secret))).status).toBe(200);
  });

  test("has no count of an earlier sign-in, from before there was an app", async () => {
    await admin.call(removeAuthenticatorApp);
    const thief = aVisitor(app);
    await enterPassword(thief, network.admin.email); // the browser is known now
    ({ secret } = await giveAuthenticatorApp(app, network.admin));
    await guessAway();
    await enterPassword(thief, network.admin.email);
    expect((await enterCode(thief, await codeOf(secret))).status).toBe(429);
  });
});

describe("a recovery code", () => {
  test("lets in one of two who send it at the same moment", async () => {
    const visitors = [await waiting(), await waiting()];
    const code = recoveryCodes[0] ?? "";
    const replies = await Promise.all(visitors.map((one) => enterRecoveryCode(one, code)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const ids = await Promise.all(visitors.map(idOf));
    expect(ids.filter((id) => id !== null)).toEqual([network.admin.userId]);
  });
});

describe("a sign-in that waits for its code", () => {
  test("does not accept another account's code", async () => {
    const email = `other-${network.id}@example.test`;
    const userId = await makeAdmin(app.db, network, { email });
    await givePassword(app.db, userId);
    const own = await giveAuthenticatorApp(app, { userId, email });
    const thief = await waiting();
    expect((await enterCode(thief, await codeOf(own.secret))).status).toBe(401);
    expect((await enterRecoveryCode(thief, own.recoveryCodes[0] ?? "")).status).toBe(401);
    // Another session of their own changes nothing: the code would be right for that account.
    const signedInThief = await waiting(email);
    await enterCode(signedInThief, await codeOf(own.secret));
    expect(await idOf(signedInThief)).toBe(userId);
    await enterPassword(signedInThief, network.admin.email);
    const reply = await enterCode(signedInThief, await codeOf(own.secret, 1));
    expect(reply.status).toBe(401);
    expect(await idOf(signedInThief)).toBe(userId);
  });

  test("does not work with a forged cookie or one of another kind", async () => {
    const visitor = await waiting();
    const value = visitor.cookies.get(waitingCookie) ?? "";
    for (const forged of [
      value.replace(/\..*$/, ".x"),
      `${value}x`,
      admin.cookies.get(sessionCookieName(false)) ?? "",
    ]) {
      visitor.cookies.set(waitingCookie, forged);
      expect((await enterCode(visitor, await codeOf(secret))).status).toBe(401);
    }
  });

  test.each<[string, () => Promise<unknown>]>([
    [
      "the password is changed",
      () =>
        admin.call(changePassword, {
          body: { current_password: testPassword, new_password: "another long one" },
        }),
    ],
    [
      "the email address is changed",
      () =>
        app.db
          .updateTable("users")
          .set({ email: `moved-${network.id}@example.test` })
          .where("id", "=", network.admin.userId)
          .execute(),
    ],
    [
      "the app is removed, and another one set up",
      async () => {
        await admin.call(removeAuthenticatorApp);
        ({ secret } = await giveAuthenticatorApp(app, network.admin));
      },
    ],
  ])("ends when %s", async (_, change) => {
    const visitor = await waiting();
    await change();
    expect((await enterCode(visitor, await codeOf(secret))).status).toBe(401);
    expect(await idOf(visitor)).toBeNull();
  });

  test("ends after ten minutes, and once it was used", async () => {
    const late = await waiting();
    await sql`update verifications set expires_at = now() - interval '1 second'`.execute(app.db);
    expect((await enterCode(late, await codeOf(secret))).status).toBe(401);
    const visitor = await waiting();
    const copy = aVisitor(app);
    copy.cookies.set(waitingCookie, visitor.cookies.get(waitingCookie) ?? "");
    expect((await enterCode(visitor, await codeOf(secret, 1))).status).toBe(200);
    expect((await enterRecoveryCode(copy, recoveryCodes[0] ?? "")).status).toBe(401);
  });

  test("ends no other session of the account, even if it has a hundred", async () => {
    await sql`
      insert into sessions (user_id, token, expires_at)
      select ${network.admin.userId}, ${`many-${network.id}-`} || n, now() + interval '1 hour'
      from generate_series(2, 100) as n`.execute(app.db);
    await waiting();
    const { rows } = await sql<{ count: number }>`
      select count(*) from sessions where user_id = ${network.admin.userId}`.execute(app.db);
    expect(rows).toEqual([{ count: 100 }]);
    expect(await idOf(admin)).toBe(network.admin.userId); // the oldest
  });
});

test("no browser can skip the code", async () => {
  const visitor = await waiting();
  for (const [step, code] of [
    ["verify-totp", await codeOf(secret)],
    ["verify-backup-code", recoveryCodes[0]],
  ]) {
    const body = { code, trustDevice: true };
    const reply = await visitor.send("POST", `/api/auth/two-factor/${step}`, body);
    expect([reply.status, reply.errors[0]?.path]).toEqual([422, "trustDevice"]);
  }
  const rest = ["enable", "disable", "get-totp-uri", "send-otp", "verify-otp"];
  for (const path of [...rest, "generate-backup-codes", "view-backup-codes"]) {
    const reply = await admin.send("POST", `/api/auth/two-factor/${path}`, {
      password: testPassword,
    });
    expect(reply.status).toBe(404);
  }
});
