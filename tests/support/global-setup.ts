import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import type { TestProject } from "vitest/node";
import { openEmbeddedDatabase } from "#embedded-postgres/embedded-database.ts";
import { tryLock } from "#ops/file-lock.ts";
import { migrate } from "#db/migrate.ts";
import { findPostgres, stopPostgres } from "#embedded-postgres/process.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where test databases are made, and the migrated database that they are copies of. */
    testDatabases: { connectionString: string; template: string };
  }
}

const prefix = join(tmpdir(), "referral-network-test-");

/** Nothing here has to survive a power cut. */
const fastAndFleeting = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_wal_size: "4GB",
  shared_buffers: "128MB",
  autovacuum: "off", // what it makes of tables a second old changes plans, and so times, from run to run
};

/** One PostgreSQL for the whole run, with a template migrated once; it is gone when the run ends, however it went. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  await clearAbandoned();
  const dataDir = mkdtempSync(prefix);
  const database = await openEmbeddedDatabase({
    dataDir,
    settings: fastAndFleeting,
    log: () => undefined,
  });
  const tearDown = async () => {
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const template = "template_migrated";
    await makeDatabase(database.connectionString, template);
    await migrate(inDatabase(database.connectionString, template));
    project.provide("testDatabases", { connectionString: database.connectionString, template });
    return tearDown;
  } catch (error) {
    await tearDown();
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

/** What runs that were killed outright have left: a PostgreSQL without users, and its files. */
async function clearAbandoned(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const dataDir = join(tmpdir(), name);
    if (!dataDir.startsWith(prefix) || isYoungOrOthers(dataDir)) continue;
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
function isYoungOrOthers(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  return !found || found.uid !== process.getuid?.() || Date.now() - found.mtimeMs < 60_000;
}
