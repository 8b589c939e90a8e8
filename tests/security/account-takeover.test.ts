import { beforeEach, describe, expect } from "vitest";
import type { Db } from "#kit/db/database.ts";
import { attorneyImports, editAttorney, inviteAttorney } from "#people/contract.ts";
import { addAttorney, showAttorney } from "#people/contract.ts";
import { inviteAttorney as inviteOne } from "#people/invitations.ts";
import { acceptLink, requestLink, signIn } from "#access/sign-in/contract.ts";
import { acceptSignInLink } from "#access/sign-in/sign-in-links.ts";
import { recordDeparture, recordReturn } from "#people/departures/contract.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";
import { waitingForLocks } from "#tests/support/lock-waits.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { type ApiProgram, aProgram } from "#tests/support/program.ts";
import { todayInNewYork } from "#tests/support/today.ts";
import { aVisitor, type Visitor } from "#tests/support/visitor.ts";

/*
   An attacker who may change a panel's records wants to sign in as one of its attorneys, or to read an
   administrator's email.
*/

const test = appTest({
  sendsMail: true,
  network: {},
  attorney: { firstName: "Maya", lastName: "Okafor", barNumber: "B77" },
});

let thief: string;
const theirs = "a password of the thief";

let program: ApiProgram;
beforeEach(async () => {
  program = await aProgram(app, network);
  thief = `thief-${network.id}@example.com`;
});

const moved = () => ({ params: { id: attorney.id }, body: { email: thief } });

const linkMailedTo = async (address: string): Promise<string | null> => {
  const mails = await mailsOf(app.db, network);
  const bodies = mails.filter(({ recipient }) => recipient === address).map(({ body }) => body);
  return /\/sign-in\/link#([\w-]+)/.exec(bodies.join("\n"))?.[1] ?? null;
};

const askForLink = (email: string) => aVisitor(app).call(requestLink, { body: { email } });

const signsIn = async (email: string, password: string) =>
  (await aVisitor(app).send("POST", signIn.path, { email, password })).status;

/** Change the attorney's address with a file. */
async function importMoved(who: Visitor) {
  const body = `first name,last name,email,bar no\nMaya,Okafor,${thief},B77`;
  const query = { file_name: "panel.csv" };
  const { digest } = await who.call(attorneyImports.preview, { query, body });
  return await who.ask(attorneyImports.importing, { query: { ...query, digest }, body });
}

describe("a token cannot take over an attorney", () => {
  test("whose account is still unused: it changes the address of no record with an account", async () => {
    await admin.call(inviteAttorney, { params: { id: attorney.id } });
    const refused = await program.ask(editAttorney, moved());
    expect([refused.status, refused.message]).toEqual([
      403,
      "A token cannot change the email address of an attorney who has an account. Sign in as an administrator to do it.",
    ]);
    expect((await importMoved(program)).status).toBe(403);
    await askForLink(thief);
    expect(await linkMailedTo(thief)).toBeNull();
    const { email } = await admin.call(showAttorney, { params: { id: attorney.id } });
    expect(email).toBe(attorney.email);
  });

  test("nor by a new password, if the address was changed in another way", async () => {
    await makeAccount(app.db, network, attorney);
    await app.db
      .updateTable("users")
      .set({ email: thief })
      .where("attorneyId", "=", attorney.id)
      .execute();
    await askForLink(thief);
    expect(await linkMailedTo(thief)).toBeNull();
  });
});

