import { hashPassword as scryptHash } from "better-auth/crypto";
import { describe, expect } from "vitest";
import { acceptLink, changePassword, signIn as signInCall } from "#access/sign-in/contract.ts";
import { hashPassword } from "#access/sign-in/password-hash.ts";
import { makeSignInLink } from "#access/sign-in/sign-in-links.ts";
import { givePasswords } from "#main/demo/records/networks.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { aVisitor } from "#tests/support/visitor.ts";

const test = appTest({
  network: { name: "Lakeside Bar Referral Service", admin: { name: "Wilhelmina Ortega" } },
});

const common = "This password is too common and easy to guess. Choose another one.";

const change = async (new_password: string) =>
  await admin.ask(changePassword, { body: { current_password: testPassword, new_password } });

describe("a new password", () => {
  test("must have at least twelve characters, of any kind", async () => {
    await givePassword(app.db, network.admin.userId);
    expect(await change("elevenchars")).toMatchObject({
      status: 422,
      message: "New password must have at least 12 characters.",
    });
    expect((await change("twelve chars")).status).toBe(200);
  });

  test("must not be easy to guess", async () => {
    await givePassword(app.db, network.admin.userId);
    const refused = async (password: string) => {
      const { status, errors } = await change(password);
      return { status, errors };
    };
    const atPassword = (message: string) => ({
      status: 422,
      errors: [{ path: "new_password", message }],
    });
    expect(await refused("QWERTY123456")).toEqual(atPassword(common));
    expect(await refused("1qaz2wsx3edc")).toEqual(atPassword(common));
    const isEmail = "The password must not be your email address.";
    expect(await refused(network.admin.email.toUpperCase())).toEqual(atPassword(isEmail));
    const isName = "The password must not be your name.";
    for (const typed of ["wilhelminaortega", "Wilhelmína-Ortega"])
      expect(await refused(typed)).toEqual(atPassword(isName));
    const isOld = "The new password must not be the old one.";
    expect(await refused(testPassword)).toEqual(atPassword(isOld));
  });

  test.each([
    ["Lakeside Bar 2026!", 422],
    ["Referral-Network-1", 422],
    ["wilhelmina.lakeside", 422],
    ["Admin Password 123", 422],
    ["lakeside has no bar", 200],
    ["839 204 817 365", 200],
  ])("must be more than words of this service: %s is answered %i", async (password, status) => {
    await givePassword(app.db, network.admin.userId);
    const reply = await change(password);
    expect(reply.status).toBe(status);
    const sentence =
      "The password must not be only your name, your network's name or words of this service. These are easy to guess.";
    if (status === 422) expect(reply.errors).toEqual([{ path: "new_password", message: sentence }]);
  });

  test("is compared exactly as typed", async () => {
    await givePassword(app.db, network.admin.userId);
    const typed = ` Mixed Letters ${"and many of them ".repeat(6)}`;
    expect((await change(typed)).status).toBe(200);
    const signIn = async (password: string) => {
      const body = { email: network.admin.email, password };
      return (await aVisitor(app).send("POST", signInCall.path, body)).status;
    };
    for (const other of [typed.trim(), typed.toLowerCase(), typed.slice(0, 72)])
      expect([other, await signIn(other)]).toEqual([other, 401]);
    expect(await signIn(typed)).toBe(200);
  });

  test("is also checked for a link, which can then still be used", async () => {
    const account = { networkId: network.id, userId: network.admin.userId };
    const link = await makeSignInLink(app.db, account, "invitation", {
      publicUrl: "https://example.test",
      by: network.admin,
      from: null,
    });
    const token = link.url.split("#")[1];
    const visitor = aVisitor(app);
    const refused = await visitor.ask(acceptLink, { body: { token, password: "qwertyqwerty" } });
    expect(refused).toMatchObject({ status: 422, message: common });
    const accepted = await visitor.ask(acceptLink, { body: { token, password: testPassword } });
    expect(accepted.status).toBe(200);
  });
});

describe("a stored password", () => {
  test("is hashed with argon2id and its own salt", async () => {
    const [one, other] = await Promise.all([hashPassword("the same"), hashPassword("the same")]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(one).not.toBe(other);
  });

  test("with an old hash still works, and is rehashed at the next sign-in", async () => {
    await givePasswords(app.db, [network.admin.userId], await scryptHash("an older one"));
    const visitor = aVisitor(app);
    const signIn = (password: string) =>
      visitor.send("POST", signInCall.path, { email: network.admin.email, password });
    expect((await signIn("not the older one")).status).toBe(401);
    expect(await storedHash()).not.toContain("argon2id");
    expect((await signIn("an older one")).status).toBe(200);
    expect(await storedHash()).toContain("$argon2id$");
    expect((await signIn("an older one")).status).toBe(200);
    expect((await signIn("not the older one")).status).toBe(401);
  });
});

async function storedHash(): Promise<string | null> {
  const account = await app.db
    .selectFrom("accounts")
    .select("password")
    .where("userId", "=", network.admin.userId)
    .executeTakeFirstOrThrow();
  return account.password;
}
