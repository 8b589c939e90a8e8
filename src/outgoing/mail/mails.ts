import type { Admin } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import type { Mail } from "#outgoing/mail/contract.ts";
import { textOf, withoutLinks } from "#outgoing/mail/outbox.ts";
import { type MailText, renderKnownMail } from "#outgoing/mail/templates.ts";

/** Shown of a mail that a newer process wrote and sends, while an older one still answers. */
const unknownText: MailText = {
  subject: "Mail of a newer version",
  body: "This mail was written by a newer version of this service, which alone can show it.",
};

/** Some of the network's mail, in any order. Single-use links are left out. */
export async function readMails(
  tx: Db,
  { networkId }: Admin,
  ids: number[],
  publicUrl: string,
): Promise<Mail[]> {
  const mails = await tx
    .selectFrom("mails")
    .select(["id", "recipient", "subject", "body", "facts", "pagePath", "status", "attempts"])
    .select(["lastProblem", "refusal", "createdAt", "sentAt"])
    .where("networkId", "=", networkId)
    .where("id", "in", [0, ...ids])
    .execute();
  return mails.map(({ facts, pagePath, ...mail }) => {
    const { subject, body } = renderKnownMail({ ...mail, facts }) ?? unknownText;
    return { ...mail, subject, body: withoutLinks(textOf({ body, pagePath }, publicUrl)) };
  });
}
