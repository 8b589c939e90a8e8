import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { changePassword, showSession } from "#features/auth/contract.ts";
import { aNetwork, givePassword, testPassword, type TestNetwork } from "#tests/support/people.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";

let app: RunningApp;
let network: TestNetwork;
let admin: Visitor;
const better = "an even better password";

beforeAll(async () => {
  app = await anApp();
});
afterAll(async () => await app.close());
beforeEach(async () => {
  network = await aNetwork(app.db);
  await givePassword(app.db, network.admin.userId);
  admin = await signedIn(app, "admin", network);
});

const change = (changes: Record<string, unknown> = {}) =>
  admin.ask(changePassword, {
    body: { current_password: testPassword, new_password: better, ...changes },
  });

const signInWith = async (password: string) =>
  (
    await aVisitor(app).send("POST", "/api/auth/sign-in/email", {
      email: network.admin.email,
      password,
    })
  ).status;

describe("changing one's password", () => {
  test("keeps the session that asked, and ends every other one", async () => {
    const elsewhere = await signedIn(app, "admin", network);
    expect((await change()).object).toEqual({ changed: true });
    expect((await admin.call(showSession)).user).toMatchObject({ id: network.admin.userId });
    expect((await elsewhere.call(showSession)).user).toBeNull();
    expect([await signInWith(testPassword), await signInWith(better)]).toEqual([401, 200]);
  });

  test("ends nobody else's sessions", async () => {
    const stranger = await signedIn(app, "admin", await aNetwork(app.db));
    await change();
    expect((await stranger.call(showSession)).user).not.toBeNull();
  });

  test("needs the current one: else nothing changes", async () => {
    expect(await change({ current_password: "not the password" })).toMatchObject({
      status: 422,
      message: "The current password is not right.",
      errors: [{ path: "current_password" }],
    });
    expect(await signInWith(testPassword)).toBe(200);
  });

  test.each([
    ["new_password", "nine char"],
    ["new_password", "x".repeat(129)],
    ["new_password", undefined],
    ["current_password", ""],
    ["current_password", "x".repeat(129)],
    ["current_password", undefined],
  ])("with %s %j is 422", async (field, value) => {
    expect(await change({ [field]: value })).toMatchObject({
      status: 422,
      errors: [{ path: field }],
    });
  });

  test("is on record, without the password", async () => {
    await change();
    const trail = await app.db
      .selectFrom("auditEntries")
      .selectAll()
      .where("networkId", "=", network.id)
      .execute();
    expect(trail).toMatchObject([{ action: "changed password", recordId: network.admin.userId }]);
    expect(JSON.stringify(trail)).not.toContain(better);
  });
});
