import { sql } from "kysely";
import { type Command, command } from "#kit/cli/command.ts";
import { invocation, UsageProblem } from "#kit/cli/command-arguments.ts";
import type { Db, Tx } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { queueIn } from "#kit/jobs/send.ts";

/** A job in the queue. */
interface QueuedJob {
  id: string;
  task: string;
  state: "waiting" | "running";
  attempts: number;
  /** When it starts or started. */
  at: string;
  lastError: string | null;
}

const jobsCommand = command({
  name: "jobs",
  summary: "List waiting, running and failed jobs",
  details: "Finished jobs are not listed. Times are UTC.",
  options: {},
  async run({ db }) {
    const jobs = await listJobs(db);
    return {
      text: jobs.map(described).join("\n") || "No jobs are waiting, running or failed.",
      json: { jobs },
    };
  },
});

const retryCommand = command({
  name: "retry-job",
  summary: "Start a job now",
  operands: ["ID"],
  options: {},
  async run({ db }, _given, [id = ""]) {
    const task = await changeIdle(db, jobId("retry-job", id), async (tx, name) => {
      await (await queueIn(tx)).update(name, undefined, { id, startAfter: 0 });
    });
    return { text: `Job ${id}, ${task}, is due now.`, json: { id, task } };
  },
});

const clearCommand = command({
  name: "clear-job",
  summary: "Remove a job permanently, such as one that keeps failing",
  details: "A recurring job starts again at its next hour.",
  operands: ["ID"],
  options: {},
  async run({ db }, _given, [id = ""]) {
    const task = await changeIdle(db, jobId("clear-job", id), async (tx, name) => {
      await (await queueIn(tx)).deleteJob(name, id);
    });
    return { text: `Job ${id}, ${task}, was removed.`, json: { id, task } };
  },
});

export const jobCommands: Command[] = [jobsCommand, retryCommand, clearCommand];

function jobId(name: string, id: string): string {
  if (!/^[\da-f][\da-f-]*$/.test(id))
    throw new UsageProblem(`${name} needs the ID of a job: see ${invocation} jobs.`);
  return id;
}

/** Permanently failed jobs are left out: the queue keeps only those that another attempt replaces. */
async function listJobs(db: Db): Promise<QueuedJob[]> {
  const { rows } = await sql<QueuedJob>`
    select id, name as task,
      case state when 'active' then 'running' else 'waiting' end as state,
      retry_count + (started_on is not null)::int as attempts,
      case state when 'active' then started_on else start_after end as at,
      coalesce(output #>> '{value,message}', output ->> 'message') as last_error
    from pgboss.job
    where state in ('created', 'retry', 'active') and not starts_with(name, '__')
    order by 3, at, id`.execute(db);
  return rows;
}

/**
 * Change a job that no worker has started, and keep workers from starting it: the library would also remove a
 * running one. Answers its task. Throws 404, and 409 for a running job.
 */
async function changeIdle(
  db: Db,
  id: string,
  change: (tx: Tx, task: string) => Promise<void>,
): Promise<string> {
  return await inTransaction(db, async (tx) => {
    await sql`select from pgboss.job where id::text = ${id} for update`.execute(tx);
    const found = (await listJobs(tx)).find((job) => job.id === id);
    if (!found) throw new Refusal(404, `There is no job ${id}. See ${invocation} jobs.`);
    if (found.state === "running")
      throw new Refusal(409, `Job ${id} is running. Wait until it has ended.`);
    await change(tx, found.task);
    return found.task;
  });
}

function described({ id, task, state, at, attempts, lastError }: QueuedJob): string {
  const when = at.replace("T", " ").replace(/\.\d+Z$/, "");
  if (state === "running") return `${id}  ${task}  running since ${when}`;
  if (attempts === 0) return `${id}  ${task}  waiting until ${when}`;
  const why = lastError ? `: ${lastError.split("\n")[0]}` : "";
  return `${id}  ${task}  failed ${attempts} times, next attempt at ${when}${why}`;
}
