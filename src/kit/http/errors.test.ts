import { sql } from "kysely";
import { describe, expect } from "vitest";
import { createApp } from "#main/app.ts";
import { openPool } from "#kit/db/database.ts";
import { isLostConnection } from "#kit/db/lost-connection.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/* Server errors on purpose. In other tests the visitor fails on any server error. */

let admin: Visitor;
const test = appTest({ connections: 2, asOwner: true });
test.beforeAll(async () => {
  admin = await signedIn(app, "admin", await makeNetwork(app.db));
});

const cookieOf = (visitor: Visitor) =>
  [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");

describe("a fault of ours", () => {
  test("is a 500 that leaks nothing, with an id to tell us", async () => {
    await sql`alter table plans rename to plans_elsewhere`.execute(app.db);
    const answer = await app.server.inject({
      method: "GET",
      url: "/lrs_subscriptions/",
      headers: { cookie: cookieOf(admin), "x-request-id": "proxy-000017" },
    });
    await sql`alter table plans_elsewhere rename to plans`.execute(app.db);
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toEqual({
      success: false,
      object: null,
      message: expect.stringMatching(
        /^Something went wrong on our side and nothing was changed\..* request id proxy-000017\.$/,
      ),
    });
    expect(answer.body).not.toMatch(/plans|relation|select|pg|\.ts/);
    expect(answer.headers["x-request-id"]).toBe("proxy-000017");
  });

  test("is not taken for a lost database, though both may have the same code", async () => {
    const wrong = app.pool.query("select $1::integer", [1, 2]).catch((problem: unknown) => problem);
    expect(await wrong).toMatchObject({ code: "08P01", severity: "ERROR" });
    expect(isLostConnection(await wrong)).toBe(false);
  });

  test("does not affect the next request", async () => {
    expect((await admin.send("GET", "/lrs_subscriptions/")).status).toBe(200);
  });
});

describe("a database that is busy or away", () => {
  test("is a 503 that says to try again and that nothing was changed", async () => {
    const holding = await app.db.startTransaction().execute();
    await sql`lock table plans in access exclusive mode`.execute(holding);
    await sql`set lock_timeout = '50ms'`.execute(app.db); // on the other connection of the two
    const answer = await app.server.inject({
      method: "POST",
      url: "/lrs_subscriptions/",
      headers: { cookie: cookieOf(admin), "x-csrf-token": admin.csrf },
      payload: { name: "Dues", payment_amount: 5, payment_frequency_in_months: 1 },
    });
    await holding.rollback().execute();
    expect(answer.statusCode).toBe(503);
    expect(answer.headers["retry-after"]).toBe("2");
    expect(answer.json()).toMatchObject({ success: false, message: expect.stringMatching(/busy/) });
    expect((await admin.send("GET", "/lrs_subscriptions/")).object).toEqual([]);
  });

  test("and so is one that is no longer the primary, whose connection is dropped", async () => {
    const holding = await app.db.startTransaction().execute();
    await sql`set default_transaction_read_only = on`.execute(app.db); // on the other connection
    const write = async () =>
      await app.server.inject({
        method: "POST",
        url: "/lrs_subscriptions/",
        headers: { cookie: cookieOf(admin), "x-csrf-token": admin.csrf },
        payload: { name: "Dues", payment_amount: 5, payment_frequency_in_months: 1 },
      });
    const answer = await write();
    expect([answer.statusCode, answer.headers["retry-after"]]).toEqual([503, "2"]);
    expect((await write()).statusCode).toBe(200);
    await holding.rollback().execute();
  });

  test("leaves the process healthy but not ready", async () => {
    const pool = openPool({ connectionString: "postgres://nobody@127.0.0.1:9/nothing" });
    const lost = await createApp({
      pool,
      secret: "x".repeat(32),
      publicUrl: "http://localhost:3000",
      origins: [],
      now: app.server.now,
      rateLimits: false,
      trustedProxies: 0,
      logLevel: "silent",
      sendsMail: false,
      webFolder: null,
      metricsToken: null,
    });
    const statusOf = async (url: string) => (await lost.inject({ method: "GET", url })).statusCode;
    expect(await statusOf("/healthz")).toBe(200);
    expect(await statusOf("/readyz")).toBe(503);
    await lost.close();
    await pool.end();
  });

  test("does not affect a server with a working database", async () => {
    for (const url of ["/healthz", "/readyz"]) {
      const reply = await admin.sendRaw({ method: "GET", url });
      expect([reply.status, reply.headers["content-type"]]).toEqual([
        200,
        expect.stringContaining("text/plain"),
      ]);
    }
  });
});
