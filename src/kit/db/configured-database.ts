import pg from "pg";
import type { Config } from "#kit/ops/config.ts";
import { answerWithinMs, queryOneRow } from "#kit/db/query-one-row.ts";
import type { DatabaseAddress } from "#kit/db/database.ts";
import { newPool } from "#kit/db/find-primary.ts";
import { resolveTls } from "#kit/db/database-tls.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

export interface OpenedDatabase extends DatabaseAddress {
  /** For the role that owns the tables, for migrations; the direct address if no other is known. */
  ownerConnectionString: string;
  /** Whether statements go through a pooler, and only the rest directly to the database. */
  isPooled: boolean;
  close(): Promise<void>;
}

type DatabaseConfig = Pick<
  Config,
  "databaseUrl" | "databaseDirectUrl" | "migrateDatabaseUrl" | "dataDir"
>;

/**
 * The database that the environment names: an external PostgreSQL, or the embedded one. Throws a StartupProblem if
 * it cannot be used.
 */
export async function openConfiguredDatabase(
  config: DatabaseConfig,
  log: (line: string) => void,
): Promise<OpenedDatabase> {
  if (!config.databaseUrl) {
    const { openEmbeddedDatabase } = await import("#kit/db/embedded-postgres/embedded-database.ts");
    const embedded = await openEmbeddedDatabase({ dataDir: config.dataDir, log });
    const { servingConnectionString, connectionString: ownerConnectionString } = embedded;
    return {
      connectionString: servingConnectionString,
      directConnectionString: servingConnectionString,
      ownerConnectionString,
      isPooled: false,
      close: () => embedded.stop(),
    };
  }
  const isPooled = config.databaseDirectUrl !== null;
  const connectionString = await resolveAddress(config.databaseUrl, "DATABASE_URL");
  const direct = config.databaseDirectUrl
    ? await resolveAddress(config.databaseDirectUrl, "DATABASE_DIRECT_URL")
    : connectionString;
  await refuseOldOrPooled(direct, isPooled ? "DATABASE_DIRECT_URL" : "DATABASE_URL");
  if (isPooled) await refuseWithoutLimits(connectionString);
  return {
    connectionString,
    directConnectionString: direct,
    ownerConnectionString: config.migrateDatabaseUrl
      ? await connectableAddress(config.migrateDatabaseUrl, "MIGRATE_DATABASE_URL")
      : direct,
    isPooled,
    close: async () => undefined,
  };
}

/**
 * The address of another PostgreSQL as the driver understands it, after connecting to it. `named` is the setting or
 * option with the address. Throws a StartupProblem as above.
 */
export async function connectableAddress(address: string, named: string): Promise<string> {
  const connectionString = await resolveAddress(address, named);
  await refuseOldOrPooled(connectionString, named);
  return connectionString;
}

async function resolveAddress(address: string, variable: string): Promise<string> {
  try {
    return await resolveTls(address, variable);
  } catch (problem) {
    throw asStartupProblem(variable, problem);
  }
}

function asStartupProblem(variable: string, problem: unknown): StartupProblem {
  if (problem instanceof StartupProblem) return problem;
  return new StartupProblem(sentenceFor(variable, problem), { cause: problem });
}

function sentenceFor(variable: string, problem: unknown): string {
  const reason = problem instanceof Error ? problem.message || String(problem) : String(problem);
  if (/unsupported startup parameter/.test(reason)) return behindPoolerMessage(variable);
  if (problem instanceof pg.DatabaseError && problem.code === "53300")
    return `The database at ${variable} accepts no more connections (${reason}). Set DATABASE_CONNECTIONS lower, or max_connections of PostgreSQL higher.`;
  if (/does not support SSL connections/.test(reason))
    return `The database at ${variable} does not support TLS. Turn ssl on in PostgreSQL, or set sslmode=disable if the network between is your own.`;
  const reasons = problem instanceof AggregateError ? problem.errors : [problem]; // of several hosts
  if (reasons.some(isAboutCertificate))
    return `The certificate of the database at ${variable} is not accepted (${reason}). sslrootcert must name the authority that signed it, and with verify-full the certificate must be for the host in ${variable}.`;
  return `The database at ${variable} cannot be reached (${reason}). Check its host, port, name, user and password.`;
}

/** Node reports certificate errors with OpenSSL's codes. */
function isAboutCertificate(problem: unknown): boolean {
  const code = problem instanceof Error && "code" in problem ? String(problem.code) : "";
  return /CERT|UNABLE_TO_(GET|VERIFY|DECODE)|^ERR_(OSSL|SSL)/.test(code);
}

const behindPoolerMessage = (variable: string) =>
  variable.startsWith("DATABASE_")
    ? "DATABASE_URL leads through a pooler. Also set DATABASE_DIRECT_URL to the address of PostgreSQL itself (see docs/processes.md)."
    : `${variable} leads through a pooler. Set it to the address of PostgreSQL itself.`;

/** A pooler may silently ignore time limits, so that the client's limit has no effect. */
async function refuseOldOrPooled(connectionString: string, variable: string): Promise<void> {
  const { version, limit } = await queryOneRow<{ version: string; limit: string }>(
    connectionString,
    `select current_setting('server_version_num') as version,
      (select setting from pg_settings where name = 'statement_timeout') as limit`,
  ).catch((problem: unknown) => {
    throw asStartupProblem(variable, problem);
  });
  if (Number(version) < 150_000)
    throw new StartupProblem(`${variable} must point at PostgreSQL 15 or later.`);
  if (Number(limit) !== answerWithinMs) throw new StartupProblem(behindPoolerMessage(variable));
}

/** A pooler's connections have the time limits of the role, or of the pooler's `connect_query`. */
async function refuseWithoutLimits(connectionString: string): Promise<void> {
  const pool = newPool({
    connectionString,
    max: 1,
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
  });
  try {
    const { rows } = await pool.query<{ missing: string[] | null; role: string; database: string }>(
      `select array_agg(name order by name) as missing, quote_ident(current_user) as role,
        quote_ident(current_database()) as database
      from pg_settings where setting = '0'
        and name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')`,
    );
    const [found] = rows;
    if (!found?.missing) return;
    throw new StartupProblem(
      `Statements through DATABASE_URL have no ${found.missing.join(", no ")}. Set them for the role (alter role ${found.role} in database ${found.database} set statement_timeout = '30s', and so on, see docs/processes.md), then reconnect the pooler.`,
    );
  } catch (problem) {
    throw asStartupProblem("DATABASE_URL", problem);
  } finally {
    await pool.end();
  }
}
