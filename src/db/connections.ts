import type { Config } from "#ops/config.ts";
import { newClient } from "#db/database.ts";
import { isServersSession } from "#db/server-sessions.ts";
import { StartupProblem } from "#ops/startup-problem.ts";

/** What a process keeps for itself besides its pools: one line for LISTEN, one for the job queue. */
const ofEachWebProcess = 1;
const ofEachWorker = 1;
/** Of two reports at a time and a billing run. */
const sessionsOfEachWorker = 3;

/** How DATABASE_CONNECTIONS is shared out: the sum of all, lines included, is never exceeded. */
export function divideConnections({
  databaseConnections,
  roles,
}: Pick<Config, "databaseConnections" | "roles">): { statements: number; sessions: number } {
  const sessions = roles.worker ? sessionsOfEachWorker : 0;
  const lines = (roles.web ? ofEachWebProcess : 0) + (roles.worker ? ofEachWorker : 0);
  return { statements: databaseConnections - sessions - lines, sessions };
}

/** What the database takes at most from us: all that it has, less what it keeps for its administrators. */
const connectionsTaken = `
  select least(
    current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0),
    nullif((select rolconnlimit from pg_roles where rolname = current_user), -1),
    nullif((select datconnlimit from pg_database where datname = current_database()), -1)
  ) as most,
  (select count(distinct pid) from pg_stat_activity
    where datname = current_database() and ${isServersSession}
  )::int as lines`;

/**
 * Compare what this process may open with what the database takes. Throws a StartupProblem when
 * this process alone asks for more; tells when it does so together with those that run already, as
 * far as they are like this one.
 */
export async function checkConnections(
  directConnectionString: string,
  config: Pick<Config, "databaseConnections" | "databaseDirectUrl" | "roles">,
  tell: (line: string) => void,
): Promise<void> {
  const { most, lines } = await whatIsTaken(directConnectionString);
  const { statements } = divideConnections(config);
  // Behind a pooler statements take the pooler's connections, and only the others ours.
  const needed = config.databaseConnections - (config.databaseDirectUrl ? statements : 0);
  const linesOfEach = Number(config.roles.web) + Number(config.roles.worker);
  const processes = 1 + Math.ceil(lines / linesOfEach);
  const remedy = `the database takes at most ${most}: set DATABASE_CONNECTIONS lower, or max_connections of PostgreSQL higher.`;
  if (needed > most)
    throw new StartupProblem(`This process may open ${needed} connections, and ${remedy}`);
  if (needed * processes > most)
    tell(
      `${processes} processes like this one may open ${needed * processes} connections, and ${remedy}`,
    );
}

async function whatIsTaken(connectionString: string): Promise<{ most: number; lines: number }> {
  const client = newClient(connectionString, "start", { statementMs: 10_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ most: number; lines: number }>(connectionsTaken);
    return rows[0] ?? { most: 0, lines: 0 };
  } finally {
    await client.end();
  }
}
