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
  /** Its present name; null for bulk changes and deleted records. */
  recordName: z.string().nullable(),
  /** The attorney whose record, account, debit, … it is. */
  attorneyId: Id.nullable(),
  attorneyName: z.string().nullable(),
  /** The batch id of a Subscribe all that can still be undone. */
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
  summary: "The names of all people and jobs in the activity, to filter by",
  object: z.array(z.string()),
});
