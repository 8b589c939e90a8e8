import type { Job } from "#server/jobs.ts";
import { confirmWhatIsOpen } from "#features/payments/confirmation.ts";
import { carryOutWhatIsOpen } from "#features/payments/refunds.ts";
import { watchSessions } from "#features/payments/session-watch.ts";
import type { Till } from "#features/payments/till.ts";

/** Every minute, ask the processors about whatever is not known yet. Source: domain rules §4. */
export const paymentJobs = (till: Omit<Till, "db" | "now">): Job[] => [
  {
    name: "confirm-card-payments",
    cron: "* * * * *",
    atStart: true,
    run: async (db, now) => void (await confirmWhatIsOpen({ ...till, db, now })),
  },
  {
    name: "find-charges-of-lost-browsers",
    cron: "* * * * *",
    atStart: true,
    run: async (db, now) => await watchSessions({ ...till, db, now }),
  },
  {
    name: "carry-out-refunds",
    cron: "* * * * *",
    atStart: true,
    run: async (db, now) => await carryOutWhatIsOpen({ ...till, db, now }),
  },
];
