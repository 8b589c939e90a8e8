import { z } from "zod";
import { endpoint } from "#contract/endpoint.ts";
import { Day, Id, Timestamp } from "#contract/fields.ts";
import { PageQuery, pageOf } from "#contract/page.ts";
import { sortBy } from "#contract/sort.ts";

export const mailStatuses = ["queued", "sent", "gave_up", "withdrawn"] as const;

export const Mail = z.object({
  id: Id,
  recipient: z.string(),
  subject: z.string(),
  body: z.string(),
  status: z.enum(mailStatuses),
  attempts: z.number(),
  lastProblem: z.string().nullable(),
  /** Why the recipient's mail server took it for good no mail, such as "no such mailbox"; null for any other mail. */
  refusal: z.string().nullable(),
  createdAt: Timestamp,
  sentAt: Timestamp.nullable(),
});
export type Mail = z.output<typeof Mail>;

/** What mail is sorted by; the newest stands first without it. */
export const mailColumns = ["to", "written", "status"] as const;

export const listMail = endpoint({
  method: "GET",
  path: "/mail",
  summary: "The network's mail, newest first, and whether a server sends it or it stays on disk",
  query: PageQuery.extend({
    status: z.enum(mailStatuses).optional(),
    /** Written on or after this day of the network. */
    from: Day.optional(),
    sort: sortBy(...mailColumns),
  }),
  object: pageOf(Mail).extend({ delivery: z.enum(["server", "disk"]) }),
});
