import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { StartupProblem } from "#server/startup-problem.ts";

const folder = fileURLToPath(new URL("../../migrations/", import.meta.url));

/** Any number will do, as long as every process takes the same one. */
const migrationLock = 7_203_911;

/**
 * Bring the database up to date: each file of migrations/ in the order of its name, each in its own
 * transaction, under an advisory lock so that processes starting together take turns. Answers the
 * names it applied. Throws a StartupProblem when the database knows migrations that this version
 * of the product does not.
 */
export async function migrate(connectionString: string): Promise<string[]> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [migrationLock]);
    return await applyMissing(client, await filesInOrder());
  } finally {
    await client.end();
  }
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

async function apply(client: pg.Client, name: string): Promise<void> {
  const statements = await readFile(new URL(`../../migrations/${name}`, import.meta.url), "utf8");
  try {
    await client.query("begin");
    await client.query(statements);
    await client.query("insert into migrations (name) values ($1)", [name]);
    await client.query("commit");
  } catch (problem) {
    await client.query("rollback");
    throw new StartupProblem(
      `Migration ${name} failed and was undone: ${problem instanceof Error ? problem.message : String(problem)}.`,
      { cause: problem },
    );
  }
}
