import { attorneyColumns } from "#features/attorneys/columns.list.ts";
import { paymentMethods, paymentStatuses } from "#features/payments/shapes.ts";
import {
  day,
  dayOf,
  days,
  defineList,
  money,
  number,
  oneOf,
  record,
  search,
  text,
  timeOf,
  word,
} from "#list/define-list.ts";

/** What payments are filtered by: a status, or those that brought money, or those denied in part. */
export const paymentFilters = {
  received: "Received",
  ...paymentStatuses,
  partly_denied: "Denied in part",
} as const;

/** The sums of a list of payments: `received` is what was paid or approved, `partly_denied` the denied parts of checks. */
export const paymentSums = [
  "received",
  "processing",
  "pending",
  "denied",
  "partly_denied",
  "declined",
  "returned",
  "refunded",
  "charged back",
  "failed",
] as const;

/** The columns of a card payment, of every report that has one. */
export const cardColumns = {
  card: text("Card", { tooltip: "Brand and last four digits" }),
  processor: text("Card processor"),
  transaction_id: text("Transaction ID", { tooltip: "The card processor's" }),
};

/** All payments, by card and by check, the newest first. */
export const payments = defineList({
  name: "payments",
  title: "Payments",
  thing: "payment",
  path: "/admin/payments",
  columns: {
    payment_id: number("Payment ID"),
    paid_on: dayOf("Payment date", { sort: "date", sortsDown: true }),
    paid_at: timeOf("Payment time"),
    ...attorneyColumns,
    method: word("Method", { words: paymentMethods, sort: "method" }),
    check_number: text("Check number"),
    received_on: day("Received on"),
    ...cardColumns,
    status: word("Status", { words: paymentStatuses, sort: "status" }),
    amount: money("Amount", {
      tooltip: "Of the attorney's payment, whatever its status",
      sort: "amount",
      total: "amount",
    }),
    credit: money("Kept as credit", { tooltip: "What of the amount pays no debit" }),
    refunded_on: dayOf("Refunded on"),
    returned_on: day("Returned on"),
    recorded_by: text("Recorded by"),
    details: word("Details", { screenOnly: true, actions: true }),
  },
  screen: {
    attorney_name: "Attorney",
    method: "Paid by",
    amount: "Amount",
    status: "Status",
    paid_on: "Date",
    details: "Details",
  },
  filters: {
    method: oneOf(paymentMethods, "Method", (method) =>
      method === "check" ? "by check" : "by card",
    ),
    status: oneOf(paymentFilters, "Status"),
    attorney_id: record("attorneys"),
    ...days({ verb: "made" }),
    search: search("Search by lawyer, number, card or amount"),
  },
  report: {
    type: "payments",
    label: "Payments",
    description:
      "What attorneys have paid, one row a payment, with what it was and what became of it. Declined cards are no payments and left out.",
    dates: "either",
    timeModes: {},
    byAttorney: true,
  },
});
