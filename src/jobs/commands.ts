import { type RawBuilder, sql } from "kysely";
import { type Command, command } from "#cli/command.ts";
import { invocation, UsageProblem } from "#cli/command-arguments.ts";
import type { Db } from "#db/database.ts";
import { Refusal } from "#contract/refusal.ts";

/** A job as the queue has it. */
interface QueuedJob {
  id: string;
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
      sql`
        update pgboss.job
        set state = case state when 'created' then state else 'retry' end, start_after = now(),
          retry_count = 0, started_on = null, completed_on = null
        where id = ${id} and state in ('created', 'retry', 'failed')
        returning true`,
    );
    return { text: `Job ${id}, ${task}, is due now.`, json: { id, task } };
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
      sql`
        delete from pgboss.job
        where id = ${id} and state in ('created', 'retry', 'failed')
        returning true`,
    );
    return { text: `Job ${id}, ${task}, is removed.`, json: { id, task } };
  },
});

export const jobCommands: Command[] = [jobsCommand, retryCommand, clearCommand];

function jobId(name: string, id: string): string {
  if (!/^[\da-f][\da-f-]*$/.test(id))
    throw new UsageProblem(`${name} needs the ID of a job: see ${invocation} jobs.`);
  return id;
}

async function listJobs(db: Db): Promise<QueuedJob[]> {
  const { rows } = await sql<QueuedJob>`
    select id, name as task,
      case state when 'active' then 'running' when 'failed' then 'failed' else 'waiting' end as state,
      retry_count + (started_on is not null)::int as attempts, retry_limit + 1 as max_attempts,
      case state when 'active' then started_on else start_after end as at,
      coalesce(output #>> '{value,message}', output ->> 'message') as last_error
    from pgboss.job
    where state in ('created', 'retry', 'active', 'failed') and not starts_with(name, '__')
    order by 3, at, id`.execute(db);
  return rows;
}

/** Answers the job's task. Throws 404, and 409 for one that runs, which `change` leaves alone. */
async function changeJob(db: Db, id: string, change: RawBuilder<unknown>): Promise<string> {
  const found = (await listJobs(db)).find((job) => job.id === id);
  if (!found) throw new Refusal(404, `There is no job ${id}: see ${invocation} jobs.`);
  const { rows } = await change.execute(db);
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
