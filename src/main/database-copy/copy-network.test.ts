import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { sql } from "kysely";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { migrate } from "#kit/db/migrate.ts";
import { networkTables } from "#kit/db/network-tables.ts";
import { allSecrets, encryptedColumns } from "#cards/settings/encrypted-secrets.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { runCommandLine } from "#main/command-line.ts";
import { encryptCheckValue } from "#kit/ops/secret-check-value.ts";
import { contentsOf, guardsOf } from "#tests/support/database-contents.ts";
import { type FullNetwork, makeFullNetwork, rowsOf } from "#tests/support/full-network.ts";
import { projectFolder } from "#tests/support/launched.ts";
import { anAppOn } from "#tests/support/running-app.ts";
import { aTestDatabase } from "#tests/support/test-database.ts";

/* A network of one installation is copied into another, and removed from the first. */

const dataDir = mkdtempSync(join(tmpdir(), "rn-copy-network-"));
const secret = "the secret of the first installation";
const otherSecret = "the secret of the other installation";
const otherRange = { first: 20_000_001, last: 30_000_000 };

interface Installation {
  address: string;
  serving: string;
  db: Db;
  close: () => Promise<void>;
}

let here: Installation;
let there: Installation;
let network: FullNetwork;
let neighbour: FullNetwork;
let tables: Awaited<ReturnType<typeof networkTables>>;

async function anInstallation(): Promise<Installation> {
  const database = await aTestDatabase();
  const address = database.ownerConnectionString;
  const pool = openPool({ connectionString: address, connections: 2 });
  tables = await networkTables(pool);
  const close = async () => {
    await pool.end();
    await database.drop();
  };
  return { address, serving: database.connectionString, db: openDatabase(pool), close };
}

beforeAll(async () => {
  [here, there] = [await anInstallation(), await anInstallation()];
  await migrate(there.address, { idRange: otherRange });
  await there.db
    .updateTable("installation")
    .set({ secretCheckValue: encryptCheckValue(otherSecret) })
    .execute();
  network = await makeFullNetwork({ db: here.db, secret });
  neighbour = await makeFullNetwork({ db: here.db, secret });
  await makeFullNetwork({ db: there.db, secret: otherSecret });
});

afterAll(async () => {
  await here?.close();
  await there?.close();
  rmSync(dataDir, { recursive: true });
});

const environment = (more: Record<string, string> = {}) => ({
  DATABASE_URL: here.address,
  APP_SECRET: secret,
  DATA_DIR: dataDir,
  OTHER: there.address,
  TO_APP_SECRET: otherSecret,
  ...more,
});

async function run(args: string[], env = environment()): Promise<{ code: number; said: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runCommandLine(args, { env, stdin: Readable.from([]), stdout, stderr });
  const read = (stream: PassThrough) => String(stream.read() ?? "");
  const progress = /^.* \(\d+ s\)\n/gm; // printed after a second
  return { code, said: (read(stdout) + read(stderr).replaceAll(progress, "")).trim() };
}

const copy = (id = network.id, env = environment()) =>
  run(["copy-network", String(id), "--to", "OTHER"], env);
const remove = (...more: string[]) =>
  run(["remove-network", String(network.id), "--kept-in", "OTHER", ...more]);

/** A network's copied rows, without what each installation encrypts with its own secret. */
async function copiedRows({ db }: Installation, id: number) {
  const rows = await rowsOf(
    db,
    id,
    tables.filter(({ name }) => name !== "sessions"),
  );
  for (const name of encryptedColumns) {
    const [table = "", column = ""] = name.split(".");
    for (const row of rows[table] as { row: Record<string, unknown> }[]) delete row.row[column];
  }
  return rows;
}

const openedWith = async ({ db }: Installation, key: string) =>
  await Promise.all((await allSecrets(db, network.id)).map((one) => one.decrypt(key)));

const refusal = (said: string) => ({ code: 1, said });

/** Change a database, and change it back after the test. */
async function altered({ address }: Installation, change: string, back: string): Promise<void> {
  const alter = async (statements: string) => {
    const client = new Client({ connectionString: address });
    await client.connect();
    await client.query(statements);
    await client.end();
  };
  await alter(change);
  onTestFinished(() => alter(back));
}

