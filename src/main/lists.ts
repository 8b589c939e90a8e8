import { activity } from "#features/activity/activity.list.ts";
import { attorneys } from "#features/attorneys/attorneys.list.ts";
import { checks } from "#features/checks/checks.list.ts";
import { deposits } from "#features/deposits/deposits.list.ts";
import { firms } from "#features/firms/firms.list.ts";
import { journal } from "#features/journal/journal.list.ts";
import { debits } from "#features/ledger/debits.list.ts";
import { mails } from "#features/mail/mail.list.ts";
import { matters } from "#features/matters/matters.list.ts";
import { payments } from "#features/payments/payments.list.ts";
import { receivables } from "#features/receivables/receivables.list.ts";
import { enrolments } from "#features/subscriptions/enrolments.list.ts";
import { plans } from "#features/subscriptions/plans.list.ts";
import { reports } from "#list/reports.list.ts";

/** The lists whose filters can be saved, by their names. */
export const savedLists = [
  ...[attorneys, matters, checks, payments, debits, deposits, firms, enrolments].map(nameOf),
  ...[activity, plans, mails, receivables, journal, reports].map(nameOf),
];

function nameOf({ name }: { name: string }): string {
  return name;
}
