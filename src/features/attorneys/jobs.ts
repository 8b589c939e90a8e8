import { sql } from "kysely";
import { plainDate } from "#domain/calendar.ts";
import type { Day } from "#domain/day.ts";
import type { Job } from "#server/jobs.ts";
import { inTransaction } from "#server/transaction.ts";
import { reviewNetwork } from "#features/attorneys/suspension.ts";

/** Every hour, review the suspensions of every network: its day may just have turned. Domain rules §6. */
export const attorneyJobs: Job[] = [
  {
    name: "review-suspensions",
    cron: "5 * * * *",
    atStart: true,
    run: async ({ db, now }) => {
      const { rows } = await sql<{ id: number; today: Day }>`
        select id, (${now().toString()}::timestamptz at time zone time_zone)::date as today
        from networks order by id`.execute(db);
      for (const { id, today } of rows) {
        const doer = { networkId: id, userId: null, name: "Daily review" };
        await inTransaction(db, (tx) => reviewNetwork(tx, doer, plainDate(today)));
      }
    },
  },
];
