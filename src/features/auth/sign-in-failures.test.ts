import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changePassword } from "#features/auth/contract.ts";
import { failureKey } from "#features/auth/sign-in-failures.ts";
import { aNetwork, givePassword, testPassword, type TestNetwork } from "#tests/support/people.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";

let app: RunningApp;
let network: TestNetwork;

beforeAll(async () => {
  app = await anApp({ rateLimits: true });
  network = await aNetwork(app.db);
  await givePassword(app.db, network.admin.userId);
});
afterAll(async () => await app.close());

const signIn = (visitor: Visitor, email: string, password = "wrong") =>
  visitor.send("POST", "/api/auth/sign-in/email", { email, password });

/** Fail as often as asked, one after the other, and say what the answers were. */
async function fail(visitor: Visitor, email: string, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 1) statuses.push((await signIn(visitor, email)).status);
  return statuses;
}

/** As if so many sign-ins had just failed; each real one takes the time of hashing a password. */
async function haveFailed(address: string, email: string, times: number): Promise<void> {
  await haveFailedWith(failureKey({ address, email }), times);
}

async function haveFailedWith(key: string, times: number): Promise<void> {
  const failures = Array.from({ length: times }, () => ({ addressAndEmail: key }));
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
    expect(refused.message).toMatch(/^Too many failed sign-ins\. Try again in 1[45] minutes\.$/);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(13 * 60);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(15 * 60);
  });

  test("count for that email from that address alone, however the email is written", async () => {
    const visitor = someoneFrom("10.0.0.2");
    await haveFailed("10.0.0.2", "someone@example.test", 8);
    await fail(visitor, "Someone@Example.test", 1);
    await fail(visitor, " someone@example.TEST ", 1);
    expect((await signIn(visitor, "someone@example.test")).status).toBe(429);
    expect((await signIn(visitor, "another@example.test")).status).toBe(401);
    const elsewhere = someoneFrom("10.0.0.3");
    expect((await signIn(elsewhere, "someone@example.test")).status).toBe(401);
  });

  test("are forgotten once a sign-in succeeds", async () => {
    const visitor = someoneFrom("10.0.0.4");
    for (let round = 0; round < 2; round += 1) {
      await haveFailed("10.0.0.4", network.admin.email, 9);
      expect((await signIn(visitor, network.admin.email, testPassword)).status).toBe(200);
    }
  });

  test("lift after fifteen minutes, the oldest first; being refused does not prolong them", async () => {
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

  test("made all at once are no more than made one by one", async () => {
    const visitor = someoneFrom("10.0.0.6");
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => signIn(visitor, "raced@example.test")),
    );
    expect(replies.filter((reply) => reply.status === 401)).toHaveLength(10);
    expect(replies.filter((reply) => reply.status === 429)).toHaveLength(20);
  });

  test("count however far a request says that it has come", async () => {
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

  test("of one account end at a hundred, wherever they come from", async () => {
    await haveFailedWith("account guessed@example.test", 99);
    const email = " Guessed@example.test";
    expect((await signIn(someoneFrom("10.0.1.1"), email)).status).toBe(401);
    const refused = await signIn(someoneFrom("10.0.1.2"), email);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(60);
    expect((await signIn(someoneFrom("10.0.1.2"), "other@example.test")).status).toBe(401);
  });

  test("from one address end at a hundred, whomever they try, and a success forgives none", async () => {
    await haveFailedWith("address 10.0.2.1", 98);
    const visitor = someoneFrom("10.0.2.1");
    expect((await signIn(visitor, "a@example.test")).status).toBe(401);
    expect((await signIn(visitor, network.admin.email, testPassword)).status).toBe(200);
    expect((await signIn(visitor, "b@example.test")).status).toBe(401);
    expect((await signIn(visitor, network.admin.email, testPassword)).status).toBe(429);
    expect((await signIn(someoneFrom("10.0.2.2"), "b@example.test")).status).toBe(401);
  });

  test("count where a password is changed, too", async () => {
    const admin = await signedIn(app, "admin", await aNetwork(app.db));
    admin.address = "10.0.0.9";
    const body = { current_password: "a guess", new_password: "long enough to do" };
    const guesses = await Promise.all(
      Array.from({ length: 12 }, () => admin.ask(changePassword, { body })),
    );
    expect(guesses.filter((reply) => reply.status === 422)).toHaveLength(10);
    expect(guesses.filter((reply) => reply.status === 429)).toHaveLength(2);
  });

  test("what is no attempt at all does not count", async () => {
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
