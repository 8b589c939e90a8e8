import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { beforeEach, describe, expect, vi } from "vitest";
import { editAttorney, inviteAttorney, showAttorney } from "#people/contract.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { importAttorneys } from "#people/import-attorneys.ts";
import {
  acceptLink,
  inspectLink,
  inviteAdministrator,
  listAdministrators,
  removeAdministrator,
  requestLink,
} from "#access/sign-in/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { acceptSignInLink } from "#access/sign-in/sign-in-links.ts";
import { listMail } from "#outgoing/mail/contract.ts";
import { queueMail, sendDueMail } from "#outgoing/mail/outbox.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";

const password = "a password of their own";

const test = appTest({
  publicUrl: "http://dues.example.test",
  network: { name: "Harbor County" },
  attorney: { firstName: "Ida", lastName: "Wells" },
});

const invite = (id = attorney.id) => admin.ask(inviteAttorney, { params: { id } });

async function aCode(): Promise<string> {
  return (await invite()).object.url?.split("#")[1] ?? "";
}

const mailsTo = (recipient: string) =>
  app.db
    .selectFrom("mails")
    .select(["subject", "body", "status", "lastProblem"])
    .where("networkId", "=", network.id)
    .where("recipient", "=", recipient)
    .orderBy("id")
    .execute();

const inspect = (token: string) => aVisitor(app).ask(inspectLink, { body: { token } });
const accept = (token: string, chosen: unknown = password) =>
  aVisitor(app).ask(acceptLink, { body: { token, password: chosen } });
const signIn = (visitor: Visitor, email: string, given: string) =>
  visitor.send("POST", "/api/auth/sign-in/email", { email, password: given });

