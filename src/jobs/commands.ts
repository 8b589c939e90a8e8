import { sql } from "kysely";
import { type Command, command } from "#cli/command.ts";
import { invocation, UsageProblem } from "#cli/command-arguments.ts";
import type { Db } from "#db/database.ts";
import { Refusal } from "#contract/refusal.ts";

/** A job as the queue has it. */
interface QueuedJob {
  id: number;
  task: string;
  state: "waiting" | "running" | "failed";
  attempts: number;
  maxAttempts: number;
  /** When it is begun, or was. */
  at: string;
  lastError: string | null;
}

const jobsCommand = command({
  name: "jobs",
  summary: "List the jobs that wait, run or failed",
  details: "A job that is done is not there any more. Times are UTC.",
  options: {},
  async run({ db }) {
    const jobs = await listJobs(db);
    return {
      text: jobs.map(described).join("\n") || "No job waits, runs or failed.",
      json: { jobs },
    };
  },
});

const retryCommand = command({
  name: "retry-job",
  summary: "Begin a job now, with all its attempts",
  operands: ["ID"],
  options: {},
  async run({ db }, _given, [id = ""]) {
    const task = await changeJob(
      db,
      jobId("retry-job", id),
      (job) =>
        sql`select graphile_worker.reschedule_jobs(array[${job}::bigint], run_at => now(), attempts => 0)`,
    );
    return { text: `Job ${id}, ${task}, is due now.`, json: { id: Number(id), task } };
  },
});

const clearCommand = command({
  name: "clear-job",
  summary: "Remove a job for good, such as one that failed",
  details: "A recurring job comes back at its next hour.",
  operands: ["ID"],
  options: {},
  async run({ db }, _given, [id = ""]) {
    const task = await changeJob(
      db,
      jobId("clear-job", id),
      (job) => sql`select graphile_worker.complete_jobs(array[${job}::bigint])`,
    );
    return { text: `Job ${id}, ${task}, is removed.`, json: { id: Number(id), task } };
  },
});

export const jobCommands: Command[] = [jobsCommand, retryCommand, clearCommand];

function jobId(name: string, id: string): number {
  if (!/^[1-9]\d{0,14}$/.test(id))
    throw new UsageProblem(`${name} needs the ID of a job, a number: see ${invocation} jobs.`);
  return Number(id);
}

async function listJobs(db: Db): Promise<QueuedJob[]> {
  // No worker has run yet: nothing made the queue.
  const { rows: known } = await sql<{ isThere: boolean }>`
    select to_regclass('graphile_worker.jobs') is not null as is_there`.execute(db);
  if (!known[0]?.isThere) return [];
  const { rows } = await sql<QueuedJob>`
    select id, task_identifier as task, attempts, max_attempts, last_error,
      case when locked_at is not null then 'running' when attempts >= max_attempts then 'failed'
        else 'waiting' end as state,
      coalesce(locked_at, run_at) as at
    from graphile_worker.jobs order by state, at, id`.execute(db);
  return rows;
}

/** Answers the job's task. Throws 404, and 409 for one that runs: the queue changes none that does. */
async function changeJob(
  db: Db,
  id: number,
  change: (id: number) => ReturnType<typeof sql>,
): Promise<string> {
  const found = (await listJobs(db)).find((job) => job.id === id);
  if (!found) throw new Refusal(404, `There is no job ${id}: see ${invocation} jobs.`);
  const { rows } = await change(id).execute(db);
  if (rows.length === 0) throw new Refusal(409, `Job ${id} is running: wait until it has ended.`);
  return found.task;
}

function described({ id, task, state, at, attempts, maxAttempts, lastError }: QueuedJob): string {
  const when = at.replace("T", " ").replace(/\.\d+Z$/, "");
  const how = {
    running: `running since ${when}`,
    failed: `failed after ${attempts} attempts`,
    waiting:
      attempts === 0
        ? `waiting until ${when}`
        : `failed ${attempts} of ${maxAttempts} times, to be tried again at ${when}`,
  };
  const why = lastError && state !== "running" ? `: ${lastError.split("\n")[0]}` : "";
  return `${id}  ${task}  ${how[state]}${why}`;
}
