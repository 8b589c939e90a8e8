import type { Admin } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import type { Mail } from "#outgoing/mail/contract.ts";
import { textOf, withoutLinks } from "#outgoing/mail/outbox.ts";
import { renderKnownMail } from "#outgoing/mail/render-mail.ts";
import { type MailText } from "#outgoing/mail/texts/mail-text.ts";

/** Shown for an email queued by a newer process while an older one answers requests. */
const unknownText: MailText = {
  subject: "Email from a newer version",
  body: "This email was written by a newer version of this service. Only that version can show it.",
};

/** Emails of the network by id, in any order, without the codes of single-use links. */
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
