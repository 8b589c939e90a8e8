import { describe, expect } from "vitest";
import { sql } from "kysely";
import { changePassword } from "#access/sign-in/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { anApp } from "#tests/support/running-app.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

let network: MadeNetwork;
const cookieName = "referral-network.session_token";

const test = appTest({ rateLimits: true });
test.beforeAll(async () => {
  network = await makeNetwork(app.db, { name: "Harbor County", timeZone: "Pacific/Honolulu" });
  await givePassword(app.db, network.admin.userId);
});

const signIn = (visitor: Visitor, email: string, password = testPassword) =>
  visitor.send("POST", "/api/auth/sign-in/email", { email, password });

const userOf = async (visitor: Visitor) => (await visitor.call(showSession)).user;

describe("signing in", () => {
  test("nobody is signed in at first", async () => {
    expect(await userOf(aVisitor(app))).toBeNull();
  });

  test("makes an administrator of the account's network", async () => {
    const visitor = aVisitor(app);
    expect((await signIn(visitor, network.admin.email)).status).toBe(200);
    expect(await userOf(visitor)).toEqual({
      id: network.admin.userId,
      name: "Ada Min",
      email: network.admin.email,
      role: "admin",
      attorneyId: null,
      networkName: "Harbor County",
      timeZone: "Pacific/Honolulu",
      secondFactorDueAt: null,
      lacksSecondFactor: false,
    });
  });

  test("ends the oldest session when an account has more than a hundred", async () => {
    const other = await makeNetwork(app.db);
    await givePassword(app.db, other.admin.userId);
    const [oldest, second] = [
      await signedIn(app, "admin", other),
      await signedIn(app, "admin", other),
    ];
    for (let more = 2; more < 100; more += 1) await signedIn(app, "admin", other);
    expect(await userOf(oldest)).not.toBeNull();
    const newest = aVisitor(app);
    expect((await signIn(newest, other.admin.email)).status).toBe(200);
    expect(await userOf(oldest)).toBeNull();
    expect(await userOf(second)).not.toBeNull();
    expect(await userOf(newest)).not.toBeNull();
    const { rows } = await sql<{ count: number }>`
      select count(*) from sessions where user_id = ${other.admin.userId}`.execute(app.db);
    expect(rows).toEqual([{ count: 100 }]);
  });

  test("makes the attorney of the account", async () => {
    const attorney = await makeAttorney(app.db, network, { firstName: "Ida", lastName: "Wells" });
    const account = await makeAccount(app.db, network, attorney);
    await givePassword(app.db, account.userId);
    const visitor = aVisitor(app);
    await signIn(visitor, attorney.email);
    expect(await userOf(visitor)).toMatchObject({
      role: "attorney",
      attorneyId: attorney.id,
      name: "Ida Wells",
    });
  });

  test.each([
    ["in capitals", (email: string) => email.toUpperCase()],
    ["with spaces around it", (email: string) => `  ${email} `],
    [
      "with what nobody sees in it",
      (email: string) => `\ufeff\u200e${email.replace("@", "\u200b@")}\u00a0`,
    ],
  ])("the email may be written %s", async (_, written) => {
    expect((await signIn(aVisitor(app), written(network.admin.email))).status).toBe(200);
  });

  test.each(["o&leary", "a/b", "o'neil'", "!#$%&'*+-=?^_`{|}~"])(
    "the email may be %s@example.org",
    async (person) => {
      const email = `${person}@example.org`;
      const attorney = await makeAttorney(app.db, network, { email });
      const account = await makeAccount(app.db, network, attorney);
      await givePassword(app.db, account.userId);
      const visitor = aVisitor(app);
      const wrong = await signIn(visitor, email, "not the password");
      expect(wrong.status).toBe(401);
      expect(wrong.text).toBe((await signIn(visitor, "no/body@example.org", "wrong")).text);
      expect((await signIn(visitor, email)).status).toBe(200);
      expect(await userOf(visitor)).toMatchObject({ attorneyId: attorney.id, email });
    },
  );

  test("the address works with and without its trailing slash", async () => {
    const visitor = aVisitor(app);
    const body = { email: network.admin.email, password: testPassword };
    expect((await visitor.send("POST", "/api/auth/sign-in/email/", body)).status).toBe(200);
    expect((await visitor.send("POST", "/api/auth/sign-out/", {})).status).toBe(200);
  });

  test("a wrong password and an unknown email get the same answer", async () => {
    const wrong = await signIn(aVisitor(app), network.admin.email, "not the password");
    const unknown = await signIn(aVisitor(app), "nobody@example.test", "not the password");
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.text).toBe(unknown.text);
  });

  test("an account without a password cannot be signed in to", async () => {
    const attorney = await makeAttorney(app.db, network);
    await makeAccount(app.db, network, attorney);
    for (const password of ["", "null", testPassword])
      expect((await signIn(aVisitor(app), attorney.email, password)).status).not.toBe(200);
  });

  test.each([
    ["nothing", null],
    ["a list", []],
    ["a number", 5],
    ["no names", {}],
    ["names of other kinds", { email: 1, password: ["x"] }],
    ["a NUL in the email", { email: "a\u0000@example.test", password: "x" }],
    ["a NUL in the password", { email: "a@example.test", password: "\u0000" }],
    ["a lone surrogate", { email: "\ud800@example.test", password: "\ud800" }],
    ["an email without end", { email: `${"a".repeat(5000)}@example.test`, password: "x" }],
    ["a password without end", { email: "a@example.test", password: "x".repeat(5000) }],
  ])("%s is refused, and harms nothing", async (_, body) => {
    const { status } = await aVisitor(app).send("POST", "/api/auth/sign-in/email", body);
    expect([400, 401]).toContain(status);
  });

  test("the auth library's other calls are not served", async () => {
    const visitor = aVisitor(app);
    const account = { email: "new@example.test", password: testPassword, name: "New" };
    for (const path of ["sign-up/email", "update-user", "change-password", "delete-user"])
      expect((await visitor.send("POST", `/api/auth/${path}`, account)).status).toBe(404);
    for (const path of ["get-session", "list-sessions", "ok", "error"])
      expect((await visitor.send("GET", `/api/auth/${path}`)).status).toBe(404);
  });
});

