import type { Config } from "#kit/ops/config.ts";
import { queryOneRow } from "#kit/db/query-one-row.ts";
import { isServerSession } from "#kit/db/server-sessions.ts";
import { hostsOf, readHosts } from "#kit/ops/database-hosts.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/** Dedicated connections of a process in addition to its pools: one for LISTEN, one for the job queue. */
const listenersPerWebProcess = 1;
const queueConnectionsPerWorker = 1;
/** For two exports at the same time and a billing run. */
const sessionsPerWorker = 3;

type Share = Pick<Config, "databaseConnections" | "databaseDirectUrl" | "databaseUrl" | "roles">;

/** How DATABASE_CONNECTIONS is divided. The total, with dedicated connections, is never exceeded. */
export function divideConnections({ databaseConnections, roles, ...config }: Share): {
  statements: number;
  sessions: number;
} {
  const sessions = roles.worker ? sessionsPerWorker : 0;
  const dedicated =
    (roles.web ? listenersPerWebProcess : 0) +
    (roles.worker ? queueConnectionsPerWorker : 0) +
    [config.databaseUrl, config.databaseDirectUrl].filter(namesSeveralHosts).length;
  return { statements: databaseConnections - sessions - dedicated, sessions };
}

/** Such an address uses one extra connection to each host, to ask which one accepts writes. */
const namesSeveralHosts = (address: string | null): boolean =>
  address !== null && hostsOf(readHosts(address, "DATABASE_URL")).length > 0;

/** The most connections that the database accepts from us: all except those reserved for superusers. */
const serverLimitQuery = `
  select least(
    current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0),
    nullif((select rolconnlimit from pg_roles where rolname = current_user), -1),
    nullif((select datconnlimit from pg_database where datname = current_database()), -1)
  ) as accepted,
  (select count(distinct pid) from pg_stat_activity
    where datname = current_database() and ${isServerSession}
  )::int as dedicated`;

/**
 * Compare the connections that this process may open with those that the database accepts. Throws a StartupProblem
 * if this process may open more on its own. Warns if it and the running processes may, assuming the same
 * configuration.
 */
export async function checkConnections(
  directConnectionString: string,
  config: Share,
  warn: (line: string) => void,
): Promise<void> {
  const { accepted, dedicated } = await queryOneRow<{ accepted: number; dedicated: number }>(
    directConnectionString,
    serverLimitQuery,
  );
  const { statements } = divideConnections(config);
  // Behind a pooler, statements use the pooler's connections; only the others count.
  const needed = config.databaseConnections - (config.databaseDirectUrl ? statements : 0);
  const dedicatedPerProcess = Number(config.roles.web) + Number(config.roles.worker);
  const processes = 1 + Math.ceil(dedicated / dedicatedPerProcess);
  const remedy = `the database accepts at most ${accepted}. Set DATABASE_CONNECTIONS lower, or max_connections of PostgreSQL higher.`;
  if (needed > accepted)
    throw new StartupProblem(`This process may open ${needed} connections, but ${remedy}`);
  if (needed * processes > accepted)
    warn(
      `${processes} processes like this one may open ${needed * processes} connections, but ${remedy}`,
    );
}
