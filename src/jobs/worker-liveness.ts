import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { aClient } from "#db/database.ts";
import { lockOf } from "#db/locks.ts";

const everyMs = 2_000;
/** Long: whoever hangs up on a slow database counts as missing. */
const callPatienceMs = 20_000;
/** How long a worker may be missing: one that only lost its connection is back by then. */
const missingMs = 10_000;

export interface WorkerLiveness {
  /** What the job runner runs with: nobody takes a job before they have answered. */
  plugin: GraphileConfig.Plugin;
  /** Whoever had this name has ended, in a process that lives on. */
  leave(name: string): void;
  close(): Promise<void>;
}

/**
 * Free the jobs of workers that died: the job queue alone would hold them, and all that wait behind
 * them, for four hours. Each process holds an advisory lock (`lockOf.worker`) under the name by which
 * the queue knows it, on a session of its own, which ends with the process however that died. Who is
 * missing for `missingMs` without a break is dead; with the rounds before and after, the jobs are freed
 * within 15 seconds. The connection must keep its session, as LISTEN does.
 */
export function watchWorkerLiveness(
  connectionString: string,
  log: (line: string) => void,
): WorkerLiveness {
  const present = new Set<string>();
  const left = new Set<string>();
  const missingSince = new Map<string, number>();
  let line: Client | null = null;
  const closed = new AbortController();
  let isTold = false;
  let timer: NodeJS.Timeout | undefined;
  let round = Promise.resolve(true);

  const plugin: GraphileConfig.Plugin = {
    name: "roll-call",
    worker: { hooks: { startWorker: async (_, { worker }) => await answer(worker.workerPool.id) } },
  };
  /** Waits until the lock is held, so that no job can be seen without its worker. */
  async function answer(name: string): Promise<void> {
    present.add(name);
    while (!closed.signal.aborted && !(await call())) await pause(everyMs);
  }

  /** Once now, and again and again from then on. Answers whether it went well. */
  function call(): Promise<boolean> {
    clearTimeout(timer);
    round = round.then(callOnce);
    timer = closed.signal.aborted ? undefined : setTimeout(() => void round.then(call), everyMs);
    return round;
  }

  async function callOnce(): Promise<boolean> {
    try {
      line ??= await connect();
      await line.query(answerPresent, [lockOf.worker, [...present]]);
      await sayGoodbye(line);
      const { rows } = await line.query<{ name: string }>(findMissing, [lockOf.worker]);
      await free(line, deadAmong(rows));
      await line.query(removeSuperseded);
      isTold = false;
      return true;
    } catch (problem) {
      if (!isTold) log(`Workers cannot be called by name: ${String(problem)}`);
      isTold = true; // once, until it works again
      hangUp();
      return false;
    }
  }

  async function sayGoodbye(to: Client): Promise<void> {
    const leaving = [...left];
    await to.query(takeLeave, [lockOf.worker, leaving]);
    for (const name of leaving) left.delete(name);
  }

  async function free(on: Client, dead: string[]): Promise<void> {
    if (dead.length === 0) return;
    await on.query(giveBackLastAttempt, [dead]);
    const freed = await on.query<{ task: string }>(freeJobs, [dead]);
    for (const { task } of freed.rows) log(`The job ${task} of a worker that died is begun again.`);
  }

  /** Of those who are missing now, who has been for long enough. */
  function deadAmong(missing: { name: string }[]): string[] {
    const now = performance.now();
    const names = new Set(missing.map(({ name }) => name));
    for (const name of missingSince.keys()) if (!names.has(name)) missingSince.delete(name);
    for (const name of names) if (!missingSince.has(name)) missingSince.set(name, now);
    return [...names].filter((name) => now - (missingSince.get(name) ?? now) >= missingMs);
  }

  async function connect(): Promise<Client> {
    missingSince.clear(); // who came back while this process could not look, nobody has seen
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
    plugin,
    leave: (name) => {
      present.delete(name);
      left.add(name);
    },
    close: async () => {
      closed.abort();
      clearTimeout(timer);
      await round;
      hangUp();
    },
  };
}

/** The non-negative half of a name's hash is its place in the lock's key. */
const place = (name: string) => `hashtext(${name}) & 2147483647`;

const held = (name: string) => `exists (
  select from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid = $1::bigint::oid and l.objid = (${place(name)})::bigint::oid)`;

const answerPresent = `
  select pg_try_advisory_lock($1::integer, ${place("name")})
  from unnest($2::text[]) name
  where not ${held("name")}`;

const takeLeave = `
  select pg_advisory_unlock($1::integer, ${place("name")})
  from unnest($2::text[]) name
  where ${held("name")}`;

const findMissing = `
  select distinct locked_by as name from graphile_worker.jobs
  where locked_at is not null and not ${held("locked_by")}`;

/** Being killed is no failure of the job: one that was at its last attempt is begun again all the same. */
const giveBackLastAttempt = `
  update graphile_worker._private_jobs set attempts = max_attempts - 1
  where locked_by = any($1::text[]) and key is not null and attempts >= max_attempts`;

/**
 * A job that is ordered again while it runs, or once it was given up, loses its key to the new one
 * and is set to its last attempt. Done well it is gone; killed or failed it would stay for ever and
 * count as given up, though the new one does its work. All our jobs have keys.
 */
const removeSuperseded = `
  select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker._private_jobs
  where key is null and locked_at is null and attempts >= max_attempts
  having count(*) > 0`;

const freeJobs = `
  with dead as (
    select array_agg(distinct locked_by) as names, array_agg(task_identifier) as tasks
    from graphile_worker.jobs where locked_by = any($1::text[]))
  select unnest(tasks) as task
  from dead, lateral graphile_worker.force_unlock_workers(dead.names)
  where names is not null`;