/** The attributes of the session cookie in an answer. */
const attributesOf = (header: unknown) =>
  [header]
    .flat()
    .map(String)
    .find((cookie) => cookie.includes("session_token="))
    ?.split("; ")
    .slice(1)
    .map((attribute) => attribute.toLowerCase())
    .toSorted();

describe("the session's cookie", () => {
  test("cannot be read by scripts nor sent from other sites, and lasts thirty days", async () => {
    const { headers } = await signIn(aVisitor(app), network.admin.email);
    expect(attributesOf(headers["set-cookie"])).toEqual([
      "httponly",
      "max-age=2592000",
      "path=/",
      "samesite=lax",
    ]);
  });

  test("is only sent over TLS where the product is served over TLS", async () => {
    const secure = await anApp({ publicUrl: "https://dues.example.test" });
    try {
      const office = await makeNetwork(secure.db);
      await givePassword(secure.db, office.admin.userId);
      const visitor = aVisitor(secure);
      const { headers } = await signIn(visitor, office.admin.email);
      expect(String(headers["set-cookie"])).toMatch(/^__Host-referral-network\.session_token=/);
      expect(attributesOf(headers["set-cookie"])).toContain("secure");
      expect(headers["strict-transport-security"]).toBeDefined();
      expect(await userOf(visitor)).toMatchObject({ id: office.admin.userId });
    } finally {
      await secure.close();
    }
  });

  test("does not work if one letter is changed", async () => {
    const visitor = aVisitor(app);
    await signIn(visitor, network.admin.email);
    const [token = "", signature = ""] = (visitor.cookies.get(cookieName) ?? "").split(".");
    for (const forged of [`${token}x.${signature}`, token, `${token}.`, `.${signature}`, "x.y"]) {
      visitor.cookies.set(cookieName, forged);
      expect(await userOf(visitor)).toBeNull();
    }
  });

  test("is a new one at each sign-in", async () => {
    const visitor = aVisitor(app);
    await signIn(visitor, network.admin.email);
    const first = visitor.cookies.get(cookieName);
    await signIn(visitor, network.admin.email);
    expect(visitor.cookies.get(cookieName)).not.toBe(first);
  });

  test("does not work after it expires", async () => {
    const visitor = aVisitor(app);
    await signIn(visitor, network.admin.email);
    await sql`update sessions set expires_at = now() - interval '1 second'
      where token = ${visitor.cookies.get(cookieName)?.split(".")[0]}`.execute(app.db);
    expect(await userOf(visitor)).toBeNull();
  });
});

describe("signing out", () => {
  test("ends the session, also for copies of its cookie", async () => {
    const visitor = aVisitor(app);
    await signIn(visitor, network.admin.email);
    const copy = aVisitor(app);
    for (const [name, value] of visitor.cookies) copy.cookies.set(name, value);
    expect(await userOf(copy)).not.toBeNull();
    expect((await visitor.send("POST", "/api/auth/sign-out", {})).status).toBe(200);
    expect(visitor.cookies.has(cookieName)).toBe(false);
    expect(await userOf(copy)).toBeNull();
  });

  test("without a session does nothing", async () => {
    expect((await aVisitor(app).send("POST", "/api/auth/sign-out", {})).status).toBe(200);
  });
});

describe("the CSRF token of the sign-in page", () => {
  test("is needed to sign in and out", async () => {
    const visitor = aVisitor(app);
    const { csrf } = visitor;
    for (const wrong of ["", "x", csrf.slice(0, -1), `${csrf}A`, aVisitor(app).csrf]) {
      visitor.csrf = wrong;
      const reply = await signIn(visitor, network.admin.email);
      expect(reply).toMatchObject({ status: 403, object: null });
      expect(reply.message).toMatch(/Reload/);
      expect((await visitor.send("POST", "/api/auth/sign-out", {})).status).toBe(403);
    }
  });

  test("keeps working after signing in and out", async () => {
    const visitor = aVisitor(app);
    expect((await signIn(visitor, network.admin.email)).status).toBe(200);
    const wrong = { current_password: "not it", new_password: "long enough to do" };
    expect((await visitor.ask(changePassword, { body: wrong })).status).toBe(422);
    expect((await visitor.send("POST", "/api/auth/sign-out", {})).status).toBe(200);
    expect((await signIn(visitor, network.admin.email)).status).toBe(200);
  });

  test("of one session does not work for another", async () => {
    const [one, other] = [aVisitor(app), aVisitor(app)];
    await signIn(one, network.admin.email);
    await signIn(other, network.admin.email);
    one.csrf = other.csrf;
    const body = { current_password: testPassword, new_password: "long enough to do" };
    expect((await one.ask(changePassword, { body })).status).toBe(403);
  });
});
