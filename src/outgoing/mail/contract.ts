import { z } from "zod";
import { Id, Timestamp } from "#kit/contract/fields.ts";
import { mails } from "#outgoing/mail/mail.list.ts";
import { listEndpoint } from "#kit/list/list-endpoint.ts";

export const Mail = z.object({
  id: Id,
  recipient: z.string(),
  subject: z.string(),
  body: z.string(),
  status: mails.filters.status.schema.unwrap(),
  attempts: z.number(),
  lastProblem: z.string().nullable(),
  /** Why the recipient's mail server refuses email permanently, such as "no such mailbox"; otherwise null. */
  refusal: z.string().nullable(),
  createdAt: Timestamp,
  sentAt: Timestamp.nullable(),
});
export type Mail = z.output<typeof Mail>;

export const listMail = listEndpoint(mails, {
  path: "/mail",
  summary: "The network's email, newest first, and whether a server sends it or it is only saved",
  item: Mail,
  more: { delivery: z.enum(["server", "disk"]) },
});
