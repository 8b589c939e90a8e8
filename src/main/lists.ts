import { activity } from "#office/activity/activity.list.ts";
import { attorneys } from "#panel/attorneys.list.ts";
import { checks } from "#payments/checks/checks.list.ts";
import { deposits } from "#payments/deposits/deposits.list.ts";
import { firms } from "#panel/firms/firms.list.ts";
import { journal } from "#dues/ledger/journal/journal.list.ts";
import { debits } from "#dues/ledger/debits.list.ts";
import { mails } from "#outgoing/mail/mail.list.ts";
import { matters } from "#referrals/matters/matters.list.ts";
import { payments } from "#payments/payments.list.ts";
import { receivables } from "#dues/ledger/receivables/receivables.list.ts";
import { enrolments } from "#dues/plans/enrolments.list.ts";
import { plans } from "#dues/plans/plans.list.ts";
import { reports } from "#kit/list/reports.list.ts";

/** Lists whose filters can be saved, by name. */
export const savedLists = [
  ...[attorneys, matters, checks, payments, debits, deposits, firms, enrolments].map(nameOf),
  ...[activity, plans, mails, receivables, journal, reports].map(nameOf),
];

function nameOf({ name }: { name: string }): string {
  return name;
}
