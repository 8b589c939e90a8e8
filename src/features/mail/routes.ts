import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import { listMail } from "#features/mail/contract.ts";
import { mailRows } from "#features/mail/mail.rows.ts";
import { readMails } from "#features/mail/mails.ts";
import { listPageOf } from "#list/list-page.ts";

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
