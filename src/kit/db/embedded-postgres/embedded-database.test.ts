import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claimDataDir } from "#kit/ops/data-dir.ts";
import {
  type EmbeddedDatabase,
  openEmbeddedDatabase,
} from "#kit/db/embedded-postgres/embedded-database.ts";
import { findPostgres } from "#kit/db/embedded-postgres/process.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

let dataDir: string;

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "rn-embedded-"));
});

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

describe("the embedded database", () => {
  test("is created on the first start, with UTF-8, UTC and a role that is not a superuser", async () => {
    const database = await open();
    expect(database.startedHere).toBe(true);
    const facts = await ask<Record<string, string>>(
      database,
      `select current_setting('server_encoding') as encoding, current_setting('TimeZone') as zone,
              current_setting('fsync') as fsync, lower('ÀÉ') as lower,
              (select rolsuper from pg_roles where rolname = current_user) as super`,
    );
    expect(facts).toEqual({
      encoding: "UTF8",
      zone: "UTC",
      fsync: "on",
      lower: "àé",
      super: false,
    });
    expect(statSync(join(dataDir, "database-password")).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, "postgres")).uid).not.toBe(0);
    await ask(database, "create table kept as select 42 as answer");
    await database.stop();
    expect(await running()).toBeNull();
  });

  test("is joined by a second user and stopped by the last one", async () => {
    const [one, other] = await Promise.all([open(), open()]);
    expect([one, other].filter(({ startedHere }) => startedHere)).toHaveLength(1);
    expect(one.connectionString).toBe(other.connectionString);
    await one.stop();
    expect(await ask(other, "select answer from kept")).toEqual({ answer: 42 });
    await other.stop();
    expect(await running()).toBeNull();
  });

  test("recovers after PostgreSQL was killed", async () => {
    const first = await open();
    await ask(first, "insert into kept values (43)");
    process.kill((await running())?.pid ?? 0, "SIGKILL");
    const second = await open(); // either of them starts it
    expect(await ask(second, "select max(answer) as answer from kept")).toEqual({ answer: 43 });
    await first.stop();
    await second.stop();
  });

  test("is restarted on the same port when it dies in use", async () => {
    const one = await open();
    const other = await open();
    const { pid = 0, port } = (await running()) ?? {};
    process.kill(pid, "SIGKILL");
    const answer = () => ask(other, "select max(answer) as answer from kept").catch(() => null);
    await expect.poll(answer).toEqual({ answer: 43 });
    const revived = await running();
    expect(revived?.pid).not.toBe(pid);
    expect(revived?.port).toBe(port);
    await one.stop();
    await other.stop();
    expect(await running()).toBeNull();
  });

  test("is not fooled by a pid file whose number belongs to another process", async () => {
    writeFileSync(
      join(dataDir, "postgres/postmaster.pid"),
      `${process.pid}\n/elsewhere\n1\n5432\n\n127.0.0.1\n1 1\nready\n`,
    );
    const database = await open();
    expect(database.startedHere).toBe(true);
    await database.stop();
  });

  test("is restarted with other settings only when no one uses it", async () => {
    const first = await open();
    const guest = await open({ work_mem: "17MB" });
    expect(await ask(guest, "show work_mem")).toEqual({ work_mem: "16MB" });
    await guest.stop();
    await first.stop();
    const changed = await open({ work_mem: "17MB" });
    expect(await ask(changed, "show work_mem")).toEqual({ work_mem: "17MB" });
    await changed.stop();
  });

  test("reports a lost password", async () => {
    const file = join(dataDir, "database-password");
    const password = readFileSync(file, "utf8");
    writeFileSync(file, "another");
    await expect(open()).rejects.toThrow(/refuses the password in its file/);
    expect(await running()).toBeNull();
    writeFileSync(file, password);
  });

  test("reports another version of PostgreSQL", async () => {
    const file = join(dataDir, "postgres/PG_VERSION");
    writeFileSync(file, "17\n");
    await expect(open()).rejects.toThrow(
      /created by PostgreSQL 17, but this version includes PostgreSQL 18/,
    );
    writeFileSync(file, "18\n");
  });
});

describe("the claim on the data folder", () => {
  test("belongs to one server at a time, and the refusal names it", async () => {
    const release = await claimDataDir(dataDir, "http://localhost:3000");
    await expect(claimDataDir(dataDir)).rejects.toThrow(
      `already running on ${dataDir} at http://localhost:3000 (process ${process.pid})`,
    );
    await release();
    await (
      await claimDataDir(dataDir)
    )();
    expect(existsSync(join(dataDir, "server.json"))).toBe(false);
  });

  test("needs a folder that can be written", async () => {
    const file = join(dataDir, "file");
    writeFileSync(file, "");
    await expect(claimDataDir(join(file, "data"))).rejects.toThrow(StartupProblem);
    await expect(claimDataDir(file)).rejects.toThrow(/DATA_DIR must be a folder/);
  });
});

function open(settings?: Record<string, string>): Promise<EmbeddedDatabase> {
  return openEmbeddedDatabase({ dataDir, settings, log: () => undefined });
}

function running() {
  return findPostgres(join(dataDir, "postgres"));
}

async function ask<Row>(database: EmbeddedDatabase, statement: string): Promise<Row | undefined> {
  const client = new Client({ connectionString: database.connectionString });
  await client.connect();
  try {
    return (await client.query(statement)).rows[0];
  } finally {
    await client.end();
  }
}
