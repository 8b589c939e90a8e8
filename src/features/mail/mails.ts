import { sql, type SqlBool } from "kysely";
import type { z } from "zod";
import type { Day } from "#domain/day.ts";
import type { Admin } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import type { listMail } from "#features/mail/contract.ts";
import { textOf, withoutLinks } from "#features/mail/outbox.ts";
import { type MailText, renderKnownMail } from "#features/mail/templates.ts";

/** Shown of a mail that a newer process wrote and sends, while an older one still answers. */
const unknownText: MailText = {
  subject: "Mail of a newer version",
  body: "This mail was written by a newer version of this service, which alone can show it.",
};

/** Whether a mail was written on or after a day of the network. */
export const isWrittenFrom = (day: Day, { timeZone }: Pick<Admin, "timeZone">) =>
  sql<SqlBool>`created_at >= ${day}::date::timestamp at time zone ${timeZone}`;

/** The network's mail, newest first: one page, with the total. Single-use links are left out. */
export async function listMails(
  tx: Db,
  admin: Admin,
  query: z.output<typeof listMail.query>,
  publicUrl: string,
) {
  let mails = tx.selectFrom("mails").where("networkId", "=", admin.networkId);
  if (query.status) mails = mails.where("status", "=", query.status);
  if (query.from) mails = mails.where(isWrittenFrom(query.from, admin));
  const { total } = await mails
    .select((count) => count.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const items = await mails
    .select(["id", "recipient", "subject", "body", "facts", "pagePath", "status", "attempts"])
    .select(["lastProblem", "createdAt", "sentAt"])
    .orderBy("id", "desc")
    .limit(query.per_page)
    .offset((query.page - 1) * query.per_page)
    .execute();
  return {
    items: items.map(({ facts, pagePath, ...mail }) => {
      const { subject, body } = renderKnownMail({ ...mail, facts }) ?? unknownText;
      return { ...mail, subject, body: withoutLinks(textOf({ body, pagePath }, publicUrl)) };
    }),
    total,
    page: query.page,
    perPage: query.per_page,
  };
}
