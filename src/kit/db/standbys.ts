import { setTimeout as after } from "node:timers/promises";
import type pg from "pg";
import { resolveTls } from "#kit/db/database-tls.ts";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { identityAt } from "#kit/db/serving-role.ts";
import { hostsOf, readHosts } from "#kit/ops/database-hosts.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/*
 * Standbys for long reads, at DATABASE_READ_URL: any that can be reached and has caught up. They replay the
 * primary's commits a moment later, so a reader first asks for what must be there.
 */

const variable = "DATABASE_READ_URL";
/** For two reports at the same time, each with a count beside it. */
const connectionsPerStandby = 4;
const askAgainMs = 100;

/** A connection to a standby until it is released, and more to the same one for work beside it. */
export interface StandbyConnection {
  name: string;
  client: pg.PoolClient;
  db: Db;
}

/** Whether the required data has arrived. */
type IsCaughtUp = (client: pg.ClientBase) => Promise<boolean>;

export interface Standbys {
  /**
   * Connect to the first standby that has caught up, or does so within ten seconds. Otherwise answers why none can
   * be used. Throws when `signal` aborts.
   */
  connect(isCaughtUp: IsCaughtUp, signal: AbortSignal): Promise<StandbyConnection | string>;
  close(): Promise<void>;
}

/**
 * The standbys at an address of one or more hosts. Primaries are skipped, so an address of the primary and its
 * standbys also works. Throws a StartupProblem if one is another database than `primary`. One that cannot be
 * reached yet is checked when it is needed.
 */
export async function openStandbys(options: {
  address: string;
  /** Connection string of the database that they follow. */
  primary: string;
  warn: (line: string) => void;
  timeoutMs?: number;
}): Promise<Standbys> {
  // target_session_attrs is for PostgreSQL's programs; here it is always a standby.
  const address = options.address.replace(/(?<=[?&])target_session_attrs=[^&]*&?/, "");
  const several = hostsOf(readHosts(address, variable));
  const addresses = several.length > 0 ? several.map((host) => host.address) : [address];
  const standbys = addresses.map((one) => new Standby(one, options.primary));
  for (const standby of standbys)
    await standby.open().catch((problem: unknown) => {
      if (problem instanceof StartupProblem) throw problem;
      options.warn(
        `${standby.name} of ${variable} cannot be reached (${sentenceOf(problem)}). Until it can, reports are read from another database.`,
      );
    });
  return {
    connect: async (isCaughtUp, signal) => {
      const problems: string[] = [];
      for (const standby of standbys)
        try {
          return await standby.connect(isCaughtUp, signal, options.timeoutMs ?? 10_000);
        } catch (problem) {
          signal.throwIfAborted();
          problems.push(`${standby.name}: ${sentenceOf(problem)}`);
        }
      return problems.join("; ");
    },
    close: async () => {
      await Promise.all(standbys.map((standby) => standby.close()));
    },
  };
}

class Standby {
  readonly name: string;
  readonly #address: string;
  readonly #primary: string;
  #pool: pg.Pool | null = null;

  constructor(address: string, primary: string) {
    this.name = URL.canParse(address) ? new URL(address).host : "the standby";
    this.#address = address;
    this.#primary = primary;
  }

  /** Open once it can be reached, and is the right database. */
  async open(): Promise<pg.Pool> {
    if (this.#pool) return this.#pool;
    const connectionString = await resolveTls(this.#address, variable);
    const [there, here] = [await identityAt(connectionString), await identityAt(this.#primary)];
    if (there.database !== here.database)
      throw new StartupProblem(
        `${variable} leads to another database than DATABASE_URL (${this.name}). It must be the address of its standbys.`,
      );
    // Two reports may have found it closed at the same time.
    return (this.#pool ??= openPool({ connectionString, connections: connectionsPerStandby }));
  }

  async connect(
    isCaughtUp: IsCaughtUp,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<StandbyConnection> {
    const pool = await this.open();
    const client = await pool.connect();
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = AbortSignal.any([signal, timeout]);
    const cut = () => client.connection.stream.destroy(); // a statement may hang
    either.addEventListener("abort", cut);
    try {
      await refusePrimary(client);
      while (!(await isCaughtUp(client))) await after(askAgainMs, undefined, { signal: either });
      either.throwIfAborted();
      return { name: this.name, client, db: openDatabase(pool) };
    } catch (problem) {
      client.release(true);
      throw timeout.aborted ? new Error(`it lags by more than ${timeoutMs / 1000} s`) : problem;
    } finally {
      either.removeEventListener("abort", cut);
    }
  }

  async close(): Promise<void> {
    await this.#pool?.end();
  }
}

/** Refuse a standby that was promoted: it now serves everyone else. */
async function refusePrimary(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ follows: boolean }>(
    "select pg_is_in_recovery() as follows",
  );
  if (!rows[0]?.follows) throw new Error("it is not a standby");
}

const sentenceOf = (problem: unknown) =>
  problem instanceof Error ? problem.message || problem.name : String(problem);
