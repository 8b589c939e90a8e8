import type { Clock } from "#server/serve.ts";
import type { Db } from "#server/database.ts";

/** Work that a feature has done by itself, at its hours. */
export interface Job {
  name: string;
  /** Five fields, UTC. */
  cron: string;
  /** Also once when a worker starts, to make up for what was missed while none ran. */
  atStart?: boolean;
  run: (db: Db, now: Clock) => Promise<void>;
}
