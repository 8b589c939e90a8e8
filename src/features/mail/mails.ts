import { sql, type SqlBool } from "kysely";
import type { z } from "zod";
import type { Admin } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { orderBy } from "#db/sort.ts";
import { isListedMail } from "#features/lists/mail.ts";
import type { listMail } from "#features/mail/contract.ts";
import { textOf, withoutLinks } from "#features/mail/outbox.ts";
import { type MailText, renderKnownMail } from "#features/mail/templates.ts";

/** Shown of a mail that a newer process wrote and sends, while an older one still answers. */
const unknownText: MailText = {
  subject: "Mail of a newer version",
  body: "This mail was written by a newer version of this service, which alone can show it.",
};

const orders = { to: sql`m.recipient`, written: sql`m.created_at`, status: sql`m.status` };

/** The network's mail, newest first: one page, with the total. Single-use links are left out. */
export async function listMails(
  tx: Db,
  admin: Admin,
  query: z.output<typeof listMail.query>,
  publicUrl: string,
) {
  const mails = tx.selectFrom("mails as m").where(sql<SqlBool>`${isListedMail(admin, query)}`);
  const { total } = await mails
    .select((count) => count.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const items = await mails
    .select(["id", "recipient", "subject", "body", "facts", "pagePath", "status", "attempts"])
    .select(["lastProblem", "refusal", "createdAt", "sentAt"])
    .orderBy(orderBy(query.sort, orders, { usual: sql`m.id desc`, tie: sql`m.id` }))
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
