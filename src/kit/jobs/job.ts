import type pg from "pg";
import type { MailConfig } from "#kit/ops/config.ts";
import type { Db } from "#kit/db/database.ts";
import type { Standbys } from "#kit/db/standbys.ts";
import type { Clock } from "#kit/http/serve.ts";

export type ReportSource = "standby" | "primary";

/** What a job has at hand. */
export interface JobContext {
  db: Db;
  /** Connections that keep their session, past any pooler. */
  sessions: pg.Pool;
  /** Reports are read there as far as it can be; null or none: on the primary. */
  standbys?: Standbys | null;
  /** Told where a report was read. */
  onReportRead?: (from: ReportSource) => void;
  now: Clock;
  log: (line: string) => void;
  /** Where mails are kept while no server is set. */
  dataDir: string;
  /** Where browsers reach the product, without a trailing slash. */
  publicUrl: string;
  /** The key for secrets at rest. */
  secret: string;
  mail: MailConfig;
}

/**
 * Work that a feature has done by itself, at its hours. One that is given up takes its hours along, by a
 * migration: `delete from pgboss.schedule where name = …`.
 */
export interface Job {
  name: string;
  /** Five fields, UTC. */
  cron: string;
  /** Also once when a worker starts, to make up for what was missed while none ran. */
  atStart?: boolean;
  /** `stopping` is aborted when the worker is about to end: a long run ends early. */
  run: (context: JobContext, stopping?: AbortSignal) => Promise<void>;
}

/**
 * Work that is ordered one by one, each with what it is about (`sendJob`). A migration makes its queue
 * with the settings in `queue.ts`, so that it can be ordered before any worker has run.
 */
export interface OrderedJob {
  name: string;
  /** How many of them a worker does at a time, apart from all other jobs. */
  atOnce: number;
  /** Throws when it is to be begun again; says itself what went wrong. */
  run: (context: JobContext, about: unknown, stopping: AbortSignal) => Promise<void>;
}

export interface Jobs {
  recurring: Job[];
  ordered: OrderedJob[];
}
