import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import { listMail } from "#features/mail/contract.ts";
import { listMails } from "#features/mail/mails.ts";

export function mailRoutes(
  app: FastifyInstance,
  settings: { sendsMail: boolean; publicUrl: string },
): void {
  serve(app, listMail, { allow: "admin" }, async ({ tx, actor, query }) => ({
    ...(await listMails(tx, actor, query, settings.publicUrl)),
    delivery: settings.sendsMail ? ("server" as const) : ("disk" as const),
  }));
}
