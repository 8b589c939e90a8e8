import { beforeEach, describe, expect } from "vitest";
import { listActivity } from "#office/activity/contract.ts";
import {
  acceptLink,
  inspectLink,
  inviteAdministrator,
  listAdministrators,
  removeAdministrator,
} from "#access/sign-in/contract.ts";
import { listApiTokens, makeApiToken } from "#access/tokens/contract.ts";
import { listPlans } from "#dues/plans/plans.list.ts";
import { makeAdmin, makeNetwork } from "#tests/support/records/networks.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { givePassword } from "#tests/support/passwords.ts";
import { ApiProgram } from "#tests/support/program.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";

const test = appTest({ network: {} });
beforeEach(async () => {
  await givePassword(app.db, network.admin.userId);
});

const newcomer = () => ({ name: "Nadia Newcomer", email: `nadia-${Math.random()}@example.test` });
const invite = (body: object) => admin.ask(inviteAdministrator, { body });
const remove = (id: number, who = admin) => who.ask(removeAdministrator, { params: { id } });
const names = async () =>
  (await admin.call(listAdministrators)).map(({ name, canSignIn }) => [name, canSignIn]);

describe("an administrator who is invited", () => {
  test("gets an email with a link, chooses a password with it once, and can sign in", async () => {
    const body = newcomer();
    const reply = await invite(body);
    expect(await names()).toEqual([
      ["Ada Min", true],
      ["Nadia Newcomer", false],
    ]);
    const mail = await app.db
      .selectFrom("mails")
      .selectAll()
      .where("recipient", "=", body.email)
      .executeTakeFirstOrThrow();
    expect(mail.body).toContain(reply.object.url);

    const token = reply.object.url.split("#")[1] ?? "";
    const visitor = aVisitor(app);
    expect(await visitor.call(inspectLink, { body: { token } })).toMatchObject(body);
    const accept = () =>
      visitor.ask(acceptLink, { body: { token, password: "a long enough one" } });
    const uses = await Promise.all([accept(), accept()]);
    expect(uses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    expect(await names()).toContainEqual(["Nadia Newcomer", true]);
    const signIn = await visitor.send("POST", "/api/auth/sign-in/email", {
      email: body.email,
      password: "a long enough one",
    });
    expect(signIn.status).toBe(200);
    expect((await visitor.ask(listAdministrators)).status).toBe(200);
  });

  test("must not already have an account in any network", async () => {
    const other = await makeNetwork(app.db);
    for (const email of [network.admin.email, other.admin.email.toUpperCase()]) {
      const reply = await invite({ name: "Nadia", email });
      expect([reply.status, reply.errors[0]?.path]).toEqual([409, "email"]);
    }
  });

  test.each([
    [{ name: "" }, "name"],
    [{ email: "nobody" }, "email"],
    [{ email: "" }, "email"],
    [{ role: "admin" }, "role"],
  ])("is refused for %j", async (wrong, path) => {
    const reply = await invite({ ...newcomer(), ...wrong });
    expect([reply.status, reply.errors[0]?.path]).toEqual([422, path]);
  });

  test("appears in the activity, as does a removed one", async () => {
    const { email } = newcomer();
    await invite({ name: "Nadia Newcomer", email });
    const id = (await admin.call(listAdministrators)).find((one) => one.email === email)?.id ?? 0;
    await remove(id);
    const { items } = await admin.call(listActivity, { query: { record_type: "user" } });
    expect(items).toMatchObject([
      { who: "Ada Min", action: "removed", before: { name: "Nadia Newcomer", email } },
      { who: "Ada Min", action: "invited", after: { name: "Nadia Newcomer", email } },
    ]);
    expect(JSON.stringify(items)).not.toContain("sign-in/link");
  });
});

describe("an administrator who is removed", () => {
  test("is signed out immediately and cannot come back with an old link", async () => {
    const { url } = await admin.call(inviteAdministrator, { body: newcomer() });
    const token = url.split("#")[1] ?? "";
    const id = (await admin.call(listAdministrators)).find((one) => !one.canSignIn)?.id ?? 0;
    const colleague = await signedIn(app, "admin", {
      ...network,
      admin: { ...network.admin, userId: id },
    });
    expect((await colleague.ask(listAdministrators)).status).toBe(200);
    expect((await remove(id)).status).toBe(200);
    expect((await colleague.ask(listAdministrators)).status).toBe(401);
    expect((await aVisitor(app).ask(inspectLink, { body: { token } })).status).toBe(404);
    expect((await remove(id)).status).toBe(404);
  });

  test("cannot be the last one who can sign in, even if others were invited", async () => {
    await makeAdmin(app.db, network);
    const reply = await remove(network.admin.userId);
    expect([reply.status, reply.message]).toEqual([
      409,
      "You cannot remove the last administrator who can sign in. Invite another one first.",
    ]);
    await givePassword(app.db, await makeAdmin(app.db, network));
    expect((await remove(network.admin.userId)).status).toBe(200);
    expect((await admin.ask(listAdministrators)).status).toBe(401);
  });

  test("is not an attorney (404)", async () => {
    const attorney = await makeAttorney(app.db, network);
    const { userId } = await makeAccount(app.db, network, attorney);
    await givePassword(app.db, await makeAdmin(app.db, network));
    expect((await remove(userId)).status).toBe(404);
  });

  test("leaves another one, even if two remove each other at the same time", async () => {
    for (let round = 1; round <= 5; round += 1) {
      const home = await makeNetwork(app.db);
      await givePassword(app.db, home.admin.userId);
      const colleague = await makeAdmin(app.db, home);
      await givePassword(app.db, colleague);
      const first = await signedIn(app, "admin", home);
      const second = await signedIn(app, "admin", {
        ...home,
        admin: { ...home.admin, userId: colleague },
      });
      const replies = await Promise.all([
        remove(colleague, first),
        remove(home.admin.userId, second),
      ]);
      const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
      expect([
        [200, 401],
        [200, 409],
      ]).toContainEqual(statuses);
    }
  });
});

describe("the API tokens that a removed administrator has made", () => {
  /** A colleague who can sign in, with a call to make a token. */
  async function aColleague() {
    const userId = await makeAdmin(app.db, network);
    const whose = { ...network, admin: { ...network.admin, userId } };
    const visitor = await signedIn(app, "admin", whose);
    const make = (name: string, who: Visitor = visitor) =>
      who.ask(makeApiToken, { body: { name, scope: "write" } });
    const made = async (name: string, who?: Visitor) => {
      const { object } = await make(name, who);
      return { id: object.id, program: new ApiProgram(app, object.token) };
    };
    return { userId, visitor, make, made };
  }
  const removing = (userId: number, body?: object) =>
    admin.send("POST", `/administrators/${userId}/removal`, body);
  const tokens = async () =>
    new Map((await admin.call(listApiTokens)).items.map((token) => [token.name, token]));
  const isTaken = async (program: ApiProgram) => (await program.ask(listPlans)).status === 200;

  test("are revoked with the account, each in the activity; a colleague's token still works", async () => {
    const { userId, made } = await aColleague();
    const [first, second] = [await made("Accounting"), await made("Website")];
    const other = await made("Member list", admin);
    expect((await tokens()).get("Accounting")).toMatchObject({ createdById: userId });
    expect((await removing(userId)).status).toBe(200);
    expect(
      await Promise.all([first, second, other].map(({ program }) => isTaken(program))),
    ).toEqual([false, false, true]);
    const { items } = await admin.call(listActivity);
    const noted = items.filter(({ action }) => action === "revoked");
    expect(noted.map(({ recordName, who }) => [recordName, who])).toEqual([
      ["Website", "Ada Min"],
      ["Accounting", "Ada Min"],
    ]);
    expect((await tokens()).get("Accounting")).toMatchObject({
      status: "revoked",
      createdById: null,
    });
  });

  test("keep working if the call names them, and the list shows that their maker has left", async () => {
    const { userId, made } = await aColleague();
    const [kept, revoked] = [await made("Kept"), await made("Revoked")];
    expect((await removing(userId, { keep_token_ids: [kept.id] })).status).toBe(200);
    expect([await isTaken(kept.program), await isTaken(revoked.program)]).toEqual([true, false]);
    const listed = await tokens();
    expect(listed.get("Kept")).toMatchObject({ status: "active", createdById: null });
    const { items } = await admin.call(listActivity);
    expect(items.find(({ action }) => action === "kept")).toMatchObject({ recordName: "Kept" });
  });

  test("must be their own: another person's token id changes nothing (404)", async () => {
    const { userId, made } = await aColleague();
    const own = await made("Own");
    const foreign = await made("Foreign", admin);
    const elsewhere = await makeNetwork(app.db);
    const beyond = await (
      await signedIn(app, "admin", elsewhere)
    ).call(makeApiToken, { body: { name: "Beyond", scope: "read" } });
    for (const id of [foreign.id, beyond.id, 999_999_999]) {
      const reply = await removing(userId, { keep_token_ids: [own.id, id] });
      expect([reply.status, reply.message]).toEqual([404, "There is no such API token."]);
    }
    expect((await admin.call(listAdministrators)).some(({ id }) => id === userId)).toBe(true);
    expect(await isTaken(own.program)).toBe(true);
    for (const wrong of [{ keep_token_ids: "all" }, { keep_token_ids: [0] }, { keep: [own.id] }])
      expect((await removing(userId, wrong)).status).toBe(422);
  });

  test("include a token made at the same moment", async () => {
    for (let round = 1; round <= 8; round += 1) {
      const { userId, make } = await aColleague();
      const [made, removed] = await Promise.all([make(`Late ${round}`), removing(userId)]);
      expect(removed.status).toBe(200);
      expect([200, 401, 409]).toContain(made.status);
      if (made.status === 409)
        expect(made.message).toBe("The account has just been removed. Reload the page.");
      if (made.status === 200)
        expect(await isTaken(new ApiProgram(app, made.object.token))).toBe(false);
      expect((await tokens()).get(`Late ${round}`)?.status ?? "revoked").toBe("revoked");
    }
  });

  test("are refused after the removal, in use or not", async () => {
    const { userId, made } = await aColleague();
    const { program } = await made("Busy");
    const uses = Array.from({ length: 20 }, () => isTaken(program));
    await removing(userId);
    expect(await isTaken(program)).toBe(false);
    await Promise.all(uses);
  });

  test("are also revoked if the account is deleted in the database", async () => {
    const { userId, made } = await aColleague();
    const { program } = await made("By hand");
    await app.db.deleteFrom("users").where("id", "=", userId).execute();
    expect(await isTaken(program)).toBe(false);
  });
});
