import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { openEmbeddedDatabase } from "#kit/db/embedded-postgres/embedded-database.ts";
import { tryLock } from "#kit/ops/file-lock.ts";
import { migrateAsOwner } from "#kit/db/migrate.ts";
import { findPostgres, stopPostgres } from "#kit/db/embedded-postgres/process.ts";

export interface RunDatabase {
  /** Connection string of the role that owns the test databases, and may create them. */
  connectionString: string;
  /** Connection string of the role that serves requests. */
  servingConnectionString: string;
  /** The migrated database that test databases are copied from. */
  template: string;
  close(): Promise<void>;
}

const prefix = join(tmpdir(), "referral-network-test-");

/** Nothing here has to survive a power cut. */
const testSettings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_wal_size: "4GB",
  shared_buffers: "128MB",
  autovacuum: "off", // statistics of tables a second old change plans, and so times, from run to run
};

/** The PostgreSQL of one run of tests, with a template migrated once. */
export async function openRunDatabase(): Promise<RunDatabase> {
  await clearAbandoned();
  const dataDir = mkdtempSync(prefix);
  const database = await openEmbeddedDatabase({
    dataDir,
    settings: testSettings,
    log: () => undefined,
  });
  const close = async () => {
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const template = "template_migrated";
    await makeDatabase(database.connectionString, template);
    const inTemplate = (address: string) => inDatabase(address, template);
    const { connectionString, servingConnectionString } = database;
    await migrateAsOwner({
      directConnectionString: inTemplate(servingConnectionString),
      ownerConnectionString: inTemplate(connectionString),
    });
    return { connectionString, servingConnectionString, template, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function makeDatabase(connectionString: string, name: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
}

function inDatabase(connectionString: string, name: string): string {
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return url.href;
}

/** Remove what killed runs have left: a PostgreSQL without users, and its files. */
async function clearAbandoned(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const dataDir = join(tmpdir(), name);
    if (!dataDir.startsWith(prefix) || isNewOrForeign(dataDir)) continue;
    const closeAlone = tryLock(join(dataDir, "database-users.lock"), "exclusive");
    if (!closeAlone) continue;
    const folder = join(dataDir, "postgres");
    const running = existsSync(folder) ? await findPostgres(folder) : null;
    if (running) await stopPostgres(folder, running);
    closeAlone();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** A run that began this minute may not have locked its folder yet. */
function isNewOrForeign(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  return !found || found.uid !== process.getuid?.() || Date.now() - found.mtimeMs < 60_000;
}
