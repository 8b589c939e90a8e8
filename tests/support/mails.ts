import type { Db } from "#kit/db/database.ts";
import { renderMail } from "#outgoing/mail/render-mail.ts";

/** A network's mails as their readers get them, in the order in which they were queued. */
export async function mailsOf(db: Db, network: { id: number }) {
  const rows = await db
    .selectFrom("mails")
    .select(["recipient", "subject", "body", "facts", "pagePath"])
    .where("networkId", "=", network.id)
    .orderBy("id")
    .execute();
  return rows.map(({ recipient, pagePath, ...stored }) => ({
    recipient,
    ...renderMail(stored),
    pagePath,
  }));
}
