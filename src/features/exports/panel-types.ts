import { sql } from "kysely";
import { byPerson } from "#db/sort.ts";
import { IdText } from "#contract/fields.ts";
import { listAttorneys } from "#features/attorneys/contract.ts";
import { isPaused } from "#features/attorneys/vacation.ts";
import { dayOf, money, type ExportDefinition, text, yesOrNo } from "#list/report.ts";
import { attorneyColumns } from "#features/exports/shared-columns.ts";
import { wordsOf } from "#features/lists/shapes.ts";
import { ofList } from "#list/report-filters.ts";
import { isListedAttorney } from "#features/lists/attorneys.ts";
import { debitedOfAll, isListedEnrolment } from "#features/lists/enrolments.ts";
import { listPlanEnrolments, listPlans } from "#features/subscriptions/contract.ts";

/** The list of a plan's enrolments names the plan in its path. */
const planEnrolments = { query: listPlanEnrolments.query.extend({ plan_id: IdText }) };

export const attorneys: ExportDefinition = {
  value: "attorneys",
  label: "Attorneys",
  description:
    "The panel as it is on the day on which the report is made, with what each attorney owes.",
  columns: [
    { value: "attorney_id", label: "Attorney ID", cell: sql`a.id` },
    { value: "first_name", label: "First name", cell: text(sql`a.first_name`) },
    { value: "last_name", label: "Last name", cell: text(sql`a.last_name`) },
    { value: "email", label: "Email", cell: text(sql`a.email`) },
    { value: "phone", label: "Phone", cell: text(sql`a.phone`) },
    { value: "bar_number", label: "Bar number", cell: text(sql`a.bar_number`) },
    { value: "address_line_1", label: "Address line 1", cell: text(sql`a.address_line_1`) },
    { value: "address_line_2", label: "Address line 2", cell: text(sql`a.address_line_2`) },
    { value: "address_city", label: "City", cell: text(sql`a.address_city`) },
    { value: "address_region", label: "State", cell: text(sql`a.address_region`) },
    { value: "address_zip", label: "Zip", cell: text(sql`a.address_zip`) },
    {
      value: "status",
      label: "Status",
      tooltip: "Attorneys who are suspended or on vacation receive no new referrals",
      cell: ({ today }) => sql`case when a.left_on is not null then 'Left'
        when a.suspended_at is not null then 'Suspended'
        when ${isPaused(today)} then 'On vacation' else 'Active' end`,
    },
    {
      value: "paused_until",
      label: "Vacation until",
      cell: ({ today }) => sql`case when ${isPaused(today)} then a.paused_until end`,
    },
    { value: "suspended_on", label: "Suspended on", cell: dayOf(sql`a.suspended_at`) },
    {
      value: "suspension_reason",
      label: "Reason for suspension",
      cell: text(sql`a.suspension_reason`),
    },
    { value: "added_on", label: "Added on", cell: dayOf(sql`a.created_at`) },
    {
      value: "has_account",
      label: "Has an account",
      tooltip: "Whether the attorney has been invited",
      cell: yesOrNo(sql`u.id is not null`),
    },
    {
      value: "subscriptions",
      label: "Subscriptions",
      tooltip: "How many are active",
      cell: sql`coalesce(enrolled.enrolments, 0)`,
    },
    {
      value: "balance",
      label: "Balance",
      tooltip: "All that is owed, due or not",
      cell: money(sql`coalesce(owed.balance_cents, 0)`),
    },
    {
      value: "overdue",
      label: "Overdue",
      tooltip: "What of the balance is past its due date",
      cell: money(sql`coalesce(owed.overdue_cents, 0)`),
    },
    {
      value: "pending",
      label: "Pending payments",
      cell: money(sql`coalesce(owed.pending_cents, 0)`),
    },
    {
      value: "credit",
      label: "Credit",
      tooltip: "Money received and not applied to a debit yet",
      cell: money(sql`coalesce(held.left_cents, 0)`),
    },
    {
      value: "open_referrals",
      label: "Open referrals",
      cell: sql`coalesce(referred.matters, 0)`,
    },
    { value: "firm", label: "Firm", cell: text(sql`f.name`) },
    {
      value: "overdue_since",
      label: "Overdue since",
      cell: sql`owed.overdue_since`,
    },
    {
      value: "last_signed_in_on",
      label: "Last signed in on",
      cell: dayOf(sql`u.last_signed_in_at`),
    },
    { value: "left_on", label: "Left on", cell: sql`a.left_on` },
  ],
  hasChoice: true,
  filters: [],
  timeFilterPermissions: "none",
  timeFilterModes: [],
  ofList: ofList(wordsOf("attorneys"), listAttorneys, (context, wanted) =>
    isListedAttorney(context, wanted, isPaused(context.today)),
  ),
  usually: sql`a.left_on is null`,
  // Added up once for all attorneys; PostgreSQL leaves out the joins that no chosen column needs.
  rows: ({ networkId, today }) => sql`from attorneys a
    left join users u on u.network_id = a.network_id and u.attorney_id = a.id
    left join firms f on f.network_id = a.network_id and f.id = a.firm_id
    left join (
      select attorney_id, count(*) as enrolments from enrolments
      where network_id = ${networkId} and archived_at is null group by attorney_id
    ) as enrolled on enrolled.attorney_id = a.id
    left join (
      select attorney_id, sum(balance_cents) as balance_cents, sum(pending_cents) as pending_cents,
        sum(balance_cents) filter (where due_on < ${today}::date) as overdue_cents,
        min(due_on) filter (where due_on < ${today}::date and balance_cents > 0) as overdue_since
      from debits where network_id = ${networkId} group by attorney_id
    ) as owed on owed.attorney_id = a.id
    left join (
      select attorney_id, sum(left_cents) as left_cents from credits
      where network_id = ${networkId} and left_cents > 0 group by attorney_id
    ) as held on held.attorney_id = a.id
    left join (
      select attorney_id, count(*) as matters from matters
      where network_id = ${networkId} and status = 'open' group by attorney_id
    ) as referred on referred.attorney_id = a.id
    where a.network_id = ${networkId}`,
  order: byPerson("a"),
};

