import { setTimeout as after } from "node:timers/promises";
import type pg from "pg";
import { resolveTls } from "#kit/db/database-tls.ts";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { identityAt } from "#kit/db/serving-role.ts";
import { hostsOf, readHosts } from "#kit/ops/database-hosts.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/*
 * Standbys that long reading goes to, at DATABASE_READ_URL: any that can be reached and has caught up.
 * They replay what the primary has committed a moment later, so whoever reads there asks first for what
 * must be there.
 */

const variable = "DATABASE_READ_URL";
/** For two reports at a time, each with a count beside it. */
const connectionsPerStandby = 4;
const askAgainMs = 100;

/** A connection to a standby, until it is released, and others to the same one for what goes on beside. */
export interface StandbyConnection {
  name: string;
  client: pg.PoolClient;
  db: Db;
}

/** Whether what must be there is there. */
type IsCaughtUp = (client: pg.ClientBase) => Promise<boolean>;

export interface Standbys {
  /**
   * Connect to the first standby that has caught up, or does so within ten seconds. Answers why none
   * can be used instead; throws when `signal` aborts.
   */
  connect(isCaughtUp: IsCaughtUp, signal: AbortSignal): Promise<StandbyConnection | string>;
  close(): Promise<void>;
}

/**
 * The standbys at an address of one host or several; one that turns out to be a primary is passed
 * over, so the address of the primary and its standbys will do. Throws a StartupProblem when one is
 * another database than `primary`; one that cannot be reached yet is looked at when it is needed.
 */
export async function openStandbys(options: {
  address: string;
  /** Connection string of the database that they follow. */
  primary: string;
  warn: (line: string) => void;
  timeoutMs?: number;
}): Promise<Standbys> {
  // What PostgreSQL's programs are to look for there: here it is a standby in any case.
  const address = options.address.replace(/(?<=[?&])target_session_attrs=[^&]*&?/, "");
  const several = hostsOf(readHosts(address, variable));
  const addresses = several.length > 0 ? several.map((host) => host.address) : [address];
  const standbys = addresses.map((one) => new Standby(one, options.primary));
  for (const standby of standbys)
    await standby.open().catch((problem: unknown) => {
      if (problem instanceof StartupProblem) throw problem;
      options.warn(
        `${standby.name} of ${variable} cannot be reached (${sentenceOf(problem)}): until it can, reports are read elsewhere.`,
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

  /** Once it can be reached, and is the database that it must be. */
  async open(): Promise<pg.Pool> {
    if (this.#pool) return this.#pool;
    const connectionString = await resolveTls(this.#address, variable);
    const [there, here] = [await identityAt(connectionString), await identityAt(this.#primary)];
    if (there.database !== here.database)
      throw new StartupProblem(
        `${variable} leads to another database than DATABASE_URL (${this.name}): it must be that of its standbys.`,
      );
    // Two reports may have found it closed at once.
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

/** One that was promoted: it serves everybody else. */
async function refusePrimary(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ follows: boolean }>(
    "select pg_is_in_recovery() as follows",
  );
  if (!rows[0]?.follows) throw new Error("it is no standby");
}

const sentenceOf = (problem: unknown) =>
  problem instanceof Error ? problem.message || problem.name : String(problem);
