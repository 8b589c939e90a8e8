import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { Refusal } from "#contract/refusal.ts";
import {
  type Connection,
  type NetworkTable,
  networkTables,
} from "#features/cells/network-tables.ts";

/*
 * The guard of a network: triggers on every table, by which any write of its rows is refused with RN503,
 * whoever makes it, the owner of the tables too. Rows that logical replication brings fire none.
 */

interface GuardOptions {
  /** For so long a table may be held by others before this gives up. */
  timeoutMs?: number;
  /** Called with each table that is done, and how many there are. */
  onProgress?: (done: number, all: number) => void;
}

/**
 * Have every write of a network refused from now on. When this returns, nothing of the network is being
 * written: a trigger is made once the transactions that write its table have ended. Each table is waited for
 * in short attempts, since others' writes wait behind each. Killed at any moment it can be run again.
 * Throws 409 where a table was held for too long: the tables before it are guarded then.
 */
export async function guardNetwork(
  owner: pg.Pool,
  networkId: number,
  { timeoutMs = 60_000, onProgress }: GuardOptions = {},
): Promise<void> {
  const guarded = await guardedTables(owner, networkId);
  await forEachTable(owner, onProgress, async (table) => {
    if (guarded.get(table.name) !== "on")
      await changeTable(owner, table, guardStatements(table, networkId), timeoutMs);
  });
}

/**
 * Let a network be written again. The triggers are switched off, which waits for writers alone; to drop them
 * waits for readers as well, so what a report or a backup is reading keeps its own, switched off, until the
 * next call: one that is switched off costs nothing. Killed at any moment it can be run again.
 */
export async function unguardNetwork(
  owner: pg.Pool,
  networkId: number,
  options: GuardOptions = {},
): Promise<void> {
  await liftGuard(owner, networkId, options);
  const guarded = await guardedTables(owner, networkId);
  for (const table of await networkTables(owner))
    if (guarded.has(table.name))
      await changeTable(owner, table, await existing(owner, table, networkId, drop), 0).catch(
        unlessHeld,
      );
}

/** The first half of it, for which nobody who reads is waited for: the triggers stay, switched off. */
export async function liftGuard(
  owner: pg.Pool,
  networkId: number,
  { timeoutMs = 60_000, onProgress }: GuardOptions = {},
): Promise<void> {
  const guarded = await guardedTables(owner, networkId);
  await forEachTable(owner, onProgress, async (table) => {
    if (guarded.get(table.name) === "on" || guarded.get(table.name) === "partly")
      await changeTable(owner, table, await existing(owner, table, networkId, disable), timeoutMs);
  });
}

/** Those who hold one table are waited for while those who hold another are: people wait for all of them. */
const tablesAtOnce = 3;

async function forEachTable(
  owner: pg.Pool,
  onProgress: GuardOptions["onProgress"],
  change: (table: NetworkTable) => Promise<void>,
): Promise<void> {
  const tables = await networkTables(owner);
  const left = [...tables];
  let done = 0;
  const changeNext = async (): Promise<void> => {
    for (let table = left.shift(); table; table = left.shift()) {
      await change(table);
      done += 1;
      onProgress?.(done, tables.length);
    }
  };
  const changing = Array.from({ length: tablesAtOnce }, async () => {
    try {
      await changeNext();
    } catch (problem) {
      left.length = 0; // what is not begun is not done
      throw problem;
    }
  });
  await Promise.allSettled(changing); // so that nothing is still being changed when this has failed
  await Promise.all(changing);
}

/** Whether every write of the network is refused, in every table. */
export async function isGuarded(database: Connection, networkId: number): Promise<boolean> {
  const guarded = await guardedTables(database, networkId);
  return (await networkTables(database)).every(({ name }) => guarded.get(name) === "on");
}

const events = ["insert", "update", "delete", "truncate"] as const;
type Event = (typeof events)[number];

/**
 * Of the triggers before a row those run in the order of their names: this must come after `take_network`,
 * which finds out whose the row of the sign-in library is.
 */
