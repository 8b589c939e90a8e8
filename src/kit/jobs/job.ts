import type pg from "pg";
import type { MailConfig } from "#kit/ops/config.ts";
import type { Db } from "#kit/db/database.ts";
import type { Standbys } from "#kit/db/standbys.ts";
import type { Clock } from "#kit/domain/clock.ts";

export type ReportSource = "standby" | "primary";

/** What a job can use. */
export interface JobContext {
  db: Db;
  /** Connections that keep their session, past any pooler. */
  sessions: pg.Pool;
  /** Standbys for reading reports, if possible; null or none: the primary. */
  standbys?: Standbys | null;
  /** Called with where a report was read. */
  onReportRead?: (from: ReportSource) => void;
  now: Clock;
  log: (line: string) => void;
  /** Where emails are saved while no server is set up. */
  dataDir: string;
  /** Where browsers reach the product, without a trailing slash. */
  publicUrl: string;
  /** The key for stored secrets. */
  secret: string;
  mail: MailConfig;
}

/**
 * A feature's recurring work. If a job is dropped, a migration removes its schedule: `delete from pgboss.schedule
 * where name = …`.
 */
export interface Job {
  name: string;
  /** Five fields, UTC. */
  cron: string;
  /** Also run once when a worker starts, to catch up on what was missed while none ran. */
  atStart?: boolean;
  /** `stopping` is aborted when the worker is stopping, so that a long run can end early. */
  run: (context: JobContext, stopping?: AbortSignal) => Promise<void>;
}

/**
 * Work ordered one by one with its own data (`sendJob`). A migration creates its queue with the settings in
 * `queue.ts`, so that it can be ordered before any worker has run.
 */
export interface OrderedJob {
  name: string;
  /** How many of them a worker runs at the same time, apart from other jobs. */
  atOnce: number;
  /** Throws if it is to be retried. Reports itself what went wrong. */
  run: (context: JobContext, about: unknown, stopping: AbortSignal) => Promise<void>;
}

export interface Jobs {
  recurring: Job[];
  ordered: OrderedJob[];
}
