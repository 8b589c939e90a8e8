import { paymentStatuses } from "#payments/shapes.ts";
import {
  day,
  dayOf,
  days,
  defineList,
  money,
  number,
  oneOf,
  oneOfWithScreenDefault,
  record,
  search,
  text,
  word,
} from "#kit/list/define-list.ts";

const { pending, approved, denied, returned } = paymentStatuses;

/** The statuses of a check and their labels. Mixed: some shares were approved and others denied. */
export const checkStatuses = { pending, approved, denied, returned, mixed: "Mixed" } as const;

/** Received checks. The screen shows pending ones by default. */
export const checks = defineList({
  name: "checks",
  title: "Checks",
  thing: "check",
  path: "/admin/checks",
  columns: {
    check_id: number("Check ID"),
    check_number: text("Check number", { sort: "number" }),
    payer_kind: word("Payer is", { words: { attorney: "Attorney", firm: "Firm" } }),
    payer: text("Payer", { sort: "payer" }),
    amount: money("Amount", { sort: "amount", total: "amount" }),
    credit: money("Kept as credit", { tooltip: "The part of the amount that pays no debit" }),
    paid_for: word("For", { screenOnly: true }),
    status: word("Status", {
      tooltip: "Mixed: some shares were approved and others denied",
      words: checkStatuses,
      sort: "status",
    }),
    received_on: day("Received on", { sort: "received", sortsDown: true }),
    recorded_on: dayOf("Recorded on"),
    recorded_by: text("Recorded by"),
    decided_on: dayOf("Decided on"),
    decided_by: text("Decided by"),
    returned_on: day("Returned on"),
    return_note: text("Reason of return"),
    deposit: number("Deposit"),
    deposited_on: day("Deposited on"),
    note: text("Note"),
  },
  screen: {
    check_number: "Number",
    payer: "Payer",
    received_on: "Received",
    amount: "Amount",
    paid_for: "For",
    status: "Status",
  },
  filters: {
    status: oneOfWithScreenDefault("pending", checkStatuses, "Status"),
    search: search("Search by number, payer, attorney or amount"),
    attorney_id: record("attorneys"),
    firm_id: record("firms"),
    ...days({ label: "Received", verb: "received" }),
    deposited: oneOf({ true: "In a deposit", false: "Not deposited" }, "Deposit", (is) =>
      is === "true" ? "in a deposit" : "not deposited",
    ),
  },
  report: {
    type: "checks",
    label: "Checks",
    description: "Every check received, one row per check, with its payer and status.",
    dates: "range",
    timeModes: {},
    byAttorney: false,
  },
});
