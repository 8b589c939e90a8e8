import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { acceptLink, requestLink, showSession } from "#features/auth/contract.ts";
import { aNetwork, givePassword, testPassword, type TestNetwork } from "#tests/support/people.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { aVisitor, signedIn } from "#tests/support/visitor.ts";

let app: RunningApp;
let network: TestNetwork;
let email: string;

beforeAll(async () => {
  app = await anApp();
});
afterAll(async () => await app.close());
beforeEach(async () => {
  network = await aNetwork(app.db);
  await givePassword(app.db, network.admin.userId);
  ({ email } = network.admin);
});

const ask = (address = email) => aVisitor(app).ask(requestLink, { body: { email: address } });
const mails = () =>
  app.db.selectFrom("mails").selectAll().where("recipient", "=", email).orderBy("id").execute();
const codes = async () => (await mails()).map(({ body }) => /#([\w-]+)/.exec(body)?.[1] ?? "");
const accept = (token = "", password = "another long one") =>
  aVisitor(app).ask(acceptLink, { body: { token, password } });
const signIn = (password: string) =>
  aVisitor(app).send("POST", "/api/auth/sign-in/email", { email, password });
const letMinutesPass = (minutes: number) =>
  sql`update sign_in_links set created_at = created_at - make_interval(mins => ${minutes}),
    expires_at = expires_at - make_interval(mins => ${minutes})
    where network_id = ${network.id}`.execute(app.db);

describe("asking for a new password", () => {
  test("mails a link with which it is chosen, once; every session ends", async () => {
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

  test("mails one link in five minutes, however often and at once it is asked", async () => {
    await Promise.all(Array.from({ length: 8 }, () => ask()));
    await ask();
    expect(await mails()).toHaveLength(1);
    await letMinutesPass(4);
    await ask();
    expect(await mails()).toHaveLength(1);
    await letMinutesPass(1);
    await ask();
    const [first, second] = await codes();
    expect((await accept(first)).status).toBe(404); // the new one has replaced it
    expect((await accept(second)).status).toBe(200);
  });

  test("gives two hours to use the link", async () => {
    await ask();
    await letMinutesPass(119);
    const [code] = await codes();
    await letMinutesPass(2);
    expect((await accept(code)).status).toBe(404);
  });

  test("answers the same, and as late, for an address that nobody has", async () => {
    const timed = async (address: string) => {
      const begun = performance.now();
      const { status, text } = await ask(address);
      return { status, text, ms: performance.now() - begun };
    };
    const known = await timed(email);
    const unknown = await timed("nobody-at-all@example.test");
    expect({ ...unknown, ms: 0 }).toEqual({ ...known, ms: 0 });
    for (const { ms } of [known, unknown]) expect(ms).toBeGreaterThanOrEqual(295);
    expect(Math.abs(known.ms - unknown.ms)).toBeLessThan(250);
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

  test("keeps no code that could be read from the database", async () => {
    await ask();
    const [code = ""] = await codes();
    const { rows } = await sql<{ row: string }>`select l::text as row from sign_in_links l
      union all select e::text from audit_entries e`.execute(app.db);
    expect(rows.some(({ row }) => row.includes(code))).toBe(false);
  });
});
