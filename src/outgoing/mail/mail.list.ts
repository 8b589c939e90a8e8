import { days, defineList, number, oneOf, text, timeOf, word } from "#kit/list/define-list.ts";

const writtenFrom = days({ label: "Written", verb: "written" }).from;

/** The network's email, newest first, filtered by status and by day written. */
export const mails = defineList({
  name: "mail",
  title: "Email",
  thing: "email",
  path: "/admin/mail",
  columns: {
    mail_id: number("Mail ID"),
    written_at: timeOf("Written", { sort: "written", sortsDown: true }),
    recipient: text("To", { sort: "to" }),
    subject: word("Subject"),
    status: word("Status", { sort: "status" }),
    sent_at: timeOf("Sent"),
    attempts: number("Attempts"),
    problem: text("Last problem"),
  },
  screen: { subject: "Subject", recipient: "To", written_at: "Written", status: "Status" },
  filters: {
    status: oneOf(
      { queued: "Waiting", sent: "Sent", gave_up: "Not delivered", withdrawn: "Withdrawn" },
      "Status",
    ),
    from: { ...writtenFrom, field: { kind: "day", label: "Written from" } },
  },
  report: {
    type: "mail",
    label: "Email",
    description: "One row per email, with its recipient, subject and status.",
    dates: "either",
    timeModes: {},
    byAttorney: false,
  },
});
