import { EventEmitter } from "node:events";
import type { WorkerEvents } from "graphile-worker";
import type { Client } from "pg";
import { aClient } from "#server/database.ts";
import { lockOf } from "#server/locks.ts";

const everyMs = 2_000;
const callPatienceMs = 5_000;
/** A worker's first job may begin a moment before its lock is held. */
const graceSeconds = 8;

export interface RollCall {
  /** What the job runner tells of its workers. */
  events: WorkerEvents;
  close(): Promise<void>;
}

/**
 * Free the jobs of workers that died: the job queue alone would hold them, and all that wait behind
 * them, for four hours. Each worker holds an advisory lock (`lockOf.worker`) on a session of its own, which ends with
 * the process however that died. The connection must keep its session, as LISTEN does.
 */
export function holdRollCall(connectionString: string, log: (line: string) => void): RollCall {
  const events: WorkerEvents = new EventEmitter();
  const present = new Set<string>();
  let line: Client | null = null;
  let isClosed = false;
  let isTold = false;
  let timer: NodeJS.Timeout | undefined;
  let round = Promise.resolve();

  events.on("worker:create", ({ worker: { workerId } }) => {
    present.add(workerId);
    callSoon(0);
  });
  events.on("worker:stop", ({ worker: { workerId } }) => present.delete(workerId));

  function callSoon(ms: number): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => void (round = round.then(call)), ms);
  }

  async function call(): Promise<void> {
    try {
      line ??= await connect();
      await line.query(answerPresent, [lockOf.worker, [...present]]);
      const { rows } = await line.query<{ freed: string }>(freeTheDead, [
        lockOf.worker,
        graceSeconds,
      ]);
      for (const { freed } of rows) log(`The job ${freed} of a worker that died is begun again.`);
      isTold = false;
    } catch (problem) {
      if (!isTold) log(`Workers cannot be called by name: ${String(problem)}`);
      isTold = true; // once, until it works again
      hangUp();
    }
    callSoon(everyMs);
  }

  async function connect(): Promise<Client> {
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

/** The non-negative half of a worker's hash is its place in the lock's key. */
const place = (worker: string) => `hashtext(${worker}) & 2147483647`;

const held = (worker: string) => `exists (
  select from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid = $1::bigint::oid and l.objid = (${place(worker)})::bigint::oid)`;

const answerPresent = `
  select pg_try_advisory_lock($1::integer, ${place("worker")})
  from unnest($2::text[]) worker
  where not ${held("worker")}`;

const freeTheDead = `
  with dead as (
    select array_agg(distinct locked_by) as workers, array_agg(task_identifier) as tasks
    from graphile_worker.jobs
    where locked_at < now() - make_interval(secs => $2) and not ${held("locked_by")})
  select unnest(tasks) as freed
  from dead, lateral graphile_worker.force_unlock_workers(dead.workers)
  where workers is not null`;
