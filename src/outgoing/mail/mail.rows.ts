import { sql } from "kysely";
import { mails } from "#outgoing/mail/mail.list.ts";
import { renderKnownMail } from "#outgoing/mail/render-mail.ts";
import { allOf, withinDays } from "#kit/list/list-context.ts";
import { rowsOf } from "#kit/list/rows-of.ts";

export const mailRows = rowsOf(mails, {
  from: sql`mails m`,
  networkId: sql`m.network_id`,
  key: sql`m.id`,
  columns: {
    mail_id: sql`m.id`,
    written_at: sql`m.created_at`,
    recipient: { value: sql`m.recipient`, sort: () => [sql`m.recipient`] },
    subject: {
      // A queued email may have only facts; its text is made when it is sent.
      value: sql`jsonb_build_object('subject', m.subject, 'body', case when m.subject is not null then '' end,
        'facts', m.facts)`,
      words: (json) => {
        const stored = JSON.parse(json) as Parameters<typeof renderKnownMail>[0]; // built by `value` above
        return renderKnownMail(stored)?.subject ?? "";
      },
    },
    status: {
      value: sql`case when m.refusal is not null then 'Refused: ' || m.refusal
        when m.status = 'queued' then 'Waiting' when m.status = 'gave_up' then 'Not delivered'
        else initcap(m.status) end`,
      sort: () => [sql`m.status`],
    },
    sent_at: sql`m.sent_at`,
    attempts: sql`m.attempts`,
    problem: sql`m.last_problem`,
  },
  filters: {
    status: (status) => sql`m.status = ${status}`,
    from: (from, context) => allOf(withinDays(sql`m.created_at`, { from }, context)),
  },
  usual: () => [{ value: sql`m.id`, isDescending: true, isNeverNull: true }],
  isReadInOrder: () => true,
  report: { times: { created: { instant: sql`m.created_at` } }, order: sql`m.id desc` },
});
