import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Id, Timestamp } from "#kit/contract/fields.ts";
import { activity } from "#office/activity/activity.list.ts";
import { listEndpoint } from "#kit/list/list-endpoint.ts";

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

export const listActivity = listEndpoint(activity, {
  path: "/activity",
  summary: "Who changed what, newest first",
  item: Activity,
});

export const listPeople = endpoint({
  method: "GET",
  path: "/activity/people",
  summary: "The names of everyone in the activity, people and jobs, to filter it by",
  object: z.array(z.string()),
});
