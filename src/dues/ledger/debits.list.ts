import { z } from "zod";
import { attorneyColumns } from "#panel/attorney-columns.list.ts";
import { DebitOfAttorney } from "#dues/ledger/contract.ts";
import { listEndpoint } from "#kit/list/list-endpoint.ts";
import {
  day,
  dayOf,
  defineList,
  type Filter,
  money,
  number,
  oneOfOr,
  record,
  search,
  text,
  word,
} from "#kit/list/define-list.ts";

const daysBounds = "must be a whole number of days from 1 to 36,500";

/** Overdue by at least so many days. */
const MinDays = z
  .codec(
    z.string().regex(/^\d{1,5}$/, daysBounds),
    z.number().min(1, daysBounds).max(36_500, daysBounds),
    { decode: Number, encode: String },
  )
  .optional();

/** As the ages of what is owed are counted: 90 days still belong to 61–90. Another number comes from an address. */
const overdueFor: Filter<typeof MinDays> = {
  schema: MinDays,
  field: {
    kind: "choice",
    label: "Overdue for",
    usual: "",
    options: (chosen) => [
      { value: "", label: "Any time" },
      ...[...new Set(["31", "61", "91", ...(chosen === "" ? [] : [chosen])])].map((value) => ({
        value,
        label: `Over ${Number(value) - 1} days`,
      })),
    ],
  },
  words: (atLeast) => `overdue for over ${Number(atLeast) - 1} days`,
  onlyWith: ({ state }) => state !== "paid",
};

/** What attorneys were charged: all that is owed, the longest first; or what is paid. */
export const debits = defineList({
  name: "debits",
  title: "Debits",
  thing: "debit",
  path: "/admin/debits",
  columns: {
    debit_id: number("Debit ID"),
    ...attorneyColumns,
    subscription: text("Subscription", { sort: "name" }),
    note: text("Note", { tooltip: "The note of the attorney's enrolment, or of the charge" }),
    description: text("Description"),
    payment_schedule: text("Payment schedule"),
    billing_period: number("Billing period", {
      tooltip: "Counted from 1 at the enrolment's start date",
    }),
    due_on: day("Due date", { sort: "due" }),
    created_on: dayOf("Created on"),
    amount: money("Amount", { sort: "amount", total: "amount" }),
    adjustments: money("Adjustments", { tooltip: "Negative where they decreased the balance" }),
    paid: money("Paid", {
      tooltip: "Card payments, approved checks and credit, less refunds and returned checks",
    }),
    paid_from_credit: money("Paid from credit", { tooltip: "Part of what is paid" }),
    balance: money("Balance", { sort: "balance", total: "balance" }),
    pending: money("Pending payments", {
      tooltip: "Checks that await confirmation and cards being charged; still part of the balance",
      sort: "pending",
      total: "pending",
    }),
    days_overdue: number("Days overdue", {
      tooltip: "Since the due date, where something is still owed",
    }),
    status: word("Status", {
      tooltip: "Settled, Owed, or Overdue once the due date has passed",
    }),
  },
  screen: {
    attorney_name: "Attorney",
    subscription: "For",
    due_on: "Due",
    days_overdue: "Days overdue",
    amount: "Amount",
    balance: "Owed",
    pending: "Pending",
  },
  filters: {
    state: oneOfOr("open", { open: "Owed", overdue: "Overdue", paid: "Paid" }, "Status"),
    min_days: overdueFor,
    attorney_id: record("attorneys"),
    plan_id: record("plans", "Subscription"),
    firm_id: record("firms", "Firm"),
    search: search("Search by lawyer or subscription"),
  },
  report: {
    type: "subscription_debits",
    label: "Subscription debits",
    description: "What attorneys were charged, one row a debit, with what has become of it.",
    dates: "either",
    timeModes: {
      submitted_at: "Debits created between:",
      due_on: "Debits due between:",
    },
    byAttorney: true,
  },
});

export const listDebits = listEndpoint(debits, {
  path: "/debits",
  summary: "Debits of the network, oldest due first; paid ones newest first",
  item: DebitOfAttorney,
});
