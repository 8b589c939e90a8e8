import { sql } from "kysely";
import { beforeEach, describe, expect } from "vitest";
import { acceptLink, changePassword, requestLink } from "#access/sign-in/contract.ts";
import { cookieName } from "#kit/http/cookie-names.ts";
import { failureKey } from "#access/sign-in/sign-in-failures.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { anApp } from "#tests/support/running-app.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

let network: MadeNetwork;

const test = appTest({ rateLimits: true });
test.beforeAll(async () => {
  network = await makeNetwork(app.db);
  await givePassword(app.db, network.admin.userId);
});

const signIn = (visitor: Visitor, email: string, password = "wrong") =>
  visitor.send("POST", "/api/auth/sign-in/email", { email, password });

/** Fail to sign in several times, one after the other, and return the answers. */
async function fail(visitor: Visitor, email: string, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 1) statuses.push((await signIn(visitor, email)).status);
  return statuses;
}

/** Insert failed sign-ins directly, because each real one takes the time of hashing a password. */
async function haveFailed(address: string, email: string, times: number): Promise<void> {
  await haveFailedWith(failureKey({ address, email }), times);
}

async function haveFailedWith(key: string, times: number): Promise<void> {
  const email = /\S+@\S+/.exec(key)?.[0] ?? null;
  const failures = Array.from({ length: times }, () => ({ addressAndEmail: key, email }));
  await app.db.insertInto("signInFailures").values(failures).execute();
}

function someoneFrom(address: string): Visitor {
  const visitor = aVisitor(app);
  visitor.address = address;
  return visitor;
}

describe("failed sign-ins", () => {
  test("the eleventh in fifteen minutes is refused, even with the right password", async () => {
    const visitor = someoneFrom("10.0.0.1");
    expect(await fail(visitor, network.admin.email, 10)).toEqual(Array(10).fill(401));
    const refused = await signIn(visitor, network.admin.email, testPassword);
    expect(refused).toMatchObject({ status: 429, object: null });
    expect(refused.message).toMatch(
      /^Too many failed sign-ins\. Try again in 1[45] minutes, or request a link to choose a new password\.$/,
    );
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(13 * 60);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(15 * 60);
  });

  test("count only for that email and address, in any spelling of the email", async () => {
    const visitor = someoneFrom("10.0.0.2");
    await haveFailed("10.0.0.2", "someone@example.test", 8);
    await fail(visitor, "Someone@Example.test", 1);
    await fail(visitor, " someone@example.TEST ", 1);
    expect((await signIn(visitor, "someone@example.test")).status).toBe(429);
    expect((await signIn(visitor, "another@example.test")).status).toBe(401);
    const elsewhere = someoneFrom("10.0.0.3");
    expect((await signIn(elsewhere, "someone@example.test")).status).toBe(401);
  });

  test("are deleted when a sign-in succeeds", async () => {
    const visitor = someoneFrom("10.0.0.4");
    for (let round = 0; round < 2; round += 1) {
      await haveFailed("10.0.0.4", network.admin.email, 9);
      expect((await signIn(visitor, network.admin.email, testPassword)).status).toBe(200);
    }
  });

  test("expire after fifteen minutes, oldest first; refused attempts do not extend them", async () => {
    const visitor = someoneFrom("10.0.0.5");
    const email = "patient@example.test";
    await haveFailed("10.0.0.5", email, 10);
    expect(await fail(visitor, email, 3)).toEqual([429, 429, 429]);
    await sql`update sign_in_failures set failed_at = now() - interval '15 minutes 1 second'
      where id = (select min(id) from sign_in_failures where address_and_email = ${failureKey({ address: "10.0.0.5", email })})`.execute(
      app.db,
    );
    expect(await fail(visitor, email, 2)).toEqual([401, 429]);
  });

  test("count the same when made in parallel as one by one", async () => {
    const visitor = someoneFrom("10.0.0.6");
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => signIn(visitor, "raced@example.test")),
    );
    expect(replies.filter((reply) => reply.status === 401)).toHaveLength(10);
    expect(replies.filter((reply) => reply.status === 429)).toHaveLength(20);
  });

  test("count whatever addresses a request claims to come from", async () => {
    await haveFailed("10.0.0.8", "far@example.test", 10);
    const visitor = someoneFrom("10.0.0.8");
    const reply = await visitor.sendRaw({
      method: "POST",
      url: "/api/auth/sign-in/email",
      headers: {
        "content-type": "application/json",
        "x-csrf-token": visitor.csrf,
        "x-forwarded-for": "203.0.113.9",
      },
      payload: JSON.stringify({ email: "far@example.test", password: "wrong" }),
    });
    expect(reply.status).toBe(429);
  });

  test("of one account are limited to a hundred, from any addresses", async () => {
    await haveFailedWith("account guessed@example.test", 99);
    const email = " Guessed@example.test";
    expect((await signIn(someoneFrom("10.0.1.1"), email)).status).toBe(401);
    const refused = await signIn(someoneFrom("10.0.1.2"), email);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(60);
    expect((await signIn(someoneFrom("10.0.1.2"), "other@example.test")).status).toBe(401);
  });

  test("from one address are limited to a hundred over all accounts, and a success deletes none", async () => {
    await haveFailedWith("address 10.0.2.1", 98);
    const visitor = someoneFrom("10.0.2.1");
    expect((await signIn(visitor, "a@example.test")).status).toBe(401);
    expect((await signIn(visitor, network.admin.email, testPassword)).status).toBe(200);
    expect((await signIn(visitor, "b@example.test")).status).toBe(401);
    const another = someoneFrom("10.0.2.1");
    expect((await signIn(another, network.admin.email, testPassword)).status).toBe(429);
    expect((await signIn(someoneFrom("10.0.2.2"), "b@example.test")).status).toBe(401);
  });

  test("include wrong current passwords when changing a password", async () => {
    const admin = await signedIn(app, "admin", await makeNetwork(app.db));
    admin.address = "10.0.0.9";
    const body = { current_password: "a guess", new_password: "long enough to do" };
    const guesses = await Promise.all(
      Array.from({ length: 12 }, () => admin.ask(changePassword, { body })),
    );
    expect(guesses.filter((reply) => reply.status === 422)).toHaveLength(10);
    expect(guesses.filter((reply) => reply.status === 429)).toHaveLength(2);
  });

  test("do not include requests that are not attempts", async () => {
    const visitor = someoneFrom("10.0.0.7");
    for (let time = 0; time < 12; time += 1)
      await visitor.send("POST", "/api/auth/sign-in/email", { email: "odd@example.test" });
    expect((await signIn(visitor, "odd@example.test")).status).toBe(401);
  });

  test("are not counted with request limits off", async () => {
    const unlimited = await anApp({ rateLimits: false });
    try {
      const attempts = Array.from({ length: 12 }, () =>
        signIn(aVisitor(unlimited), "load@example.test"),
      );
      expect(new Set((await Promise.all(attempts)).map((reply) => reply.status))).toEqual(
        new Set([401]),
      );
    } finally {
      await unlimited.close();
    }
  });
});

