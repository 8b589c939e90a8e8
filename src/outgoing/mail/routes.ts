import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { listMail } from "#outgoing/mail/contract.ts";
import { mailRows } from "#outgoing/mail/mail.rows.ts";
import { readMails } from "#outgoing/mail/mails.ts";
import { listPageOf } from "#kit/list/list-page.ts";

export function mailRoutes(
  app: FastifyInstance,
  settings: { sendsMail: boolean; publicUrl: string },
): void {
  serve(app, listMail, { allow: "admin" }, async ({ tx, actor, query, today }) => ({
    ...(await listPageOf(tx, mailRows, { admin: actor, today }, query, (ids) =>
      readMails(tx, actor, ids, settings.publicUrl),
    )),
    delivery: settings.sendsMail ? ("server" as const) : ("disk" as const),
  }));
}
