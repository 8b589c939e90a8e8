import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plainDate } from "#domain/calendar.ts";
import { runBilling } from "#features/debits/billing-run.ts";
import { verifyLedger } from "#features/debits/verify-ledger.ts";
import { seed } from "#features/demo/seed.ts";
import { type Db, openDatabase, openPool } from "#server/database.ts";
import { migrate } from "#server/migrate.ts";
import { anOwnPostgres, installedPostgres, type OwnPostgres } from "#tests/support/own-postgres.ts";
import { aNetwork, type TestNetwork } from "#tests/support/people.ts";
import { projectFolder } from "#tests/support/launched.ts";

/*
 * What docs/operations.md says of backups, rehearsed with the scripts that it names and the machine's
 * own PostgreSQL, whose programs it needs: `npm run rehearse`.
 */

const bin = installedPostgres();
const today = "2026-06-30";

describe("with PostgreSQL's own programs", () => {
  let parent: string;
  let postgres: OwnPostgres;
  let data: string;
  let network: TestNetwork;

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), "rn-backup-"));
    chmodSync(parent, 0o777);
    postgres = await anOwnPostgres(bin, parent);
    data = postgres.folder("data");
    const archive = postgres.folder("archive");
    postgres.run("initdb", `--pgdata=${data}`, "--username=operator", "--auth=trust", "--no-sync");
    const archiving = `archive_mode = on\narchive_command = 'cp %p ${archive}/%f'\n`;
    appendFileSync(join(data, "postgresql.conf"), archiving);
    postgres.start(data);
    await make("live");
    await migrate(postgres.address("live"));
    await using("live", async (db) => {
      network = await aNetwork(db, { timeZone: "UTC" });
      const wanted = { attorneys: 25, plans: 2, months: 4, seed: 3, today: plainDate(today) };
      await seed(db, network.admin, wanted, () => undefined);
    });
  });
  afterAll(() => {
    for (const folder of [data, join(parent, "base")])
      if (existsSync(join(folder, "postmaster.pid"))) postgres.stop(folder);
    rmSync(parent, { recursive: true, force: true });
  });

  async function make(name: string): Promise<void> {
    const client = new Client({ connectionString: postgres.address("postgres") });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
  }

  async function using<Answer>(name: string, work: (db: Db) => Promise<Answer>): Promise<Answer> {
    const db = openDatabase(openPool({ connectionString: postgres.address(name), connections: 3 }));
    try {
      return await work(db);
    } finally {
      await db.destroy();
    }
  }

  const script = (name: string) => join(projectFolder, "deploy", name);
  const environmentOf = (name: string) => ({
    ...postgres.environment,
    DATABASE_URL: postgres.address(name),
  });

  const offencesIn = (name: string) =>
    using(name, async (db) => {
      const checks = await verifyLedger(db, null);
      return checks.filter(({ offenders }) => offenders > 0);
    });

  const billUntil = (name: string, day: string) =>
    using(name, (db) => runBilling(db, network.admin, plainDate(day)));

  test("a backup is restored whole into an empty database, and life goes on there", async () => {
    const before = await contentsOf(postgres.address("live"));
    const args = [join(parent, "backups")];
    const env = environmentOf("live");
    const file = execFileSync(script("backup.sh"), args, { env, encoding: "utf8" }).trim();
    expect(await billUntil("live", "2026-08-31")).toMatchObject({ failures: 0 });

    await make("restored");
    execFileSync(script("restore.sh"), [file], { env: environmentOf("restored"), stdio: "pipe" });
    const restored = await contentsOf(postgres.address("restored"));
    expect(Object.keys(restored).length).toBeGreaterThan(25);
    expect(restored).toEqual(before);
    expect(await migrate(postgres.address("restored"))).toEqual([]);
    expect(await offencesIn("restored")).toEqual([]);
    const { debits } = await billUntil("restored", "2026-08-31");
    expect(debits).toBeGreaterThan(0);
    expect(await offencesIn("restored")).toEqual([]);
  });

  test("a restore into a database that is not empty is refused, and so is a broken file", () => {
    const file = join(parent, "broken.dump");
    writeFileSync(file, "not a dump");
    const restored = (database: string) =>
      spawnSync(script("restore.sh"), [file], { env: environmentOf(database), encoding: "utf8" });
    const refused = restored("live");
    expect([refused.status, refused.stderr]).toEqual([
      1,
      "The database at DATABASE_URL is not empty: make a new one to restore into.\n",
    ]);
    expect(restored("postgres").status).not.toBe(0);
  });

  test("a backup that fails leaves no file behind", () => {
    const folder = join(parent, "none");
    const failed = spawnSync(script("backup.sh"), [folder], { env: environmentOf("nowhere") });
    expect(failed.status).not.toBe(0);
    expect(execFileSync("ls", ["-A", folder], { encoding: "utf8" })).toBe("");
  });

  test("the database is brought back to the moment before an accident", async () => {
    const base = postgres.folder("base");
    const { hostname, port } = new URL(postgres.address("live"));
    const server = [`--host=${hostname}`, `--port=${port}`, "--username=operator"];
    postgres.run("pg_basebackup", ...server, `--pgdata=${base}`, "--checkpoint=fast", "--no-sync");
    await billUntil("live", "2026-09-30");
    const before = await contentsOf(postgres.address("live"));
    const moment = await forTheRecord("select clock_timestamp()::text");
    await billUntil("live", "2026-12-31"); // the accident
    await forTheRecord("select pg_switch_wal()");
    postgres.stop(data);

    const recovery = `restore_command = 'cp ${parent}/archive/%f %p'
      recovery_target_time = '${String(moment)}'
      recovery_target_action = 'promote'\n`;
    appendFileSync(join(base, "postgresql.conf"), recovery.replaceAll(/^ +/gm, ""));
    writeFileSync(join(base, "recovery.signal"), "");
    postgres.start(base);
    await expect.poll(isOpenForWriting, { timeout: 60_000 }).toBe(true);
    expect(await contentsOf(postgres.address("live"))).toEqual(before);
    expect(await offencesIn("live")).toEqual([]);
  });

  async function forTheRecord(statement: string): Promise<unknown> {
    const client = new Client({ connectionString: postgres.address("live") });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>({ text: statement });
    await client.end();
    return Object.values(rows[0] ?? {})[0];
  }

  const isOpenForWriting = async () => !(await forTheRecord("select pg_is_in_recovery()"));
});

/** A fingerprint of each table's rows. */
async function contentsOf(connectionString: string): Promise<Record<string, string>> {
  const client = new Client({ connectionString });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  );
  const contents: Record<string, string> = {};
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ print: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '' order by t::text)), '') as print from ${name} t`,
    );
    contents[name] = rows[0]?.print ?? "";
  }
  await client.end();
  return contents;
}
