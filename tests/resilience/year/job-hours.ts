import "#main/reports.ts";
import { sql } from "kysely";
import { prepareExportJob } from "#office/reports/jobs.ts";
import { recurringJobs } from "#main/worker.ts";
import { localTime } from "./plain-calendar.ts";
import type { SimulatedService } from "./simulated-service.ts";

const hourMs = 3_600_000;

/** The hour, UTC, of the daily jobs. */
const dailyHour = 8;

/**
 * True if anything can be due at an hour: a date has just changed somewhere, or it is the daily jobs' hour.
 */
export function isJobHour(timeZones: readonly string[], instantMs: number): boolean {
  const turned = (timeZone: string) =>
    localTime(timeZone, instantMs).day !== localTime(timeZone, instantMs - hourMs).day;
  return new Date(instantMs).getUTCHours() === dailyHour || timeZones.some(turned);
}

/** How long each job took on a simulated day, in milliseconds. */
export type JobTimes = Map<string, number>;

/**
 * Do the worker's recurring jobs of one hour, each at its minute, and prepare ordered reports. Jobs that run
 * every few minutes run once, at the end.
 */
export async function doJobsOf(
  service: SimulatedService,
  hour: number,
  times: JobTimes,
): Promise<void> {
  const { context, moveClock, sandboxes } = service;
  // The processor captures each day's sales; until then each one is looked up again every day.
  if (new Date(hour).getUTCHours() === dailyHour) sandboxes.lawpay.settle([]);
  const due = recurringJobs(sandboxes.addresses)
    .flatMap(({ cron, ...job }) => {
      const [minute = "", hours = ""] = cron.split(" ");
      const isDue = hours === "*" || Number(hours) === new Date(hour).getUTCHours();
      return isDue ? [{ ...job, minute: minute.startsWith("*") ? 58 : Number(minute) }] : [];
    })
    .toSorted((a, b) => a.minute - b.minute);
  let minute = -1;
  const timed = async (name: string, work: () => Promise<void>) => {
    const begun = performance.now();
    await work();
    times.set(name, (times.get(name) ?? 0) + performance.now() - begun);
  };
  for (const job of due) {
    if (job.minute !== minute) await moveClock(hour + job.minute * 60_000);
    minute = job.minute;
    const workers = job.name === "send-mail" ? 3 : 1; // as a market of this size would have
    await timed(job.name, async () => {
      await Promise.all(Array.from({ length: workers }, () => job.run(context)));
    });
  }
  await timed("prepare-report", () => prepareReports(service));
  service.emptyOutbox();
}

/** The queue's work on ordered reports. */
async function prepareReports({ context }: SimulatedService): Promise<void> {
  const { name, run } = prepareExportJob();
  for (;;) {
    const { rows } = await sql<{ data: unknown }>`
      delete from pgboss.job where name = ${name} and state = 'created' returning data`.execute(
      context.db,
    );
    if (rows.length === 0) return;
    for (const { data } of rows) await run(context, data, new AbortController().signal);
  }
}
