import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Db, openDatabase, openPool } from "#db/database.ts";
import { migrate } from "#db/migrate.ts";
import { networkTables } from "#db/network-tables.ts";
import { allSecrets, encryptedColumns } from "#features/cards/settings/encrypted-secrets.ts";
import { makeNetwork } from "#features/demo/records/networks.ts";
import { verifyLedger } from "#features/ledger/verify-ledger.ts";
import { runCommandLine } from "#main/command-line.ts";
import { encryptCheckValue } from "#ops/secret-check-value.ts";
import { contentsOf, guardsOf } from "#tests/support/database-contents.ts";
import { type FullNetwork, makeFullNetwork, rowsOf } from "#tests/support/full-network.ts";
import { projectFolder } from "#tests/support/launched.ts";
import { anAppOn } from "#tests/support/running-app.ts";
import { aTestDatabase } from "#tests/support/test-database.ts";

/* Two installations: a network of the first is copied into the second, and removed from the first. */

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
  network = await makeFullNetwork({ db: here.db, secret, dataDir });
  neighbour = await makeFullNetwork({ db: here.db, secret, dataDir });
  await makeFullNetwork({ db: there.db, secret: otherSecret, dataDir });
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
  return { code, said: (read(stdout) + read(stderr)).trim() };
}

const copy = (id = network.id, env = environment()) =>
  run(["copy-network", String(id), "--to", "OTHER"], env);
const remove = (...more: string[]) =>
  run(["remove-network", String(network.id), "--kept-in", "OTHER", ...more]);

/** What is copied of a network, but for what each installation encrypts with its own secret. */
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

/** Change rows of the other installation past its triggers, and back once the test is over. */
async function altered(change: string, back: string): Promise<void> {
  const client = new Client({ connectionString: there.address });
  await client.connect();
  await client.query(change);
  onTestFinished(async () => {
    await client.query(back);
    await client.end();
  });
}

describe("a network is not copied, and nothing is changed there,", () => {
  test.each(["here", "there"])("while servers run on the database %s", async (place) => {
    const app = await anAppOn((place === "here" ? here : there).serving, {});
    onTestFinished(() => app.close());
    const where = place === "here" ? "that is copied from" : "at --to";
    expect(await copy()).toEqual(
      refusal(
        `Nothing was changed: servers are running on the database ${where}: stop them all, web and workers.`,
      ),
    );
  });

  test("where an email address of it has an account there", async () => {
    const email = network.admin.email;
    const other = await makeNetwork(there.db, { admin: { email } });
    onTestFinished(async () => {
      await there.db.updateTable("users").set({ email: "free@example.test" }).execute();
    });
    expect(other.id).toBeGreaterThanOrEqual(otherRange.first);
    const before = await contentsOf(there.address);
    expect(await copy()).toEqual(
      refusal(
        `Nothing was copied: the database at --to has in users what network ${network.id} has too (users_email_key): ${email}. Change or remove it in one of the two.`,
      ),
    );
    expect(await contentsOf(there.address)).toEqual(before);
  });
});
