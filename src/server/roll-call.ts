import { EventEmitter } from "node:events";
import type { WorkerEvents } from "graphile-worker";
import type { Client } from "pg";
import { aClient } from "#server/database.ts";
import { lockOf } from "#server/locks.ts";

const everyMs = 2_000;
const callPatienceMs = 5_000;
/** A runner that lives answers again within this time, also when its connection was cut. */
const graceMs = 8_000;

export interface RollCall {
  /** What job runners tell of themselves. */
  events: WorkerEvents;
  close(): Promise<void>;
}

/**
 * Free the jobs of runners that died: the job queue alone would hold them, and all that wait behind
 * them, for four hours. A job is held in the name of its runner's pool of workers. For each pool an
 * advisory lock (`lockOf.worker`) is held on a session of its own, which ends with the process
 * however that died. The connection must keep its session, as LISTEN does.
 */
export function holdRollCall(connectionString: string, log: (line: string) => void): RollCall {
  const events: WorkerEvents = new EventEmitter();
  const present = new Set<string>();
  const left = new Set<string>();
  /** Since when nobody has answered for a pool that holds jobs, by this process's own clock. */
  const silent = new Map<string, number>();
  let line: Client | null = null;
  let isClosed = false;
  let isTold = false;
  let timer: NodeJS.Timeout | undefined;
  let round = Promise.resolve();

  events.on("pool:create", ({ workerPool: { id } }) => {
    present.add(id);
    callSoon(0);
  });
  events.on("pool:release", ({ workerPool: { id } }) => {
    present.delete(id);
    left.add(id);
  });

  function callSoon(ms: number): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => void (round = round.then(call)), ms);
  }

  async function call(): Promise<void> {
    try {
      line ??= await connect();
      await line.query(answerPresent, [lockOf.worker, [...present]]);
      await sayGoodbye(line);
      const dead = await findDead(line);
      const { rows } = await line.query<{ freed: string }>(freeTheDead, [dead]);
      for (const { freed } of rows) log(`The job ${freed} of a process that died is begun again.`);
      isTold = false;
    } catch (problem) {
      if (!isTold) log(`Workers cannot be called by name: ${String(problem)}`);
      isTold = true; // once, until it works again
      hangUp();
    }
    callSoon(everyMs);
  }

  async function sayGoodbye(to: Client): Promise<void> {
    const leaving = [...left];
    await to.query(takeLeave, [lockOf.worker, leaving]);
    for (const pool of leaving) left.delete(pool);
  }

  async function findDead(on: Client): Promise<string[]> {
    const { rows } = await on.query<{ pool: string }>(findSilent, [lockOf.worker]);
    const found = rows.map(({ pool }) => pool);
    const now = performance.now();
    for (const pool of silent.keys()) if (!found.includes(pool)) silent.delete(pool);
    for (const pool of found) if (!silent.has(pool)) silent.set(pool, now);
    return found.filter((pool) => now - (silent.get(pool) ?? now) >= graceMs);
  }

  async function connect(): Promise<Client> {
    silent.clear(); // whoever answered while this process could not listen was not heard
    const fresh = aClient(connectionString, "roll call", {
      statementMs: callPatienceMs,
      connectMs: callPatienceMs,
    });
    fresh.on("error", hangUp);
    await fresh.connect();
    return fresh;
  }

  function hangUp(): void {
    const lost = line;
    line = null;
    lost?.end().catch(() => undefined); // it is lost: there may be nothing left to end
  }

  return {
    events,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await round;
      hangUp();
    },
  };
}

/** The non-negative half of a pool's hash is its place in the lock's key. */
const place = (pool: string) => `hashtext(${pool}) & 2147483647`;

const held = (pool: string) => `exists (
  select from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid = $1::bigint::oid and l.objid = (${place(pool)})::bigint::oid)`;

const answerPresent = `
  select pg_try_advisory_lock($1::integer, ${place("pool")})
  from unnest($2::text[]) pool
  where not ${held("pool")}`;

const takeLeave = `
  select pg_advisory_unlock($1::integer, ${place("pool")})
  from unnest($2::text[]) pool
  where ${held("pool")}`;

const findSilent = `
  select distinct locked_by as pool from graphile_worker.jobs
  where locked_by is not null and not ${held("locked_by")}`;

const freeTheDead = `
  with freed as (
    select array_agg(task_identifier) as tasks
    from graphile_worker.jobs where locked_by = any($1::text[]))
  select unnest(tasks) as freed
  from freed, lateral graphile_worker.force_unlock_workers($1::text[])
  where tasks is not null`;