/** Kill a command once it gets this far. */
async function killedCopy(doing: string): Promise<unknown> {
  const script = `
    import { copyNetwork } from "#main/database-copy/copy-network.ts";
    const progress = (doing) => doing.startsWith("${doing}") && process.kill(process.pid, "SIGKILL");
    const nothing = () => undefined;
    const context = { environment: process.env, progress, log: nothing, closeAfter: nothing };
    await copyNetwork(context, { networkId: ${network.id}, to: "OTHER" });`;
  const args = ["--input-type=module", "-e", script];
  const child = spawn(process.execPath, args, {
    cwd: projectFolder,
    env: { PATH: process.env["PATH"], ...environment() },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [, signal] = await once(child, "exit");
  return signal;
}

test("a copy that cannot be made says why, and changes nothing", async () => {
  const before = await contentsOf(there.address);
  const more = (variables: Record<string, string>) => copy(network.id, environment(variables));
  expect(await run(["copy-network", "twelve", "--to", "OTHER"])).toEqual({
    code: 2,
    said: "ID must be a network's number, such as 12.",
  });
  expect(await run(["copy-network", "1", "--to", "postgres://owner:secret@host/base"])).toEqual({
    code: 2,
    said: "--to contains a password, which others can see on a command line. Put the address in a variable, and give --to the variable's name.",
  });
  expect(await copy(77)).toEqual(refusal("There is no network 77 here."));
  expect(await more({ OTHER: here.address })).toEqual(
    refusal("Nothing was changed: --to is this same database."),
  );
  expect(await more({ TO_APP_SECRET: secret })).toEqual(
    refusal(
      "Nothing was copied: the installation at --to has another secret. Set TO_APP_SECRET to its APP_SECRET.",
    ),
  );
  expect(await more({ APP_SECRET: "none of the secrets of the two installations" })).toEqual(
    refusal(expect.stringMatching(/^Nothing was copied: APP_SECRET does not decrypt network 1, /)),
  );
  expect(await contentsOf(there.address)).toEqual(before);
});

test.each(["here", "there"])("a network is not copied while servers run %s", async (place) => {
  const app = await anAppOn((place === "here" ? here : there).serving, {});
  onTestFinished(() => app.close());
  const where = place === "here" ? "to copy from" : "at --to";
  expect(await copy()).toEqual(
    refusal(
      `Nothing was changed: servers are running on the database ${where}. Stop all of them, web and workers.`,
    ),
  );
});

test("a network is not copied if another network has one of its email addresses or ids", async () => {
  const { email, userId } = network.admin;
  const taken = await makeNetwork(there.db, { admin: { email } });
  const taking = there.db.updateTable("users").where("networkId", "=", taken.id);
  const before = await contentsOf(there.address);
  const inUsers = `Nothing was copied: the database at --to and network ${network.id} have the same values in users`;
  expect(await copy()).toEqual(
    refusal(`${inUsers} (users_email_key): ${email}. Change or remove them in one of the two.`),
  );
  expect(await contentsOf(there.address)).toEqual(before);
  await taking.set({ email: "free@example.test" }).execute();
  const taker = await there.db
    .insertInto("users")
    .values({
      id: userId,
      networkId: taken.id,
      role: "admin",
      name: "Ida",
      email: "ida@example.test",
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  onTestFinished(async () => {
    await there.db.deleteFrom("users").where("id", "=", taker.id).execute();
  });
  expect(await copy()).toEqual(
    refusal(
      `${inUsers} (users_pkey): ${userId}. Give each installation its own ID_RANGE to avoid equal ids.`,
    ),
  );
});

test("a network whose ledger is damaged is not copied", async () => {
  const change = (by: string) => `
    alter table debits disable trigger user;
    update debits set balance_cents = balance_cents ${by} where charge_id is not null and network_id = ${network.id};
    alter table debits enable trigger user`;
  await altered(here, change("+ 1"), change("- 1"));
  expect(await copy()).toEqual(
    refusal("Nothing was copied: the ledger of network 1 is damaged here. See verify-ledger."),
  );
});

test("a killed copy leaves nothing behind, and can be repeated", async () => {
  const [before, guards] = [await contentsOf(there.address), await guardsOf(there.address)];
  for (const doing of ["Copying payments,", "Comparing"]) {
    expect(await killedCopy(doing)).toBe("SIGKILL");
    await vi.waitUntil(
      async () =>
        (
          await sql`select from pg_stat_activity where application_name = 'referral-network copy'
            and datname = ${new URL(there.address).pathname.slice(1)}`.execute(there.db)
        ).rows.length === 0,
      { timeout: 60_000 },
    );
    expect(await contentsOf(there.address)).toEqual(before);
    expect(await guardsOf(there.address)).toEqual(guards);
  }
});

describe("a copied network", () => {
  let kept: Awaited<ReturnType<typeof copiedRows>>;
  let guards: string[];
  let others: Record<string, string>;

  beforeAll(async () => {
    kept = await copiedRows(here, network.id);
    guards = await guardsOf(there.address);
    others = await contentsOf(here.address);
    expect(await copy()).toEqual({
      code: 0,
      said: expect.stringMatching(
        /^Copied network 1: \d+ rows, compared in both databases\.[^]*The ledger is correct\.\nIt is now in both\. Run remove-network 1 --kept-in OTHER before you start servers here\.$/,
      ),
    });
  });

  test("has every row except sessions and a correct ledger, and stays here", async () => {
    expect(Object.entries(kept).filter(([, rows]) => rows.length === 0)).toEqual([]);
    expect(await copiedRows(there, network.id)).toEqual(kept);
    const sessions = there.db.selectFrom("sessions").where("networkId", "=", network.id);
    expect(await sessions.select("id").execute()).toEqual([]);
    for (const { name, examples } of await verifyLedger(there.db, null))
      expect([name, examples]).toEqual([name, []]);
    expect(await guardsOf(there.address)).toEqual(guards);
    expect(await contentsOf(here.address)).toEqual(others);
    expect(await copy()).toEqual(
      refusal(
        "Nothing was copied: the database at --to already has a network 1: an earlier copy, or another network.",
      ),
    );
  });

  test("is immediately known to the other database's planner", async () => {
    for (const table of ["attorneys", "debits", "payments"]) {
      const { rows } = await sql<{ known: number; there: number }>`
        select reltuples::int as known, (select count(*) from ${sql.table(table)}) as there
        from pg_class where oid = ${table}::regclass`.execute(there.db);
      expect([table, rows[0]?.known]).toEqual([table, rows[0]?.there]);
    }
  });

  test("has its secrets encrypted with the other installation's APP_SECRET", async () => {
    const plain = await openedWith(here, secret);
    expect(plain).not.toContain(null);
    expect(await openedWith(there, otherSecret)).toEqual(plain);
    expect(await openedWith(there, secret)).toEqual(plain.map(() => null));
  });

  test("gives new records numbers that were never used", async () => {
    const last = async ({ db }: Installation, table: string) => {
      const { rows } = await sql<{ last: number }>`
        select last_value as last from ${sql.table(`${table}_id_seq`)}`.execute(db);
      return rows[0]?.last ?? 0;
    };
    for (const table of ["payments", "debits", "entries", "audit_entries"])
      expect([table, await last(there, table)]).toEqual([
        table,
        Math.max(await last(there, table), await last(here, table)),
      ]);
    expect((await makeNetwork(there.db)).id).toBeGreaterThan(otherRange.first);
  });
});

describe("removing a network", () => {
  test("is refused while servers run, without a copy, or if the copy differs", async () => {
    expect(await run(["remove-network", String(neighbour.id), "--kept-in", "OTHER"])).toEqual(
      refusal(`Nothing was removed: the database at --kept-in has no copy of network 2.`),
    );
    await sql`
      update attorneys set phone = '614 555 0199' where network_id = ${network.id}`.execute(
      there.db,
    );
    expect(await remove()).toEqual(
      refusal(
        expect.stringMatching(
          /^Nothing was removed: the copy at --kept-in differs in attorneys \(\d+ rows here, \d+ there\)\. /,
        ),
      ),
    );
    const app = await anAppOn(here.serving, {});
    expect(await remove("--copy-has-changed")).toEqual(
      refusal(
        "Nothing was changed: servers are running on the database to remove it from. Stop all of them, web and workers.",
      ),
    );
    await app.close();
  });

  test("removes every row, and changes nothing else in either database", async () => {
    const guards = await guardsOf(here.address);
    const neighbours = await rowsOf(here.db, neighbour.id, tables);
    const copied = await contentsOf(there.address);
    expect(await remove("--copy-has-changed")).toEqual({
      code: 0,
      said: expect.stringMatching(/^Removed network 1: \d+ rows\.$/),
    });
    expect(Object.values(await rowsOf(here.db, network.id, tables)).flat()).toEqual([]);
    expect(await rowsOf(here.db, neighbour.id, tables)).toEqual(neighbours);
    expect(await contentsOf(there.address)).toEqual(copied);
    expect(await guardsOf(here.address)).toEqual(guards);
    for (const { name, examples } of await verifyLedger(here.db, null))
      expect([name, examples]).toEqual([name, []]);
    expect(await remove()).toEqual(
      refusal("There is no network 1 here. It may have been removed earlier."),
    );
  });
});
