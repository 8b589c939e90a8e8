import { readdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { aClient } from "#server/database.ts";
import { StartupProblem } from "#server/startup-problem.ts";

const folder = fileURLToPath(new URL("../../migrations/", import.meta.url));

/** Any number will do, as long as every process takes the same one. */
const migrationLock = 7_203_911;

/** A migration may build an index over years of entries. */
const statementMs = 60 * 60_000;
/** What waits for a table holds up everybody who comes after it: better to let go and try again. */
const lockMs = 5_000;
const attempts = 24;
/** How long other processes may migrate before this one gives up. */
const turnMinutes = 10;

/**
 * Bring the database up to date: each file of migrations/ in the order of its name, each in its own
 * transaction, under an advisory lock so that processes starting together take turns. Answers the
 * names it applied. Throws a StartupProblem when the database knows migrations that this version
 * of the product does not.
 */
export async function migrate(connectionString: string): Promise<string[]> {
  const client = aClient(connectionString, "migrations", { statementMs, lockMs });
  await client.connect();
  try {
    await takeTurn(client);
    return await applyMissing(client, await filesInOrder());
  } finally {
    await client.end();
  }
}

/** Wait while another process migrates. */
async function takeTurn(client: pg.Client): Promise<void> {
  await client.query(`set lock_timeout = '${turnMinutes}min'`);
  try {
    await client.query("select pg_advisory_lock($1)", [migrationLock]);
  } catch (problem) {
    if (!isLockTimeout(problem)) throw problem;
    throw new StartupProblem(
      `Another process has been bringing the database up to date for ${turnMinutes} minutes: look for "referral-network migrations" in pg_stat_activity.`,
      { cause: problem },
    );
  }
  await client.query(`set lock_timeout = ${lockMs}`);
}

async function filesInOrder(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
}

async function applyMissing(client: pg.Client, known: string[]): Promise<string[]> {
  await client.query(
    "create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())",
  );
  const { rows } = await client.query<{ name: string }>(
    "select name from migrations order by name",
  );
  const applied = rows.map((row) => row.name);
  const fromFuture = applied.filter((name) => !known.includes(name));
  if (fromFuture.length > 0) {
    throw new StartupProblem(
      `The database was made by a newer version of Referral Network (it has ${fromFuture.join(", ")}): start that version, or restore a backup made before the upgrade.`,
    );
  }
  const missing = known.filter((name) => !applied.includes(name));
  for (const name of missing) await apply(client, name);
  return missing;
}

/** Whoever holds a table for longer than `lockMs` is waited for in turns, two minutes in all. */
async function apply(client: pg.Client, name: string): Promise<void> {
  const statements = await readFile(new URL(`../../migrations/${name}`, import.meta.url), "utf8");
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await applyOnce(client, name, statements);
    } catch (problem) {
      await client.query("rollback");
      if (isLockTimeout(problem) && attempt < attempts) await pause(500);
      else
        throw new StartupProblem(
          `Migration ${name} failed and was undone: ${problem instanceof Error ? problem.message : String(problem)}.`,
          { cause: problem },
        );
    }
  }
}

async function applyOnce(client: pg.Client, name: string, statements: string): Promise<void> {
  await client.query("begin");
  await client.query(statements);
  await client.query("insert into migrations (name) values ($1)", [name]);
  await client.query("commit");
}

function isLockTimeout(problem: unknown): boolean {
  return problem instanceof pg.DatabaseError && problem.code === "55P03";
}