describe("an administrator cannot sign in as an attorney", () => {
  beforeEach(async () => {
    const { userId } = await makeAccount(app.db, network, attorney);
    await givePassword(app.db, userId);
  });

  test("by changing the address and asking for a new password", async () => {
    await admin.call(editAttorney, moved());
    await askForLink(thief);
    expect(await linkMailedTo(thief)).toBeNull();
    expect(await signsIn(attorney.email, testPassword)).toBe(200);
  });

  test("by a file that changes the address", async () => {
    expect((await importMoved(admin)).status).toBe(200);
    await askForLink(thief);
    expect(await linkMailedTo(thief)).toBeNull();
    expect(await signsIn(attorney.email, testPassword)).toBe(200);
  });

  test("by recording that the attorney left and returned", async () => {
    const params = { id: attorney.id };
    await admin.call(recordDeparture, { params, body: { left_on: todayInNewYork() } });
    await admin.call(recordReturn, { params });
    await admin.call(editAttorney, moved());
    const { url } = await admin.call(inviteAttorney, { params });
    expect(url).toBeNull();
    await askForLink(thief);
    expect(await linkMailedTo(thief)).toBeNull();
    const link = await linkMailedTo(attorney.email);
    const reply = await aVisitor(app).ask(acceptLink, { body: { token: link, password: theirs } });
    expect(reply.object).toEqual({ email: attorney.email });
  });
});

describe("at the moment when somebody begins to use the account", () => {
  /** Work done while an earlier transaction is still open. */
  async function beside<Answer>(
    before: (tx: Db) => Promise<unknown>,
    act: () => Promise<Answer>,
  ): Promise<Answer> {
    const { acting } = await app.db.transaction().execute(async (tx) => {
      await before(tx);
      const begun = act();
      await expect.poll(() => waitingForLocks(app.db)).toBe(1);
      return { acting: begun };
    });
    return await acting;
  }

  const from = { address: "127.0.0.1", device: "" };
  const emailOfAccount = async () =>
    (
      await app.db
        .selectFrom("users")
        .select("email")
        .where("attorneyId", "=", attorney.id)
        .executeTakeFirst()
    )?.email;

  test.each<[string, () => Promise<{ status: number }>]>([
    ["an edit", () => admin.ask(editAttorney, moved())],
    ["a file", () => importMoved(admin)],
  ])("%s only asks for another address", async (_, act) => {
    const { url } = await admin.call(inviteAttorney, { params: { id: attorney.id } });
    const token = String(url).split("#")[1] ?? "";
    const accept = (tx: Db) => acceptSignInLink(tx, { token, password: testPassword }, from);
    expect((await beside(accept, act)).status).toBe(200);
    expect(await emailOfAccount()).toBe(attorney.email);
    await askForLink(thief);
    expect(await linkMailedTo(thief)).toBeNull();
  });

  test("a token's file changes no address during an invitation", async () => {
    const invite = (tx: Db) =>
      inviteOne(tx, network.admin, attorney.id, {
        publicUrl: "http://localhost",
        sendsMail: true,
        from,
      });
    expect((await beside(invite, () => importMoved(program))).status).toBe(403);
    const { email } = await admin.call(showAttorney, { params: { id: attorney.id } });
    expect([email, await emailOfAccount()]).toEqual([attorney.email, attorney.email]);
  });
});

test("a token cannot end a password by recording that the attorney left and returned", async () => {
  const { userId } = await makeAccount(app.db, network, attorney);
  await givePassword(app.db, userId);
  const params = { id: attorney.id };
  await program.call(recordDeparture, { params, body: { left_on: todayInNewYork() } });
  const refused = await program.ask(recordReturn, { params });
  expect([refused.status, refused.message]).toEqual([
    403,
    "A token cannot return an attorney who has signed in before, because this ends their password. Sign in as an administrator to do it.",
  ]);
  expect((await admin.ask(recordReturn, { params })).status).toBe(200);
});

test("a token cannot redirect an administrator's security notice", async () => {
  const { email, userId } = network.admin;
  await givePassword(app.db, userId);
  const body = { first_name: "Not", last_name: "Ada", email };
  const { id } = await program.call(addAttorney, { body });
  expect(await signsIn(email, testPassword)).toBe(200);
  await program.call(editAttorney, { params: { id }, body: { email: thief } });
  const notices = (await mailsOf(app.db, network)).filter(({ subject }) =>
    /new device/.test(subject),
  );
  expect(notices.map(({ recipient }) => recipient)).toEqual([email]);
});
