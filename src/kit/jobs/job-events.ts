import { Histogram, type Registry } from "prom-client";
import type { Log } from "#kit/ops/log.ts";

/** One attempt at a job that has ended in this process. */
export interface EndedJob {
  task: string;
  id: string;
  attempt: number;
  ms: number;
  /** What went wrong; null if it succeeded. */
  problem: Error | null;
}

export type JobWatch = (ended: EndedJob) => void;

/** Report each job of this process to the log and the metrics: which, how long, and its outcome. */
export function watchJobs(log: Log, registry: Registry): JobWatch {
  const durations = new Histogram({
    name: "job_duration_seconds",
    help: "Time that jobs took in this process, by task and outcome",
    labelNames: ["task", "outcome"],
    buckets: [0.01, 0.1, 0.5, 1, 5, 30, 120, 600, 3600],
    registers: [registry],
  });
  return ({ task, id, attempt, ms, problem }) => {
    durations.observe({ task, outcome: problem === null ? "done" : "failed" }, ms / 1000);
    const told = { task, job: id, attempt, ms: Math.round(ms) };
    if (problem === null) log.info(told, "a job was done");
    else log.error({ ...told, err: problem }, "a job failed");
  };
}