const triggerName = (networkId: number, event: Event) => `unserved_network_${networkId}_${event}`;

function guardStatements({ name, networkColumn }: NetworkTable, networkId: number): string[] {
  const isNetwork = (row: "new" | "old") => `${row}.${networkColumn} = ${networkId}`;
  const scopes: Record<Event, string> = {
    insert: `for each row when (${isNetwork("new")})`,
    update: `for each row when (${isNetwork("old")} or ${isNetwork("new")})`,
    delete: `for each row when (${isNetwork("old")})`,
    truncate: "for each statement",
  };
  return events.map(
    (event) =>
      `create or replace trigger ${triggerName(networkId, event)} before ${event} on ${pg.escapeIdentifier(name)}
      ${scopes[event]} execute function refuse_unserved('${networkId}')`,
  );
}

const disable = (trigger: string, table: string) =>
  `alter table ${table} disable trigger ${trigger}`;
const drop = (trigger: string, table: string) => `drop trigger ${trigger} on ${table}`;

async function existing(
  owner: pg.Pool,
  { name }: NetworkTable,
  networkId: number,
  statement: (trigger: string, table: string) => string,
): Promise<string[]> {
  const { rows } = await owner.query<{ trigger: string }>(
    `select tgname as trigger from pg_trigger where tgrelid = to_regclass($1) and tgname = any ($2)`,
    [pg.escapeIdentifier(name), events.map((event) => triggerName(networkId, event))],
  );
  return rows.map(({ trigger }) => statement(trigger, pg.escapeIdentifier(name)));
}

/** Of each table that has any of the triggers, whether all of them are there and on. */
async function guardedTables(
  database: Connection,
  networkId: number,
): Promise<Map<string, "on" | "off" | "partly">> {
  const { rows } = await database.query<{ name: string; on: number }>(
    `select c.relname as name, count(*) filter (where t.tgenabled <> 'D')::int as "on"
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and t.tgname = any ($1) group by c.relname`,
    [events.map((event) => triggerName(networkId, event))],
  );
  return new Map(
    rows.map(({ name, on }) => [name, on === events.length ? "on" : on === 0 ? "off" : "partly"]),
  );
}

/**
 * Whoever wants to write the table waits behind a waiting attempt: the first ones are short. The longest is
 * longer than the second after which PostgreSQL sends an autovacuum of the table away.
 */
const attemptMs = [100, 100, 200, 200, 400, 400, 800, 1_200];
const longestAttemptMs = 1_200;

/** All of the statements or none, once nobody holds the table. */
async function changeTable(
  owner: pg.Pool,
  { name }: NetworkTable,
  statements: string[],
  timeoutMs: number,
): Promise<void> {
  if (statements.length === 0) return;
  const until = performance.now() + timeoutMs;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await changeOnce(owner, statements, attemptMs[attempt] ?? longestAttemptMs);
    } catch (problem) {
      if (!isLockTimeout(problem)) throw problem;
      if (performance.now() > until)
        throw new TableHeld(
          409,
          `The table ${name} was held by another transaction all the while. Look in pg_stat_activity for what takes so long, then try again.`,
        );
      await pause(50 + Math.random() * 100);
    }
  }
}

class TableHeld extends Refusal {}

function unlessHeld(problem: unknown): void {
  if (!(problem instanceof TableHeld)) throw problem;
}

async function changeOnce(owner: pg.Pool, statements: string[], lockMs: number): Promise<void> {
  const client = await owner.connect();
  let isBroken = true;
  try {
    // In one message: a pause has as many of them as there are tables, and people wait.
    const all = [`set local lock_timeout = ${lockMs}`, ...statements];
    await client.query(`begin; ${all.join("; ")}; commit`);
    isBroken = false;
  } finally {
    client.release(isBroken); // what was begun ends with its connection
  }
}

const isLockTimeout = (problem: unknown): boolean =>
  problem instanceof pg.DatabaseError && problem.code === "55P03";
