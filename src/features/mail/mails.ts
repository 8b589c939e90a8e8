import type { PageQuery } from "#contract/page.ts";
import type { Admin } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { textOf, withoutLinks } from "#features/mail/outbox.ts";
import { type MailText, renderKnownMail } from "#features/mail/templates.ts";

/** Shown of a mail that a newer process wrote and sends, while an older one still answers. */
const unknownText: MailText = {
  subject: "Mail of a newer version",
  body: "This mail was written by a newer version of this service, which alone can show it.",
};

/** The network's mail, newest first: one page, with the total. Single-use links are left out. */
export async function listMails(tx: Db, admin: Admin, query: PageQuery, publicUrl: string) {
  const mails = tx.selectFrom("mails").where("networkId", "=", admin.networkId);
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
