import { Temporal } from "temporal-polyfill";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { openDatabase, openPool } from "#kit/db/database.ts";
import { primaryChanges } from "#kit/db/find-primary.ts";
import { isLostConnection } from "#kit/db/lost-connection.ts";
import { openConfiguredDatabase } from "#kit/db/configured-database.ts";
import { listenWithReconnect } from "#outgoing/realtime/listener.ts";
import { openJobQueue } from "#kit/jobs/queue.ts";
import { sendJob } from "#kit/jobs/send.ts";
import { aPrimaryAndStandby, type PrimaryAndStandby } from "#tests/support/primary-and-standby.ts";

/*
 * A process whose address names a primary and its standby, in order: they are found,
 * the primary's machine dies and the standby is promoted, the old primary comes back.
 */

let two: PrimaryAndStandby;
beforeAll(async () => {
  two = await aPrimaryAndStandby();
});
afterAll(async () => await two.close());

const timeout = { timeout: 60_000 };

function aPool(...ports: number[]) {
  const pool = openPool({ connectionString: two.address(...ports), connections: 3 });
  const portOf = async () =>
    (await pool.query<{ port: number }>("select inet_server_port() as port")).rows[0]?.port;
  return { pool, portOf, [Symbol.asyncDispose]: async () => await pool.end() };
}

const opening = (databaseUrl: string) =>
  openConfiguredDatabase(
    { databaseUrl, databaseDirectUrl: null, migrateDatabaseUrl: null, dataDir: "/nowhere" },
    () => undefined,
  );

test("a host that is down and a standby are skipped", async () => {
  await using found = aPool(9, two.standby.port, two.primary.port);
  expect(await found.portOf()).toBe(two.primary.port);
});

test("a start without a host that accepts writes is refused, with a reason for each", async () => {
  const { port } = two.standby;
  await expect(opening(two.address(9, port))).rejects.toThrow(
    `The database at DATABASE_URL cannot be reached (No host of the database accepts writes: 127.0.0.1:9: connect ECONNREFUSED 127.0.0.1:9; 127.0.0.1:${port}: a standby, or read-only). Check its host, port, name, user and password.`,
  );
});

test("when the primary's machine dies, everything continues with the promoted one", async () => {
  const { primary, standby } = two;
  const heard: string[] = [];
  const said: string[] = [];
  const note = (sentence: string) => void said.push(sentence);
  primaryChanges.on("change", note);
  const connectionString = two.address(standby.port, primary.port);
  await using statements = aPool(standby.port, primary.port);
  await using sessions = aPool(standby.port, primary.port);
  const listener = listenWithReconnect(connectionString, {
    channels: { test: (payload) => void heard.push(payload) },
    onLost: () => void heard.push("lost"),
    onListening: () => void heard.push("listening"),
  });
  const done: unknown[] = [];
  const run = async (_: unknown, about: unknown) => void done.push(about);
  const db = openDatabase(statements.pool);
  const context = {
    db,
    sessions: sessions.pool,
    now: () => Temporal.Instant.from("2026-06-30T12:00:00Z"),
    log: () => undefined,
    dataDir: "",
    publicUrl: "",
    secret: "",
    mail: { smtpUrl: null, from: "" },
  };
  const ordered = [{ name: "test-order", atOnce: 1, run }];
  const queue = await openJobQueue(context, { recurring: [], ordered }, null);
  try {
    await sendJob(db, "test-order", { key: "1", data: { number: 1 } });
    await expect.poll(() => done, timeout).toEqual([{ number: 1 }]);
    await expect.poll(() => heard, timeout).toEqual(["listening"]);
    expect(await statements.portOf()).toBe(primary.port);

    const underWay = statements.pool.query("select pg_sleep(600)").catch((problem) => problem);
    primary.hang();
    await standby.administer("select pg_promote()");
    expect(isLostConnection(await underWay)).toBe(true);
    await expect.poll(() => statements.portOf().catch(() => null), timeout).toBe(standby.port);
    await sendJob(db, "test-order", { key: "2", data: { number: 2 } });
    await expect.poll(() => done.at(-1), timeout).toEqual({ number: 2 });
    await expect.poll(() => heard.at(-1), timeout).toBe("listening");
    await statements.pool.query("select pg_notify('test', 'hello')");
    await expect.poll(() => heard, timeout).toEqual(["listening", "lost", "listening", "hello"]);
    expect(said.at(-1)).toBe(`The database accepts writes at 127.0.0.1:${standby.port}.`);
  } finally {
    await queue.stop();
    await listener.close();
    primaryChanges.off("change", note);
  }
});

test("a former primary that comes back is ignored at first, even if it is the only one", async () => {
  const { primary: former, standby: promoted } = two;
  await former.kill();
  await former.start(); // it does not know that it is no longer the primary
  await using found = aPool(former.port, promoted.port);
  expect(await found.portOf()).toBe(promoted.port);
  await promoted.kill();
  const problem: unknown = await found.portOf().catch((reason: unknown) => reason);
  expect(isLostConnection(problem)).toBe(true);
  const refusal = () => found.portOf().catch((reason: unknown) => String(reason));
  await expect.poll(refusal, timeout).toContain(`127.0.0.1:${former.port}: a former primary`);
  await promoted.start();
  await expect.poll(() => found.portOf().catch(() => null), timeout).toBe(promoted.port);
});

test("a former primary that stays the only one to accept writes becomes the primary again", async () => {
  const { primary: former, standby: promoted } = two;
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  await using found = aPool(former.port, promoted.port);
  expect(await found.portOf()).toBe(promoted.port);
  await promoted.kill();
  const said = () => found.portOf().catch((reason: unknown) => String(reason));
  vi.advanceTimersByTime(10_000);
  await expect.poll(said, timeout).toContain(`127.0.0.1:${former.port}: a former primary`);
  vi.advanceTimersByTime(31_000);
  await expect.poll(said, timeout).toBe(former.port);
  await promoted.start();
  await expect.poll(said, timeout).toBe(promoted.port);
});

test("a server that became read-only is left at the first write", async () => {
  const { standby: promoted } = two;
  await using one = aPool(promoted.port);
  const process = async () =>
    (await one.pool.query<{ id: number }>("select pg_backend_pid() as id")).rows[0]?.id;
  const before = await process();
  await promoted.administer("alter system set default_transaction_read_only = on");
  await promoted.administer("select pg_reload_conf()");
  const write = () => one.pool.query("delete from pgboss.job where false").catch((why) => why);
  await expect.poll(async () => isLostConnection(await write()), timeout).toBe(true);
  expect(await process()).not.toBe(before);
});
