import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { Client, type QueryResultRow } from "pg";
import { openEmbeddedDatabase } from "#kit/db/embedded-postgres/embedded-database.ts";
import { findRecorded } from "#kit/db/embedded-postgres/process.ts";
import type { Chance } from "#tests/resilience/faults/chance.ts";

/** A PostgreSQL of the suite's own; the product's watchdog restarts it when it is killed. */
export interface Cluster {
  /** The connection string of a database. */
  addressOf(name: string): string;
  ask<Row extends QueryResultRow>(name: string, query: string, values?: unknown[]): Promise<Row[]>;
  /** SIGKILL to the postmaster. */
  kill(): void;
  /** SIGKILL to one of the product's connections: PostgreSQL then drops all connections and recovers. */
  killOne(name: string, chance: Chance): Promise<void>;
  /** End connections of the product: all of them, or some. */
  cut(name: string, chance: Chance | null): Promise<void>;
  stop(): Promise<void>;
}

/** Only processes die here, not the machine: the kernel keeps what PostgreSQL has written. */
const unsynced = { fsync: "off", full_page_writes: "off", shared_buffers: "128MB" };

const recoveryMs = 60_000;

export async function openCluster(dataDir: string): Promise<Cluster> {
  const database = await openEmbeddedDatabase({
    dataDir,
    settings: unsynced,
    log: () => undefined,
  });
  const addressOf = (name: string) => {
    const url = new URL(database.connectionString);
    url.pathname = `/${name}`;
    return url.href;
  };

  async function attempt<Row extends QueryResultRow>(
    name: string,
    text: string,
    values: unknown[],
  ) {
    const client = new Client({
      connectionString: addressOf(name),
      application_name: "fault suite",
      statement_timeout: 60_000,
    });
    client.on("error", () => undefined); // the query says so
    try {
      await client.connect();
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end().catch(() => undefined); // it may be gone
    }
  }

  /** Retried while the server is down: only for statements that may run twice. */
  async function ask<Row extends QueryResultRow>(
    name: string,
    text: string,
    values: unknown[] = [],
  ) {
    const end = performance.now() + recoveryMs;
    for (;;) {
      try {
        return await attempt<Row>(name, text, values);
      } catch (problem) {
        if (performance.now() > end || !isDown(problem)) throw problem;
        await after(50);
      }
    }
  }

  const ofProduct = "datname = $1 and application_name like 'referral-network%'";
  return {
    addressOf,
    ask,
    kill: () => {
      // `findPostgres` would also clean up, which is the watchdog's task.
      const running = findRecorded(join(dataDir, "postgres"));
      if (running) killIfRunning(running.pid);
    },
    killOne: async (name, chance) => {
      const found = await ask<{ pid: number }>(
        name,
        `select pid from pg_stat_activity where ${ofProduct} order by state = 'active' desc, pid limit 6`,
        [name],
      );
      if (found.length > 0) killIfRunning(chance.oneOf(found).pid);
    },
    cut: async (name, chance) => {
      const some = chance ? `and pid % 2 = ${chance.whole(0, 1)}` : "";
      await ask(
        name,
        `select pg_terminate_backend(pid) from pg_stat_activity where ${ofProduct} ${some}`,
        [name],
      );
    },
    stop: () => database.stop(),
  };
}

function killIfRunning(pid: number): void {
  if (!(pid > 1)) throw new RangeError(`${pid} is no process of PostgreSQL's.`); // 0 would signal ourselves
  try {
    process.kill(pid, "SIGKILL");
  } catch (problem) {
    const isGone = problem instanceof Error && "code" in problem && problem.code === "ESRCH";
    if (!isGone) throw problem;
  }
}

const downCodes = new Set(["57P01", "57P02", "57P03", "ECONNREFUSED", "ECONNRESET", "EPIPE"]);

function isDown(problem: unknown): boolean {
  if (!(problem instanceof Error)) return false;
  const code = "code" in problem ? String(problem.code) : "";
  return downCodes.has(code) || problem.message.startsWith("Connection terminated");
}
