import type { WorkerEvents } from "graphile-worker";
import { Histogram, type Registry } from "prom-client";
import type { Log } from "#ops/log.ts";

/** Hears what happens to jobs in this process. */
export type JobWatch = (events: WorkerEvents) => void;

/** Tell the log and the metrics of each job that this process does: which, how long, how it went. */
export function watchJobs(log: Log, registry: Registry): JobWatch {
  const durations = new Histogram({
    name: "job_duration_seconds",
    help: "Time that jobs took in this process, by task and outcome",
    labelNames: ["task", "outcome"],
    buckets: [0.01, 0.1, 0.5, 1, 5, 30, 120, 600, 3600],
    registers: [registry],
  });
  return (events) => {
    const begun = new Map<string, number>();
    events.on("job:start", ({ job }) => begun.set(job.id, performance.now()));
    events.on("job:complete", ({ job, error }) => {
      const ms = performance.now() - (begun.get(job.id) ?? performance.now());
      begun.delete(job.id);
      const task = job.task_identifier;
      durations.observe({ task, outcome: error ? "failed" : "done" }, ms / 1000);
      const told = { task, job: job.id, attempt: job.attempts, ms: Math.round(ms) };
      if (error) log.error({ ...told, err: error }, "a job failed");
      else log.info(told, "a job was done");
    });
  };
}
