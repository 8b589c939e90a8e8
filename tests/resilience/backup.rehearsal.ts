import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { seed } from "#main/demo/seed.ts";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { migrate } from "#kit/db/migrate.ts";
import { contentsOf } from "#tests/support/database-contents.ts";
import { anOwnPostgres, installedPostgres, type OwnPostgres } from "#tests/support/own-postgres.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { projectFolder } from "#tests/support/launched.ts";

/*
 * The backups of docs/operations.md, with the scripts that it names and the machine's own PostgreSQL
 * programs: `npm run rehearse`.
 */

const bin = installedPostgres();
const today = "2026-06-30";
const wanted = { attorneys: 25, plans: 2, months: 4, seed: 3, today: plainDate(today) };

describe("with PostgreSQL's own programs", () => {
  let parent: string;
  let postgres: OwnPostgres;
  let data: string;
  let network: MadeNetwork;

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), "rn-backup-"));
    chmodSync(parent, 0o777);
    postgres = await anOwnPostgres(bin, parent);
    data = postgres.folder("data");
    postgres.run("initdb", `--pgdata=${data}`, "--username=operator", "--auth=trust", "--no-sync");
    postgres.start(data);
    await make("live");
    await migrate(postgres.address("live"));
    await using("live", async (db) => {
      network = await makeNetwork(db, { timeZone: "UTC" });
      await seed(db, network.admin, wanted, () => undefined);
      await sql`insert into data_exports
        (network_id, report_type, columns, status, attempt, file_bytes, file_name, requested_by,
          finished_at, expires_at)
        values (${network.id}, 'attorneys', '{id}', 'ready', 1, 4, 'attorneys.csv', 'Dana', now(),
          now() + interval '7 days')`.execute(db);
      await sql`insert into data_export_pieces (network_id, export_id, attempt, start_byte, bytes)
        select network_id, id, 1, 0, 'a,b' from data_exports`.execute(db);
    });
  });
  afterAll(() => {
    if (existsSync(join(data, "postmaster.pid"))) postgres.stop(data);
    rmSync(parent, { recursive: true, force: true });
  });

  async function administer(...statements: string[]): Promise<void> {
    const client = new Client({ connectionString: postgres.address("postgres") });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  const make = (name: string) => administer(`create database ${name}`);

  async function using<Answer>(name: string, work: (db: Db) => Promise<Answer>): Promise<Answer> {
    const db = openDatabase(openPool({ connectionString: postgres.address(name), connections: 3 }));
    try {
      return await work(db);
    } finally {
      await db.destroy();
    }
  }

  const script = (name: string) => join(projectFolder, "deploy", name);
  /** The database is on the second of two hosts; the first is down. */
  const environmentOf = (name: string) => ({
    ...postgres.environment,
    DATABASE_URL: postgres.address(name).replace("@127.0.0.1:", "@127.0.0.1:9,127.0.0.1:"),
  });

  const restore = (name: string, file: string, environment: Record<string, string> = {}) =>
    spawnSync(script("restore.sh"), [file], {
      env: { ...environmentOf(name), ...environment },
      encoding: "utf8",
    });

  const offencesIn = (name: string) =>
    using(name, async (db) => {
      const checks = await verifyLedger(db, null);
      return checks.filter(({ offenders }) => offenders > 0);
    });

  const billUntil = (name: string, day: string) =>
    using(name, (db) => runBilling(db, network.admin, plainDate(day)));

  test("a backup is restored whole into an empty database, and work goes on there", async () => {
    const before = await contentsOf(postgres.address("live"));
    const args = [join(parent, "backups")];
    const env = environmentOf("live");
    const file = execFileSync(script("backup.sh"), args, { env, encoding: "utf8" }).trim();
    expect(await billUntil("live", "2026-08-31")).toMatchObject({ failures: 0 });

    await make("restored");
    const told = restore("restored", file);
    const { host } = new URL(postgres.address("restored"));
    const [newest = ""] = readdirSync(join(projectFolder, "migrations")).toSorted().toReversed();
    expect(told.stdout.split("\n")).toEqual([
      `Restored ${file}`,
      expect.stringMatching(/^made {6}\d{4}-\d\d-\d\d \S+ .*, of the database live, PostgreSQL \d/),
      expect.stringMatching(new RegExp(`^into {6}restored at ${host}, PostgreSQL \\d`)),
      `version   ${newest}`,
      expect.stringMatching(
        /^holds {5}networks 1, attorneys 25, referrals [\d,]+, debits [\d,]+, payments [\d,]+$/,
      ),
      "ledger    The ledger is correct.",
      "",
    ]);
    const restored = await contentsOf(postgres.address("restored"));
    expect(Object.keys(restored).length).toBeGreaterThan(25);
    expect(restored).toEqual(before);
    expect(await migrate(postgres.address("restored"))).toEqual([]);
    expect(await offencesIn("restored")).toEqual([]);
    const { debits } = await billUntil("restored", "2026-08-31");
    expect(debits).toBeGreaterThan(0);
    expect(await offencesIn("restored")).toEqual([]);
  });

  test("the service's role can restore into a database that it owns, and prints nothing but what it restored", async () => {
    const env = environmentOf("live");
    const file = execFileSync(script("backup.sh"), [parent], { env, encoding: "utf8" }).trim();
    await administer(
      "create role service login",
      "create database others",
      "create database its_own owner service",
    );
    const asService = (name: string) => {
      const url = new URL(postgres.address(name));
      url.username = "service";
      return restore(name, file, { DATABASE_URL: url.href });
    };
    const refused = asService("others");
    expect([refused.status, refused.stdout, refused.stderr]).toEqual([
      1,
      "",
      'The role "service" does not own the database "others", so nothing was restored. As a superuser: alter database others owner to service\n',
    ]);
    const { status, stdout, stderr } = asService("its_own");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/\nledger {4}The ledger is correct\.\n$/);
  });

  test("a restored backup of another version is verified without an upgrade, and a damaged one is reported", async () => {
    const backup = () =>
      execFileSync(script("backup.sh"), [parent], { env: environmentOf("odd"), encoding: "utf8" });
    await make("odd");
    await migrate(postgres.address("odd"));
    const client = new Client({ connectionString: postgres.address("odd") });
    await client.connect();
    const { rows: rules } = await client.query<{ checksum: string }>(
      "select checksum from migrations where name like 'rules/%'",
    );
    for (const [name, change, undoing] of [
      [
        "older",
        "set name = '0000_early.sql' where name like '0014%'",
        "set name = '0014_imports.sql' where name like '0000%'",
      ],
      [
        "ruled",
        "set checksum = 'other' where name like 'rules/%'",
        `set checksum = '${rules[0]?.checksum}' where name like 'rules/%'`,
      ],
    ] as const) {
      await client.query(`update migrations ${change}`);
      await make(name);
      expect(restore(name, backup().trim()).stdout).toMatch(
        /^ledger {4}not verified: another version made/m,
      );
      await client.query(`update migrations ${undoing}`);
    }
    await using("odd", async (db) => {
      const damaged = await makeNetwork(db, { timeZone: "UTC" });
      await seed(db, damaged.admin, { ...wanted, attorneys: 3 }, () => undefined);
    });
    await client.query(`begin; alter table debits disable trigger user;
      update debits set balance_cents = balance_cents + 1 where id = (select min(id) from debits);
      alter table debits enable trigger user; commit`);
    await client.end();
    await make("damaged");
    // As with the servers' environment, which may name a pooler.
    const servers = { DATABASE_DIRECT_URL: postgres.address("live") };
    const { status, stdout, stderr } = restore("damaged", backup().trim(), servers);
    expect([status, stdout, stderr]).toEqual([
      1,
      expect.stringMatching(/^ledger {4}The ledger is damaged: /m),
      expect.stringMatching(/^BROKEN /m),
    ]);
  });

  test("a restore into a database that is not empty is refused, and so is a broken file", () => {
    const file = join(parent, "broken.dump");
    writeFileSync(file, "not a dump");
    const refused = restore("live", file);
    expect([refused.status, refused.stderr]).toEqual([
      1,
      "The database at DATABASE_URL is not empty. Create a new one to restore into.\n",
    ]);
    expect(restore("postgres", file).status).not.toBe(0);
  });

  test("a backup that fails leaves no file behind", () => {
    const folder = join(parent, "none");
    const failed = spawnSync(script("backup.sh"), [folder], { env: environmentOf("nowhere") });
    expect(failed.status).not.toBe(0);
    expect(execFileSync("ls", ["-A", folder], { encoding: "utf8" })).toBe("");
  });
});
