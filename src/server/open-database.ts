import pg from "pg";
import type { Config } from "#server/config.ts";
import { openEmbeddedDatabase } from "#server/embedded-database.ts";
import { StartupProblem } from "#server/startup-problem.ts";

export interface OpenedDatabase {
  connectionString: string;
  close(): Promise<void>;
}

/** The database that the environment names: an external PostgreSQL, or the embedded one. */
export async function openConfiguredDatabase(
  config: Config,
  log: (line: string) => void,
): Promise<OpenedDatabase> {
  if (!config.databaseUrl) {
    const embedded = await openEmbeddedDatabase({ dataDir: config.dataDir, log });
    return { connectionString: embedded.connectionString, close: () => embedded.stop() };
  }
  await refuseUnreachable(config.databaseUrl);
  return { connectionString: config.databaseUrl, close: async () => undefined };
}

async function refuseUnreachable(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string }>(
      "select current_setting('server_version_num') as version",
    );
    if (Number(rows[0]?.version) < 150_000)
      throw new StartupProblem("DATABASE_URL must point at PostgreSQL 15 or later.");
  } catch (problem) {
    if (problem instanceof StartupProblem) throw problem;
    const reason = problem instanceof Error ? problem.message || String(problem) : String(problem);
    throw new StartupProblem(
      `The database at DATABASE_URL cannot be reached (${reason}): check its host, port, name, user and password.`,
      { cause: problem },
    );
  } finally {
    await client.end().catch(() => undefined); // a client that never connected has nothing to end
  }
}
