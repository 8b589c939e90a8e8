import { showSession } from "#kit/contract/session.ts";
import { sql } from "kysely";
import { describe, expect } from "vitest";
import { editAttorney, inviteAttorney } from "#people/contract.ts";
import * as auth from "#access/sign-in/contract.ts";
import { makeSignInLink } from "#access/sign-in/sign-in-links.ts";
import { recordDeparture, recordReturn } from "#people/departures/contract.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { todayInNewYork } from "#tests/support/today.ts";

/*
 * A sign-in link that somebody saved, or found in a mailbox: after a change of the account it no longer
 * works, reveals nothing of the account, and changes nothing.
 */

const test = appTest({ sendsMail: true, network: {}, attorney: {} });

const publicUrl = "https://dues.example.test";
const chosen = "a password of the owner";
const today = todayInNewYork();
const codeIn = (text: string | null | undefined) => /#([\w-]{43})/.exec(text ?? "")?.[1] ?? "";

interface SavedLink {
  code: string;
  userId: number;
  email: string;
}

/** An attorney's invitation, as handed over by the administrator; nobody has signed in yet. */
async function savedInvitation(): Promise<SavedLink> {
  const { url } = await admin.call(inviteAttorney, { params: { id: attorney.id } });
  return { code: codeIn(url), ...(await accountOf(attorney.email)) };
}

/** The link of an active account, as in its mailbox. */
async function savedResetLink(): Promise<SavedLink> {
  const { userId } = await makeAccount(app.db, network, attorney);
  await givePassword(app.db, userId);
  return { code: await linkRequestedFor(attorney.email), ...(await accountOf(attorney.email)) };
}

async function linkRequestedFor(email: string): Promise<string> {
  await aVisitor(app).call(auth.requestLink, { body: { email } });
  return codeIn(await lastMailTo(email));
}

async function lastMailTo(recipient: string): Promise<string | null | undefined> {
  const mail = await app.db
    .selectFrom("mails")
    .select("body")
    .where("recipient", "=", recipient)
    .where("body", "like", "%/sign-in/link#%")
    .orderBy("id", "desc")
    .executeTakeFirst();
  return mail?.body;
}

async function accountOf(email: string): Promise<{ userId: number; email: string }> {
  const { id } = await app.db
    .selectFrom("users")
    .select("id")
    .where("email", "=", email)
    .executeTakeFirstOrThrow();
  return { userId: id, email };
}

/** What using a link would change: the password, the sessions and the ways to sign in. */
async function stateOf(userId: number) {
  const { rows } = await sql`
    select (select json_agg(a) from accounts a where user_id = ${userId}) as passwords,
      (select json_agg(s.id order by s.id) from sessions s where user_id = ${userId}) as sessions,
      (select count(*) from audit_entries where network_id = ${network.id} and record_id = ${userId}) as entries`.execute(
    app.db,
  );
  return rows;
}

const inspect = (token: string) => aVisitor(app).ask(auth.inspectLink, { body: { token } });
const accept = (token: string, password = chosen) =>
  aVisitor(app).ask(auth.acceptLink, { body: { token, password } });
const edit = (body: object) => admin.call(editAttorney, { params: { id: attorney.id }, body });

async function owner(): Promise<Visitor> {
  return await signedIn(app, attorney, network);
}

async function removeFactor(
  table: "two_factors" | "passkeys",
  { userId }: SavedLink,
): Promise<void> {
  await sql`delete from ${sql.table(table)} where user_id = ${userId}`.execute(app.db);
}

async function addApp({ userId }: SavedLink): Promise<void> {
  const factor = { secret: "s", backupCodes: "b", verified: true };
  await app.db
    .insertInto("twoFactors")
    .values({ userId, ...factor })
    .execute();
}

async function addPasskey({ userId }: SavedLink): Promise<void> {
  const key = { publicKey: "k", counter: 0, deviceType: "singleDevice", backedUp: false };
  await app.db
    .insertInto("passkeys")
    .values({ userId, credentialId: `of ${userId}`, ...key })
    .execute();
}