describe("wrong guesses by others", () => {
  const target = async () => {
    const office = await makeNetwork(app.db);
    await givePassword(app.db, office.admin.userId);
    return office.admin.email;
  };
  /** Block sign-ins to the account from every unknown browser. */
  async function attack(email: string, address: string): Promise<void> {
    await haveFailed(address, email, 10);
    await haveFailedWith(`account ${email}`, 100);
    await haveFailedWith(`address ${address}`, 100);
    expect((await signIn(someoneFrom(address), email, testPassword)).status).toBe(429);
  }

  test("do not block a device that signed in before", async () => {
    const email = await target();
    const owner = someoneFrom("10.1.0.1");
    expect((await signIn(owner, email, testPassword)).status).toBe(200);
    await attack(email, "10.1.0.1");
    owner.address = "10.1.0.1";
    expect((await signIn(owner, email, testPassword)).status).toBe(200);
    owner.address = "10.1.0.2";
    expect((await signIn(owner, email.toUpperCase(), testPassword)).status).toBe(200);
  });

  test("do not block a person who has just chosen a new password with an emailed link", async () => {
    const email = await target();
    await attack(email, "10.1.1.1");
    const owner = someoneFrom("10.1.1.1");
    await chooseByLink(owner, email, "a brand new password");
    expect((await signIn(owner, email, "a brand new password")).status).toBe(200);
    await attack(email, "10.1.1.1");
    expect((await signIn(owner, email, "a brand new password")).status).toBe(200);
  });

  test("are deleted for every browser when a new password is chosen with a link", async () => {
    const email = await target();
    await haveFailed("10.1.2.1", email, 10);
    await haveFailedWith(`account ${email}`, 100);
    await chooseByLink(aVisitor(app), email, "a brand new password");
    const elsewhere = someoneFrom("10.1.2.1");
    expect((await signIn(elsewhere, email, "a brand new password")).status).toBe(200);
  });

  test("do not keep a known device from changing its password", async () => {
    const email = await target();
    const owner = someoneFrom("10.1.3.1");
    await signIn(owner, email, testPassword);
    await attack(email, "10.1.3.1");
    const change = (current_password: string, new_password: string) =>
      owner.ask(changePassword, { body: { current_password, new_password } });
    expect((await change(testPassword, "the second password")).status).toBe(200);
    expect((await change("the second password", "the third password")).status).toBe(200);
    expect((await signIn(owner, email, "the third password")).status).toBe(200);
  });
});

