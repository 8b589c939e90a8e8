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
  oneOfWithDefault,
  record,
  search,
  text,
  word,
} from "#kit/list/define-list.ts";

const daysBounds = "must be a whole number of days from 1 to 36,500";

/** The least number of days overdue. */
const MinDays = z
  .codec(
    z.string().regex(/^\d{1,5}$/, daysBounds),
    z.number().min(1, daysBounds).max(36_500, daysBounds),
    { decode: Number, encode: String },
  )
  .optional();

/** Counted as in receivables: 90 days belong to 61–90. Other numbers can come from the address. */
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

/** Debits with a balance, longest overdue first, or paid debits. */
export const debits = defineList({
  name: "debits",
  title: "Debits",
  thing: "debit",
  path: "/admin/debits",
  columns: {
    debit_id: number("Debit ID"),
    ...attorneyColumns,
    subscription: text("Subscription", { sort: "name" }),
    note: text("Note", { tooltip: "The note of the enrolment or the charge" }),
    description: text("Description"),
    payment_schedule: text("Payment schedule"),
    billing_period: number("Billing period", {
      tooltip: "Counted from 1 at the enrolment's start date",
    }),
    due_on: day("Due date", { sort: "due" }),
    created_on: dayOf("Created on"),
    amount: money("Amount", { sort: "amount", total: "amount" }),
    adjustments: money("Adjustments", { tooltip: "Negative if they decreased the balance" }),
    paid: money("Paid", {
      tooltip: "Card payments, approved checks and credit, less refunds and returned checks",
    }),
    paid_from_credit: money("Paid from credit", { tooltip: "Part of the amount paid" }),
    balance: money("Balance", { sort: "balance", total: "balance" }),
    pending: money("Pending payments", {
      tooltip: "Unconfirmed checks and cards being charged. Still part of the balance.",
      sort: "pending",
      total: "pending",
    }),
    days_overdue: number("Days overdue", {
      tooltip: "Days since the due date, if there is a balance",
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
    state: oneOfWithDefault("open", { open: "Owed", overdue: "Overdue", paid: "Paid" }, "Status"),
    min_days: overdueFor,
    attorney_id: record("attorneys"),
    plan_id: record("plans", "Subscription"),
    firm_id: record("firms", "Firm"),
    search: search("Search by attorney or subscription"),
  },
  report: {
    type: "subscription_debits",
    label: "Subscription debits",
    description: "All dues and charges, one row per debit, with its payments and balance.",
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