describe("an invitation", () => {
  test("made while an earlier one is used shows no link to the administrator", async () => {
    const token = await aCode();
    const from = { address: "127.0.0.1", device: "" };
    const invited = await inTransaction(app.db, async (tx) => {
      await acceptSignInLink(tx, { token, password }, from);
      const asking = { reply: invite(), isOver: false };
      void asking.reply.finally(() => (asking.isOver = true));
      const waits = sql<{ waiting: boolean }>`select exists (select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock') as waiting`;
      await vi.waitUntil(
        async () => asking.isOver || (await waits.execute(app.db)).rows[0]?.waiting,
        { timeout: 60_000 },
      );
      return asking;
    });
    expect(await invited.reply).toMatchObject({ status: 409 });
  });

  test("is a link valid for seven days, whose code reaches no server log", async () => {
    const { status, object } = await invite();
    expect(status).toBe(200);
    expect(object.url).toMatch(/^http:\/\/dues\.example\.test\/sign-in\/link#[\w-]{43}$/);
    const days = (Date.parse(object.expiresAt) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.99);
    expect(days).toBeLessThanOrEqual(7);
  });

  test("stores no code that could be read from the database", async () => {
    const code = await aCode();
    const { rows } = await sql<{ row: string }>`select l::text as row from sign_in_links l`.execute(
      app.db,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ row }) => !row.includes(code))).toBe(true);
  });

  test("shows whom it is for each time it is opened", async () => {
    const code = await aCode();
    for (let time = 0; time < 2; time += 1)
      expect((await inspect(code)).object).toEqual({
        name: "Ida Wells",
        email: attorney.email,
        networkName: "Harbor County",
      });
  });

  test("lets the attorney choose a password and sign in with it", async () => {
    expect((await accept(await aCode())).object).toEqual({ email: attorney.email });
    const visitor = aVisitor(app);
    expect((await signIn(visitor, attorney.email, password)).status).toBe(200);
    expect((await visitor.call(showSession)).user).toMatchObject({
      role: "attorney",
      attorneyId: attorney.id,
    });
  });

  test("works once, even for parallel requests", async () => {
    const code = await aCode();
    const replies = await Promise.all([1, 2, 3].map((turn) => accept(code, `${password} ${turn}`)));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
    expect(replies.filter((reply) => reply.status === 404)).toHaveLength(2);
    const refused = await accept(code);
    expect(refused).toMatchObject({ status: 404 });
    expect(refused.message).toMatch(/used or has expired/);
    expect((await inspect(code)).status).toBe(404);
  });

  test("still works after a refused password", async () => {
    const code = await aCode();
    expect((await accept(code, "short")).status).toBe(422);
    expect((await accept(code)).status).toBe(200);
  });

  test("expires", async () => {
    const code = await aCode();
    await sql`update sign_in_links set expires_at = now() - interval '1 second'
      where network_id = ${network.id}`.execute(app.db);
    expect((await inspect(code)).status).toBe(404);
    expect((await accept(code)).status).toBe(404);
  });

  test("made again ends the earlier one and adds no second account", async () => {
    const first = await aCode();
    const second = await aCode();
    expect((await inspect(first)).status).toBe(404);
    expect((await inspect(second)).status).toBe(200);
    const accounts = await app.db
      .selectFrom("users")
      .select("id")
      .where("attorneyId", "=", attorney.id)
      .execute();
    expect(accounts).toHaveLength(1);
  });

  test("made several times in parallel makes one account and one working link", async () => {
    const replies = await Promise.all([1, 2, 3, 4].map(() => invite()));
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200, 200]);
    const codes = replies.map((reply) => reply.object.url?.split("#")[1] ?? "");
    const statuses = await Promise.all(codes.map(async (code) => (await inspect(code)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  test("to another account's email is 409", async () => {
    const other = await makeNetwork(app.db);
    const { id } = await makeAttorney(app.db, network, { email: other.admin.email });
    expect(await invite(id)).toMatchObject({ status: 409, errors: [{ path: "email" }] });
  });

  test("ends every session of the account", async () => {
    const lawyer = await signedIn(app, attorney, network);
    expect((await lawyer.call(showSession)).user).not.toBeNull();
    await accept(await aCode());
    expect((await lawyer.call(showSession)).user).toBeNull();
  });

  test("is in the activity, with who made it and who used it", async () => {
    await accept(await aCode());
    const trail = await app.db
      .selectFrom("auditEntries")
      .select(["action", "actorName"])
      .where("networkId", "=", network.id)
      .orderBy("id")
      .execute();
    expect(trail).toEqual([
      { action: "made a sign-in link", actorName: "Ada Min" },
      { action: "invited", actorName: "Ada Min" },
      { action: "chose a password by a link", actorName: "Ida Wells" },
    ]);
  });
});

describe("an unknown link", () => {
  test.each(["x".repeat(43), "a".repeat(20), "-".repeat(100)])("(%s) is 404", async (code) => {
    expect((await inspect(code)).status).toBe(404);
    expect((await accept(code)).status).toBe(404);
  });

  test.each(["", "short", "x".repeat(101), "with spaces in between it", "' or 1=1 --' or 1=1 --"])(
    "(%j) is 422 when no link looks like that",
    async (code) => {
      expect(await inspect(code)).toMatchObject({ status: 422, errors: [{ path: "token" }] });
    },
  );
});

describe("a password", () => {
  test.each([
    ["eleven char", 422],
    ["twelve char!", 200],
    ["x".repeat(128), 200],
    ["x".repeat(129), 422],
    ["пароль из слов", 200],
    ["", 422],
    [null, 422],
    [1_234_567_890, 422],
  ])("of %j is answered %i", async (chosen, status) => {
    const reply = await accept(await aCode(), chosen);
    expect(reply.status).toBe(status);
    expect(reply.errors.map((error) => error.path)).toEqual(status === 422 ? ["password"] : []);
  });

  test("is stored only as a hash", async () => {
    await accept(await aCode());
    const { rows } = await sql<{ row: string }>`select a::text as row from accounts a
      where network_id = ${network.id}`.execute(app.db);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(password);
  });
});

describe("an attorney who already has an account", () => {
  test("keeps the old password until the link is used", async () => {
    const account = await makeAccount(app.db, network, attorney);
    await givePassword(app.db, account.userId);
    await aVisitor(app).call(requestLink, { body: { email: attorney.email } });
    const [mail] = await mailsTo(attorney.email);
    const code = /#([\w-]+)/.exec(mail?.body ?? "")?.[1] ?? "";
    expect((await signIn(aVisitor(app), attorney.email, testPassword)).status).toBe(200);
    await accept(code);
    expect((await signIn(aVisitor(app), attorney.email, testPassword)).status).toBe(401);
    expect((await signIn(aVisitor(app), attorney.email, password)).status).toBe(200);
  });
});

describe("a changed email address", () => {
  const right = "right@example.test";
  const change = (email = right) =>
    admin.call(editAttorney, { params: { id: attorney.id }, body: { email } });
  beforeEach(async () => await sql`delete from users where email = ${right}`.execute(app.db));

  test("ends the invitation that went to the wrong mailbox; a new one goes to the right one", async () => {
    const code = await aCode();
    await change();
    expect((await inspect(code)).status).toBe(404);
    expect((await accept(code)).status).toBe(404);
    expect((await accept(await aCode())).object).toEqual({ email: right });
    expect((await signIn(aVisitor(app), right, password)).status).toBe(200);
    expect((await mailsTo(right)).map(({ subject }) => subject)).toEqual([
      "Your access to Harbor County",
      "A new device signed in to your account",
    ]);
  });

  test("of an account in use ends links to choose a new password when it is requested", async () => {
    const account = await makeAccount(app.db, network, attorney);
    await givePassword(app.db, account.userId);
    await aVisitor(app).call(requestLink, { body: { email: attorney.email } });
    const [mail] = await mailsTo(attorney.email);
    await change();
    expect((await accept(/#([\w-]+)/.exec(mail?.body ?? "")?.[1] ?? "")).status).toBe(404);
    expect((await signIn(aVisitor(app), right, testPassword)).status).toBe(401);
    expect((await signIn(aVisitor(app), attorney.email, testPassword)).status).toBe(200);
  });

  test("ends the sessions of the account, and nobody else's", async () => {
    const lawyer = await signedIn(app, attorney, network);
    const colleague = await signedIn(app, await makeAttorney(app.db, network), network);
    await change();
    expect((await lawyer.call(showSession)).user).toBeNull();
    expect((await colleague.call(showSession)).user).not.toBeNull();
    expect((await admin.call(showSession)).user).not.toBeNull();
  });

  test("ends nothing if it is saved unchanged, or if another detail changes", async () => {
    const code = await aCode();
    const lawyer = await signedIn(app, attorney, network);
    await change(attorney.email.toUpperCase());
    await admin.call(editAttorney, { params: { id: attorney.id }, body: { last_name: "Barnett" } });
    expect((await lawyer.call(showSession)).user).toMatchObject({ name: "Ida Barnett" });
    expect((await inspect(code)).status).toBe(200);
  });

  test("in an import ends them only for the attorneys it changes", async () => {
    const [wrong, same] = [
      await makeAttorney(app.db, network, { barNumber: "B1" }),
      await makeAttorney(app.db, network, { barNumber: "B2" }),
    ];
    const codes = [];
    for (const { id } of [wrong, same])
      codes.push((await invite(id)).object.url?.split("#")[1] ?? "");
    const path = join(app.dataDir, "panel.csv");
    writeFileSync(
      path,
      `first name,last name,email,bar number\nGrace,One,${right},B1\nGrace,Two,${same.email},B2\n`,
    );
    const report = await importAttorneys(app.db, network.admin, {
      path,
      encoding: "utf-8",
      skipsBad: false,
      publicUrl: "",
    });
    expect(report).toMatchObject({ isImported: true, updated: 2 });
    const statuses = await Promise.all(codes.map(async (code) => (await inspect(code)).status));
    expect(statuses).toEqual([404, 200]);
  });

  test("withdraws a queued email with such a link and deletes its code", async () => {
    const code = await aCode();
    await change();
    expect(await mailsTo(attorney.email)).toMatchObject([
      {
        status: "withdrawn",
        lastProblem: "The account's email address was changed before this was sent.",
        body: expect.stringMatching(/sign-in\/link#…$/),
      },
    ]);
    const recipients: string[] = [];
    await sendDueMail(app.db, async ({ recipient }) => void recipients.push(recipient));
    expect(recipients).not.toContain(attorney.email);
    expect(JSON.stringify(await admin.call(listMail))).not.toContain(code);
  });

  test("sends every other queued email of only that attorney to the new address", async () => {
    const mail = { networkId: network.id, subject: "A receipt", body: "Thank you." };
    const { email: recipient, id: attorneyId } = attorney;
    await queueMail(app.db, { ...mail, attorneyId, occasion: "one", recipient });
    const { id: colleague } = await makeAttorney(app.db, network);
    await queueMail(app.db, {
      ...mail,
      attorneyId: colleague,
      occasion: "other",
      recipient: "somebody@example.test",
    });
    await sql`insert into mails (network_id, attorney_id, occasion, recipient, facts)
      values (${network.id}, ${attorneyId}, 'lifted', ${recipient}, '{"kind": "suspension lifted", "firstName": "Ida"}')`.execute(
      app.db,
    );
    await change();
    expect(await mailsTo(right)).toMatchObject([
      { status: "queued", body: "Thank you." },
      { status: "queued", body: null },
    ]);
    expect(await mailsTo(attorney.email)).toEqual([]);
    expect(await mailsTo("somebody@example.test")).toHaveLength(1);
  });

  test("is answered with the state of the invitation", async () => {
    const account = async () => {
      const { object } = await admin.ask(showAttorney, { params: { id: attorney.id } });
      return object.account;
    };
    expect(await account()).toBe("none");
    const code = await aCode();
    expect(await account()).toBe("invited");
    expect((await change()).account).toBe("invitation_ended");
    await accept(await aCode());
    expect(await account()).toBe("active");
    expect((await change("third@example.test")).account).toBe("active");
    expect((await inspect(code)).status).toBe(404);
  });
});

test("an administrator removed for a mistyped address does not get a queued invitation", async () => {
  await givePassword(app.db, network.admin.userId);
  const wrong = { name: "Dana Whitfield", email: "dnaa@example.test" };
  await admin.call(inviteAdministrator, { body: wrong });
  const invited = (await admin.call(listAdministrators)).find(({ email }) => email === wrong.email);
  await admin.call(removeAdministrator, { params: { id: invited?.id } });
  const waiting = app.db.selectFrom("mails").select(["status", "lastProblem", "body"]);
  expect(await waiting.where("recipient", "=", wrong.email).execute()).toEqual([
    {
      status: "withdrawn",
      lastProblem: "The account was removed before this was sent.",
      body: expect.stringMatching(/sign-in\/link#…$/),
    },
  ]);
});