describe("a device that signed in before", () => {
  const cookie = cookieName("device", false);
  let email: string;
  let owner: Visitor;
  beforeEach(async () => {
    const office = await makeNetwork(app.db);
    await givePassword(app.db, office.admin.userId);
    ({ email } = office.admin);
    owner = someoneFrom("10.2.0.1");
    await signIn(owner, email, testPassword);
  });
  const lockTheAccount = () => haveFailedWith(`account ${email}`, 100);
  const statusWith = async (value: string, password = testPassword) => {
    const visitor = someoneFrom("10.2.0.9");
    visitor.cookies.set(cookie, value);
    return (await signIn(visitor, email, password)).status;
  };

  test("is recognized for a year by a cookie that scripts cannot read", async () => {
    const { headers } = await signIn(owner, email, testPassword);
    const set = [headers["set-cookie"]].flat().map(String);
    expect(set.find((one) => one.startsWith(cookie))).toMatch(
      /^referral-network\.device=[^;]+; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  test("has its own limit of ten failures in fifteen minutes", async () => {
    expect(await fail(owner, email, 10)).toEqual(Array(10).fill(401));
    expect((await signIn(owner, email, testPassword)).status).toBe(429);
    owner.address = "10.2.0.2";
    expect((await signIn(owner, email, testPassword)).status).toBe(429);
    expect((await signIn(someoneFrom("10.2.0.1"), email, testPassword)).status).toBe(200);
  });

  test("loses its failures when it signs in", async () => {
    for (let round = 0; round < 2; round += 1) {
      expect(await fail(owner, email, 6)).toEqual(Array(6).fill(401));
      expect((await signIn(owner, email, testPassword)).status).toBe(200);
    }
  });

  test("cannot be forged: a cookie that we did not sign is ignored", async () => {
    const real = owner.cookies.get(cookie) ?? "";
    const [id = "", proof = ""] = decodeURIComponent(real).split(".");
    await lockTheAccount();
    expect(await statusWith(real)).toBe(200);
    const inventions = [
      "",
      "x",
      id,
      `${id}.`,
      `${id}.${proof.slice(0, -1)}`,
      `${id}.${proof.slice(0, -2)}AA`,
      `${"a".repeat(id.length)}.${proof}`,
      `${id}.${"a".repeat(43)}`,
      `${id}${".".repeat(5000)}`,
    ];
    for (const invented of inventions)
      expect([invented, await statusWith(invented)]).toEqual([invented, 429]);
  });

  test("is known only for its own account", async () => {
    const other = await makeNetwork(app.db);
    await givePassword(app.db, other.admin.userId);
    await haveFailedWith(`account ${other.admin.email}`, 100);
    expect((await signIn(owner, other.admin.email, testPassword)).status).toBe(429);
  });

  test("may be shared by several people", async () => {
    const other = await makeNetwork(app.db);
    await givePassword(app.db, other.admin.userId);
    expect((await signIn(owner, other.admin.email, testPassword)).status).toBe(200);
    await lockTheAccount();
    await haveFailedWith(`account ${other.admin.email}`, 100);
    for (const one of [email, other.admin.email])
      expect((await signIn(owner, one, testPassword)).status).toBe(200);
  });

  test("is no longer known after the password was changed elsewhere", async () => {
    const known = owner.cookies.get(cookie) ?? "";
    const elsewhere = aVisitor(app);
    await signIn(elsewhere, email, testPassword);
    const body = { current_password: testPassword, new_password: "the second password" };
    await elsewhere.call(changePassword, { body });
    await lockTheAccount();
    expect(await statusWith(known, "the second password")).toBe(429);
    expect((await signIn(elsewhere, email, "the second password")).status).toBe(200);
  });
});

describe("an IPv6 address", () => {
  test("counts by its 64-bit network, which belongs to one subscriber", async () => {
    const email = "six@example.test";
    for (let host = 0; host < 10; host += 1) {
      const visitor = someoneFrom(`2001:db8:1:2::${host.toString(16)}`);
      expect((await signIn(visitor, email)).status).toBe(401);
    }
    expect((await signIn(someoneFrom("2001:0DB8:1:2:ffff:ffff:ffff:ffff"), email)).status).toBe(
      429,
    );
    expect((await signIn(someoneFrom("2001:db8:1:3::1"), email)).status).toBe(401);
  });

  test("that maps an IPv4 address counts as that address", async () => {
    await haveFailed("203.0.113.9", "mapped@example.test", 10);
    expect((await signIn(someoneFrom("::ffff:203.0.113.9"), "mapped@example.test")).status).toBe(
      429,
    );
    expect((await signIn(someoneFrom("::ffff:203.0.113.10"), "mapped@example.test")).status).toBe(
      401,
    );
  });
});

/** Request a link by email and choose a password with it, all in one browser. */
async function chooseByLink(visitor: Visitor, email: string, password: string): Promise<void> {
  await visitor.call(requestLink, { body: { email } });
  const { body } = await app.db
    .selectFrom("mails")
    .select("body")
    .where("recipient", "=", email)
    .orderBy("id", "desc")
    .executeTakeFirstOrThrow();
  const token = /#([\w-]+)/.exec(body ?? "")?.[1];
  await visitor.call(acceptLink, { body: { token, password } });
}