export const subscriptions: ExportDefinition = {
  value: "subscriptions",
  label: "Subscriptions",
  description: "What attorneys can be enrolled in, with how many are and what it has brought.",
  columns: [
    { value: "subscription_id", label: "Subscription ID", cell: sql`p.id` },
    { value: "name", label: "Name", cell: text(sql`p.name`) },
    { value: "description", label: "Description", cell: text(sql`p.description`) },
    {
      value: "payment_schedule",
      label: "Payment schedule",
      cell: text(sql`payment_schedule(p.amount_cents, p.frequency_in_months)`),
    },
    { value: "amount", label: "Amount", cell: money(sql`p.amount_cents`) },
    { value: "enrolled", label: "Enrolled", cell: sql`p.enrolled_count` },
    { value: "billed", label: "Billed", cell: money(sql`coalesce(debited.billed, 0)`) },
    { value: "owed", label: "Owed", cell: money(sql`coalesce(debited.owed, 0)`) },
    { value: "created_on", label: "Created on", cell: dayOf(sql`p.created_at`) },
    { value: "archived_on", label: "Archived on", cell: dayOf(sql`p.archived_at`) },
  ],
  hasChoice: true,
  filters: [],
  timeFilterPermissions: "none",
  timeFilterModes: [],
  ofList: ofList(wordsOf("plans"), listPlans, () => sql`p.archived_at is null`),
  rows: ({ networkId }) => sql`from plans p
    left join (
      select e.plan_id, sum(d.amount_cents) as billed, sum(d.balance_cents) as owed
      from debits d join enrolments e on e.network_id = d.network_id and e.id = d.enrolment_id
      where d.network_id = ${networkId} group by e.plan_id
    ) as debited on debited.plan_id = p.id
    where p.network_id = ${networkId}`,
  order: sql`p.id desc`,
};

export const enrolments: ExportDefinition = {
  value: "enrolments",
  label: "Enrolments",
  description: "Who is or was enrolled in each subscription, with what it has brought.",
  columns: [
    { value: "enrolment_id", label: "Enrolment ID", cell: sql`e.id` },
    ...attorneyColumns,
    { value: "subscription", label: "Subscription", cell: text(sql`p.name`) },
    { value: "note", label: "Note", cell: text(sql`e.note`) },
    {
      value: "payment_schedule",
      label: "Payment schedule",
      cell: text(sql`payment_schedule(p.amount_cents, p.frequency_in_months)`),
    },
    { value: "start_date", label: "Start date", cell: sql`e.start_date` },
    { value: "enrolled_on", label: "Enrolled on", cell: sql`e.enrolled_on` },
    { value: "ended_on", label: "Ended on", cell: dayOf(sql`e.archived_at`) },
    { value: "billed", label: "Billed", cell: money(sql`coalesce(debited.billed, 0)`) },
    { value: "owed", label: "Owed", cell: money(sql`coalesce(debited.owed, 0)`) },
  ],
  hasChoice: true,
  filters: ["attorneys"],
  timeFilterPermissions: "either",
  timeFilterModes: [],
  createdAt: sql`e.created_at`,
  ofList: ofList(wordsOf("enrolments"), planEnrolments, isListedEnrolment),
  rows: ({ networkId }) => sql`from enrolments e
    join plans p on p.network_id = e.network_id and p.id = e.plan_id
    join attorneys a on a.network_id = e.network_id and a.id = e.attorney_id ${debitedOfAll(networkId)}
    where e.network_id = ${networkId}`,
  attorneyId: sql`e.attorney_id`,
  order: sql`e.id`,
};
