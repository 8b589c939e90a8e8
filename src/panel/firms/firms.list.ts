import { defineList, money, number, search, text } from "#kit/list/define-list.ts";

/** The law firms whose lawyers are on the panel. */
export const firms = defineList({
  name: "firms",
  title: "Firms",
  thing: "firm",
  path: "/admin/firms",
  columns: {
    firm_id: number("Firm ID"),
    name: text("Name", { sort: "name" }),
    billing_email: text("Billing email"),
    lawyers: number("Attorneys", { sort: "lawyers" }),
    balance: money("Owed", {
      tooltip: "The total for all of its attorneys, due or not",
      sort: "owed",
      total: "balance",
    }),
    credit: money("Credit", {
      tooltip: "The total for all of its attorneys",
      sort: "credit",
      total: "credit",
    }),
  },
  screen: { name: "Name", lawyers: "Attorneys", balance: "Owed", credit: "Credit" },
  filters: { search: search("Search") },
  report: {
    type: "firms",
    label: "Firms",
    description: "The law firms on the day of the report, with what their attorneys owe.",
    dates: "none",
    timeModes: {},
    byAttorney: false,
  },
});
