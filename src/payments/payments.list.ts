import { z } from "zod";
import { Id, Money, Timestamp } from "#kit/contract/fields.ts";
import { attorneyColumns } from "#panel/attorney-columns.list.ts";
import { paymentMethods, paymentStatuses, Receipt } from "#payments/shapes.ts";
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
} from "#kit/list/define-list.ts";
import { listEndpoint } from "#kit/list/list-endpoint.ts";

/** The filters of payments: a status, received, or denied in part. */
export const paymentFilters = {
  received: "Received",
  ...paymentStatuses,
  partly_denied: "Denied in part",
} as const;

/** The sums of a list of payments. `received`: paid or approved; `partly_denied`: denied parts of checks. */
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

/** The columns of a card payment in every report. */
export const cardColumns = {
  card: text("Card", { tooltip: "Brand and last four digits" }),
  processor: text("Card processor"),
  transaction_id: text("Transaction ID", { tooltip: "The card processor's" }),
};

/** All card and check payments, newest first. */
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
      tooltip: "The whole payment, whatever its status",
      sort: "amount",
      total: "amount",
    }),
    credit: money("Kept as credit", { tooltip: "The part of the amount that pays no debit" }),
    refunded_on: day("Refunded on"),
    returned_on: day("Returned on"),
    recorded_by: text("Recorded by"),
    amount_received: money("Amount received", {
      wideOnly: true,
      tooltip: "The amount without denied, pending, returned, refunded or uncollected parts",
    }),
    refunded: money("Refunded"),
    charged_back: money("Charged back"),
    charged_back_on: day("Charged back on"),
    details: word("Details", { screenOnly: true, actions: true }),
  },
  screen: {
    attorney_name: "Attorney",
    method: "Paid by",
    amount: "Amount",
    amount_received: "Received",
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
    search: search("Search by attorney, number, card or amount"),
  },
  report: {
    type: "payments",
    label: "Payments",
    description:
      "Attorneys' payments, one row per payment, with its method, status and amounts. Declined cards are left out.",
    dates: "either",
    timeModes: {},
    byAttorney: true,
  },
});

/** One payment of one attorney by card or check. */
export const Payment = z.object({
  id: Id,
  attorneyId: Id,
  attorneyName: z.string(),
  method: Receipt.shape.method,
  checkNumber: z.string().nullable(),
  /** The physical check, which may pay for several attorneys. */
  checkId: Id.nullable(),
  card: Receipt.shape.card,
  status: Receipt.shape.status,
  amount: Money,
  denied: Receipt.shape.denied,
  received: Receipt.shape.received,
  createdAt: Timestamp,
});
export type Payment = z.output<typeof Payment>;

/** Separate from the other calls, so that attorneys do not load the list's declaration. */
export const listPayments = listEndpoint(payments, {
  path: "/payments",
  summary: "Payments by card and by check, newest first; declined cards only when asked for",
  item: Payment,
  /** The sums in the order of `paymentSums`, without zeros. */
  totals: { parts: z.array(z.object({ status: z.enum(paymentSums), amount: Money })) },
});
