import { beforeEach, describe, expect } from "vitest";
import { changePassword } from "#access/sign-in/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { aVisitor, signedIn } from "#tests/support/visitor.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";

const better = "an even better password";

const test = appTest({ network: {} });
beforeEach(async () => {
  await givePassword(app.db, network.admin.userId);
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
  test("keeps the current session and ends every other one", async () => {
    const elsewhere = await signedIn(app, "admin", network);
    expect((await change()).object).toEqual({ changed: true });
    expect((await admin.call(showSession)).user).toMatchObject({ id: network.admin.userId });
    expect((await elsewhere.call(showSession)).user).toBeNull();
    expect([await signInWith(testPassword), await signInWith(better)]).toEqual([401, 200]);
  });

  test("ends nobody else's sessions", async () => {
    const stranger = await signedIn(app, "admin", await makeNetwork(app.db));
    await change();
    expect((await stranger.call(showSession)).user).not.toBeNull();
  });

  test("needs the current password, or nothing changes", async () => {
    expect(await change({ current_password: "not the password" })).toMatchObject({
      status: 422,
      message: "The current password is wrong. Try again.",
      errors: [{ path: "current_password" }],
    });
    expect(await signInWith(testPassword)).toBe(200);
  });

  test.each([
    ["new_password", "elevenchars"],
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

  test("is in the activity, without the password", async () => {
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
