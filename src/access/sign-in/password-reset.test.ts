import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, vi } from "vitest";
import { acceptLink, inspectLink, requestLink } from "#access/sign-in/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { hashOfCode, newLinkCode } from "#access/sign-in/sign-in-links.ts";
import { makeAdmin } from "#tests/support/records/networks.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { anotherApp, liftTimeLimits, type RunningApp } from "#tests/support/running-app.ts";
import { aVisitor, signedIn } from "#tests/support/visitor.ts";
import { app, appTest, network } from "#tests/support/app-test.ts";

let email: string;

const test = appTest({ network: {} });
beforeEach(async () => {
  await givePassword(app.db, network.admin.userId);
  ({ email } = network.admin);
});

const ask = (address = email) => aVisitor(app).ask(requestLink, { body: { email: address } });
const mails = () =>
  app.db.selectFrom("mails").selectAll().where("recipient", "=", email).orderBy("id").execute();
const codes = async () =>
  (await mails()).map(({ body }) => /#([\w-]+)/.exec(body ?? "")?.[1] ?? "");
const inspect = (token = "") => aVisitor(app).ask(inspectLink, { body: { token } });
const accept = (token = "", password = "another long one") =>
  aVisitor(app).ask(acceptLink, { body: { token, password } });
const signIn = (password: string) =>
  aVisitor(app).send("POST", "/api/auth/sign-in/email", { email, password });
const letMinutesPass = (minutes: number) =>
  sql`update sign_in_links set created_at = created_at - make_interval(mins => ${minutes}),
    expires_at = expires_at - make_interval(mins => ${minutes})
    where network_id = ${network.id}`.execute(app.db);

describe("requesting a new password", () => {
  test("sends a single-use link to choose it, which ends every session", async () => {
    const session = await signedIn(app, "admin", network);
    expect((await ask(`  ${email.toUpperCase()} `)).object).toEqual({ requested: true });
    const [mail] = await mails();
    expect(mail?.subject).toBe("Choose a new password");
    expect(mail?.body).toMatch(
      /^Dear Ada Min,\n\nSomeone, most likely you, asked for a new password\. /,
    );
    const [code] = await codes();
    expect((await accept(code)).status).toBe(200);
    expect((await accept(code)).status).toBe(404);
    expect((await session.call(showSession)).user).toBeNull();
    expect((await signIn(testPassword)).status).toBe(401);
    expect((await signIn("another long one")).status).toBe(200);
  });

  test("changes nothing until the link is used", async () => {
    await ask();
    expect((await signIn(testPassword)).status).toBe(200);
  });

  test("sends one link in five minutes, even for repeated and parallel requests", async () => {
    await Promise.all(Array.from({ length: 8 }, () => ask()));
    await ask();
    expect(await mails()).toHaveLength(1);
    await letMinutesPass(4);
    await ask();
    expect(await mails()).toHaveLength(1);
    await letMinutesPass(1);
    await ask();
    const [earlier, later] = await mails();
    const [withdrawn] = await codes();
    // Only one is sent.
    expect([earlier?.status, later?.status, withdrawn]).toEqual(["withdrawn", "queued", ""]);
  });

  test("keeps the earlier link working with the new one, until one is used", async () => {
    await ask();
    const [first] = await codes();
    for (const minutes of [5, 5]) {
      await letMinutesPass(minutes);
      await ask(); // by anyone
    }
    const [, , third] = await codes();
    expect((await inspect(first)).status).toBe(200);
    expect((await accept(first)).status).toBe(200);
    expect((await accept(third)).status).toBe(404);
  });

  test("sends nothing for an unused account, which needs its invitation", async () => {
    const invited = `invited-${network.id}@example.test`;
    const userId = await makeAdmin(app.db, network, { email: invited });
    expect((await ask(invited)).object).toEqual({ requested: true });
    const rows = async (table: "mails" | "sign_in_links") =>
      (
        await sql`select from ${sql.table(table)} where network_id = ${network.id} and user_id = ${userId}`.execute(
          app.db,
        )
      ).rows;
    expect([await rows("mails"), await rows("sign_in_links")]).toEqual([[], []]);
  });

  test("gives two hours to use the link", async () => {
    await ask();
    await letMinutesPass(119);
    const [code] = await codes();
    await letMinutesPass(2);
    expect((await accept(code)).status).toBe(404);
  });

  test("answers the same, after the same time, for an unknown address", async () => {
    const answers = new Set<string>();
    for (const address of [email, "nobody-at-all@example.test"]) {
      const begun = performance.now();
      const { status, text } = await ask(address);
      answers.add(`${status} ${text}`);
      expect(performance.now() - begun).toBeGreaterThanOrEqual(295); // the fixed delay
    }
    expect(answers.size).toBe(1);
    const { rows } = await sql`select from mails where recipient like 'nobody%'`.execute(app.db);
    expect(rows).toEqual([]);
  });

  test.each(["", "nobody", "a@b", `${"x".repeat(200)}@example.test`, null, 5, ["a@b.test"]])(
    "is refused for %j",
    async (address) => {
      const reply = await aVisitor(app).ask(requestLink, { body: { email: address } });
      expect([reply.status, reply.errors[0]?.path]).toEqual([422, "email"]);
    },
  );

  test("stores no code that could be read from the database", async () => {
    await ask();
    const [code = ""] = await codes();
    const { rows } = await sql<{ row: string }>`select l::text as row from sign_in_links l
      union all select e::text from audit_entries e`.execute(app.db);
    expect(rows.some(({ row }) => row.includes(code))).toBe(false);
  });
});

describe("requests for a new password", () => {
  let limited: RunningApp;
  beforeAll(async () => {
    limited = await anotherApp(app, { rateLimits: true });
    await liftTimeLimits(limited);
  });
  afterAll(async () => await limited.close());
  beforeEach(async () => await app.db.deleteFrom("linkRequests").execute());

  const askFrom = async (address: string, about: string) => {
    const visitor = aVisitor(limited);
    visitor.address = address;
    return await visitor.ask(requestLink, { body: { email: about } });
  };
  const statusesOf = async (addresses: string[], about: (index: number) => string) =>
    (await Promise.all(addresses.map((one, index) => askFrom(one, about(index))))).map(
      ({ status }) => status,
    );
  const counted = async () =>
    (await app.db.selectFrom("linkRequests").select("id").execute()).length;
  const isHeld = async () =>
    (
      await sql`select from pg_locks where relation = 'link_requests'::regclass
        and database = (select oid from pg_database where datname = current_database()) and mode = 'AccessExclusiveLock' and granted`.execute(
        app.db,
      )
    ).rows.length > 0;
  const nobody = (index: number) => `nobody-${index}@example.test`;

  test("from one address are limited to twenty in fifteen minutes, for any accounts", async () => {
    const same = Array<string>(25).fill("10.3.0.1");
    const statuses = await statusesOf(same, (index) => (index % 2 ? email : nobody(index)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
    for (const about of [email, nobody(1)]) {
      const refused = await askFrom("10.3.0.1", about);
      expect(refused.status).toBe(429);
      expect(refused.message).toMatch(
        /^Too many requests for a new password\. Try again in 1[45] minutes\.$/,
      );
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(13 * 60);
    }
    expect((await askFrom("10.3.0.2", email)).status).toBe(200);
  });

  test("from one IPv6 network count as from one address", async () => {
    const same = Array.from({ length: 21 }, (_, host) => `2001:db8:5:5::${host}`);
    const statuses = await statusesOf(same, nobody);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });

  test("are no longer counted after fifteen minutes, and leave no rows", async () => {
    await statusesOf(Array<string>(20).fill("10.3.0.3"), nobody);
    expect((await askFrom("10.3.0.3", email)).status).toBe(429);
    await sql`update link_requests set asked_at = asked_at - interval '15 minutes 1 second'`.execute(
      app.db,
    );
    expect((await askFrom("10.3.0.3", email)).status).toBe(200);
    expect(await counted()).toBe(1);
  });

  test("are stored up to ten thousand; more add no row and block nobody", async () => {
    await sql`insert into link_requests (address) select 'made up ' || n from generate_series(1, 9999) as n`.execute(
      app.db,
    );
    const statuses = await statusesOf(["10.3.1.1", "10.3.1.2", "10.3.1.3"], nobody);
    expect(statuses).toEqual([200, 200, 200]);
    expect((await askFrom("10.3.1.4", email)).status).toBe(200);
    expect(await mails()).toHaveLength(1);
    expect(await counted()).toBeLessThanOrEqual(10_003); // parallel requests may not see each other
    const before = await counted();
    await statusesOf(Array<string>(20).fill("10.3.1.5"), nobody);
    expect(await counted()).toBe(before);
  });

  test("are handled a hundred at a time; more are told to try again in a moment", async () => {
    let release = () => {};
    const held = app.db.transaction().execute(async (tx) => {
      await sql`lock table link_requests in access exclusive mode`.execute(tx);
      await new Promise<void>((resolve) => (release = resolve));
    });
    await vi.waitUntil(isHeld, 60_000);
    const addresses = Array.from({ length: 130 }, (_, host) => `10.3.2.${host}`);
    const replies = addresses.map((one, index) => askFrom(one, nobody(index)));
    const refused = await Promise.all(replies.slice(100));
    for (const { status, message, headers } of refused) {
      expect([status, headers["retry-after"]]).toEqual([429, "1"]);
      expect(message).toBe(
        "Too many people are requesting new passwords right now. Try again in a moment.",
      );
    }
    release();
    await held;
    const served = await Promise.all(replies.slice(0, 100));
    expect(new Set(served.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await askFrom("10.3.2.200", email)).status).toBe(200);
  });

  test("from one address, however many, leave room for others", async () => {
    let release = () => {};
    const held = app.db.transaction().execute(async (tx) => {
      await sql`lock table link_requests in access exclusive mode`.execute(tx);
      await new Promise<void>((resolve) => (release = resolve));
    });
    await vi.waitUntil(isHeld, 60_000);
    const flood = Array.from({ length: 120 }, (_, index) => askFrom("10.3.3.1", nobody(index)));
    await Promise.all(flood.slice(100));
    const other = askFrom("10.3.3.2", email);
    release();
    await held;
    await Promise.all(flood);
    expect((await other).status).toBe(200);
  });
});

test("an invitation keeps working after anyone requests a new password in its owner's name", async () => {
  const code = newLinkCode();
  await sql`
    insert into sign_in_links (network_id, user_id, purpose, code_hash, expires_at)
    values (${network.id}, ${network.admin.userId}, 'invitation', ${hashOfCode(code)}, now() + interval '7 days')`.execute(
    app.db,
  );
  await ask();
  expect((await accept(code)).status).toBe(200);
  const [asked] = await codes();
  expect((await accept(asked)).status).toBe(404); // choosing a password ended the other link
});

test("links that expired days ago are deleted", async () => {
  const links = async () =>
    (
      await app.db
        .selectFrom("signInLinks")
        .select("id")
        .where("networkId", "=", network.id)
        .execute()
    ).length;
  await ask();
  await letMinutesPass(24 * 60 + 121);
  await ask();
  expect(await links()).toBe(1);
});
