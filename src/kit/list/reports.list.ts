import {
  dayOf,
  day,
  defineList,
  number,
  oneOf,
  text,
  timeOf,
  word,
} from "#kit/list/define-list.ts";

const waiting = oneOf(
  { ready: "Ready, not downloaded yet", failed: "Could not be made" },
  "Show",
  (which) => (which === "ready" ? "not downloaded yet" : "that failed"),
);

/** The stored reports, newest first: all, or those waiting for someone. */
export const reports = defineList({
  name: "reports",
  title: "Reports",
  thing: "report",
  path: "/admin/reports",
  columns: {
    report_id: number("Report ID"),
    report: word("Report", { sort: "report" }),
    list: text("List", { tooltip: "With its filters" }),
    first_on: day("From"),
    last_on: day("To"),
    attorney_id: number("Attorney ID"),
    attorney_name: text("Attorney"),
    ordered_at: timeOf("Ordered", { sort: "ordered", sortsDown: true }),
    ordered_by: text("Ordered by"),
    status: word("Status", { sort: "status" }),
    rows: number("Rows", { sort: "rows" }),
    file_name: text("File"),
    failure: text("Why it failed"),
    kept_until: dayOf("Kept until"),
    actions: word("Actions", { screenOnly: true, actions: true }),
  },
  screen: {
    report: "Report",
    ordered_at: "Ordered",
    status: "Status",
    rows: "Rows",
    kept_until: "Kept until",
    actions: "Actions",
  },
  rowsPerPage: 20,
  filters: { waiting: { ...waiting, inAddress: "show" } },
  report: {
    type: "reports",
    label: "Reports",
    description: "Reports that were requested and are still stored, with the status of each.",
    dates: "either",
    timeModes: {},
    byAttorney: false,
  },
});
