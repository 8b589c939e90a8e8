import { checkStatuses } from "#payments/checks/checks.list.ts";
import { day, days, defineList, money, number, oneOf, text, word } from "#kit/list/define-list.ts";

/** A deposit's statuses and their labels. */
export const depositStatuses = { open: "Open", banked: "Banked" } as const;

/** Deposits, newest first. The report has one row per check. */
export const deposits = defineList({
  name: "deposits",
  title: "Deposits",
  thing: "deposit",
  path: "/admin/deposits",
  columns: {
    deposit: number("Deposit", { sort: "number", sortsDown: true }),
    deposited_on: day("Deposited on", { sort: "day", sortsDown: true }),
    account_name: text("Bank account", { sort: "account" }),
    deposit_status: word("Deposit status", { words: depositStatuses, sort: "status" }),
    banked_on: day("Banked on"),
    check_id: number("Check ID"),
    check_number: text("Check number"),
    payer: text("Payer"),
    amount: money("Amount"),
    status: word("Check status", {
      tooltip: "Mixed: some shares were approved and others denied",
      words: checkStatuses,
    }),
    returned_on: day("Returned on"),
    count: number("Checks", { screenOnly: true, sort: "checks", total: "count" }),
    total: money("Total", { screenOnly: true, sort: "total", total: "total" }),
    returned: money("Returned", { screenOnly: true, sort: "returned", total: "returned" }),
  },
  screen: {
    deposit: "Deposit",
    deposited_on: "Date",
    account_name: "Bank account",
    deposit_status: "Status",
    count: "Checks",
    total: "Total",
    returned: "Returned",
  },
  filters: { status: oneOf(depositStatuses, "Status"), ...days() },
  report: {
    type: "deposits",
    label: "Deposits",
    description: "Deposited checks, one row per check, sorted by deposit.",
    dates: "range",
    timeModes: {},
    byAttorney: false,
  },
});
