import { z } from "zod";
import { endpoint } from "#contract/endpoint.ts";
import { Day, exactLine, Id, IdText, line, Timestamp } from "#contract/fields.ts";
import { PageQuery, pageOf } from "#contract/page.ts";
import { sortBy } from "#contract/sort.ts";

export const Activity = z.object({
  id: Id,
  at: Timestamp,
  who: z.string(),
  action: z.string(),
  recordType: z.string(),
  recordId: Id.nullable(),
  /** What people call it today; null for many at once, and for what is gone. */
  recordName: z.string().nullable(),
  /** The attorney whose record, account, debit, … it is. */
  attorneyId: Id.nullable(),
  attorneyName: z.string().nullable(),
  /** Of a Subscribe all that can still be undone: the id by which it is. */
  undoBatchId: Id.nullable(),
  before: z.unknown(),
  after: z.unknown(),
});
export type Activity = z.output<typeof Activity>;

/** What the activity is sorted by; the newest stands first without it. */
export const activityColumns = ["time"] as const;

export const listActivity = endpoint({
  method: "GET",
  path: "/activity",
  summary: "Who changed what, newest first",
  query: PageQuery.extend({
    /** A name that `/activity/people` lists, as it was written then. */
    who: exactLine(200).default(""),
    record_type: line(50).default(""),
    record_id: IdText.optional(),
    /** Everything about an attorney: the record, enrolments, debits, payments and referrals. */
    attorney_id: IdText.optional(),
    from: Day.optional(),
    to: Day.optional(),
    sort: sortBy(...activityColumns),
  }),
  object: pageOf(Activity),
});

export const listPeople = endpoint({
  method: "GET",
  path: "/activity/people",
  summary: "The names of everyone in the activity, people and jobs, to filter it by",
  object: z.array(z.string()),
});