const endings: [
  what: string,
  end: (kept: SavedLink) => Promise<unknown>,
  before?: typeof addApp,
][] = [
  ["it was used", ({ code }) => accept(code)],
  ["the email address was changed", () => edit({ email: `new-${attorney.id}@example.test` })],
  [
    "the email address was changed and changed back",
    async ({ email }) => {
      await edit({ email: `other-${attorney.id}@example.test` });
      await edit({ email });
    },
  ],
  [
    "the attorney left the panel",
    () => admin.call(recordDeparture, { params: { id: attorney.id }, body: { left_on: today } }),
  ],
  [
    "the attorney left the panel and came back",
    async () => {
      await admin.call(recordDeparture, { params: { id: attorney.id }, body: { left_on: today } });
      await admin.call(recordReturn, { params: { id: attorney.id } });
    },
  ],
  ["an authenticator app was removed", (kept) => removeFactor("two_factors", kept), addApp],
  ["a passkey was removed", (kept) => removeFactor("passkeys", kept), addPasskey],
  [
    "it has expired",
    ({ userId }) =>
      sql`update sign_in_links set expires_at = now() where user_id = ${userId}`.execute(app.db),
  ],
  [
    "the account was removed",
    ({ userId }) => app.db.deleteFrom("users").where("id", "=", userId).execute(),
  ],
];

/** For an unused account: its owner has no link that somebody else could end. */
const ofUnusedAccounts: typeof endings = [
  [
    "a newer one was made",
    ({ userId }) =>
      makeSignInLink(app.db, { networkId: network.id, userId }, "password_reset", {
        publicUrl,
        by: { networkId: network.id, userId: null, name: "The operator" },
        from: null,
      }),
  ],
];

const ofAccountsInUse: typeof endings = [
  [
    "the password was changed",
    async () => {
      const body = { current_password: testPassword, new_password: chosen };
      await (await owner()).call(auth.changePassword, { body });
    },
  ],
  [
    "another one was used",
    async (kept) => {
      await accept(await requestNewerLink(kept));
    },
  ],
];

/** A newer link of the account, requested by somebody else. */
async function requestNewerLink({ userId, email }: SavedLink): Promise<string> {
  await sql`update sign_in_links set created_at = now() - interval '6 minutes'
    where user_id = ${userId}`.execute(app.db);
  return await linkRequestedFor(email);
}

async function expectLinkRefused({ code, userId }: SavedLink): Promise<void> {
  const before = await stateOf(userId);
  const unknown = await inspect("x".repeat(43));
  for (const reply of [await inspect(code), await accept(code, "a password of a thief")]) {
    expect(reply.status).toBe(404);
    expect(reply.text).toBe(unknown.text);
  }
  expect(await stateOf(userId)).toEqual(before);
}

describe.each<[string, () => Promise<SavedLink>, typeof endings]>([
  ["an invitation", savedInvitation, [...endings, ...ofUnusedAccounts]],
  ["a link to choose a new password", savedResetLink, [...endings, ...ofAccountsInUse]],
])("%s does not work once", (_, make, all) => {
  test.each(all)("%s", async (_what, end, before) => {
    const kept = await make();
    await before?.(kept);
    expect((await inspect(kept.code)).status).toBe(200);
    await end(kept);
    await expectLinkRefused(kept);
  });
});

describe("an administrator's invitation", () => {
  const body = { name: "Dana Whitfield", email: "" };
  const invited = async () => {
    body.email = `dana-${network.id}@example.test`;
    await admin.call(auth.inviteAdministrator, { body });
    return { code: codeIn(await lastMailTo(body.email)), ...(await accountOf(body.email)) };
  };

  test("does not work once the administrator was removed, nor once invited again", async () => {
    await givePassword(app.db, network.admin.userId);
    const kept = await invited();
    expect((await inspect(kept.code)).status).toBe(200);
    await admin.call(auth.removeAdministrator, { params: { id: kept.userId } });
    await expectLinkRefused(kept);
    const again = await invited();
    await expectLinkRefused(kept);
    expect((await accept(again.code)).status).toBe(200);
  });
});

test("a refused link ends neither the working link nor a session", async () => {
  const kept = await savedResetLink();
  const person = await owner();
  await sql`update sign_in_links set expires_at = now() where user_id = ${kept.userId}`.execute(
    app.db,
  );
  const newer = await requestNewerLink(kept);
  expect((await accept(kept.code, "a password of a thief")).status).toBe(404);
  expect((await person.call(showSession)).user).not.toBeNull();
  expect((await accept(newer)).status).toBe(200);
});

test("a link keeps working when anyone requests another one for its owner", async () => {
  const kept = await savedResetLink();
  await requestNewerLink(kept);
  await admin.call(inviteAttorney, { params: { id: attorney.id } });
  expect((await accept(kept.code)).status).toBe(200);
});
