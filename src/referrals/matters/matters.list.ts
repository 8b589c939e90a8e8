import { attorneyColumns } from "#panel/attorney-columns.list.ts";
import { Matter } from "#referrals/matters/contract.ts";
import {
  day,
  dayOf,
  defineList,
  money,
  number,
  oneOf,
  record,
  search,
  text,
  word,
} from "#kit/list/define-list.ts";
import { listEndpoint } from "#kit/list/list-endpoint.ts";

/** The columns that identify a client. */
export const clientColumns = {
  matter_id: number("Referral ID"),
  first_name: text("First name"),
  last_name: text("Last name", { sort: "name" }),
  phone: text("Phone"),
  email: text("Email"),
};

const status = oneOf({ new: "New", open: "Open", closed: "Closed" }, "Status");

const overdue = oneOf({ overdue: "Report overdue" }, "", (report) => `report ${report}`);

/** One filter in an address: a status, or open with an overdue report. */
const statusOptions = [
  { value: "", label: "All" },
  { value: "new", label: "New" },
  { value: "open", label: "Open" },
  { value: "overdue", label: "Report overdue" },
  { value: "closed", label: "Closed" },
];

const statusField = (options: typeof statusOptions) =>
  ({ kind: "choice", label: "Status", usual: "", options: () => options }) as const;

/** An attorney's own referrals are never new: a new one has no attorney. */
export const statusOfOnesOwn = {
  ...status,
  field: statusField(statusOptions.filter(({ value }) => value !== "new")),
};

/** The network's referrals: newest first, or most overdue first. */
export const matters = defineList({
  name: "matters",
  title: "Referrals",
  thing: "referral",
  path: "/admin/matters",
  columns: {
    ...clientColumns,
    address_line_1: text("Address line 1"),
    address_line_2: text("Address line 2"),
    address_city: text("City"),
    address_region: text("State"),
    address_zip: text("Zip"),
    contact_preference: word("Contact preference"),
    followup_consent: word("Follow-up consent"),
    status: word("Status", {
      tooltip: "New: not referred yet. Open: with an attorney. Closed: no more reports are due.",
      sort: "status",
    }),
    ...attorneyColumns,
    submitted_on: dayOf("Submitted on"),
    referred_on: dayOf("Referred on", { sort: "referred", sortsDown: true }),
    closed_on: dayOf("Closed on"),
    report_due_on: day("Report due on", { sort: "due" }),
    last_outcome: word("Last report"),
    last_filed_on: day("Last report on"),
    fees: money("Fees reported", {
      tooltip: "Total of all status reports on the referral",
    }),
    note: text("Note"),
    reference: text("Reference", { tooltip: "The referral’s number in an imported list" }),
  },
  screen: {
    last_name: "Name",
    phone: "Phone and email",
    status: "Status",
    attorney_name: "Attorney",
    referred_on: "Referred",
    report_due_on: "Report due",
  },
  filters: {
    search: search("Search"),
    attorney_id: { ...record("attorneys", "Attorney"), inAddress: "attorney" },
    status: { ...status, field: statusField(statusOptions) },
    report: { schema: overdue.schema, words: overdue.words, inAddress: "status" },
  },
  report: {
    type: "matters",
    label: "Referrals",
    description: "Every client's request, with its attorney and status reports.",
    dates: "either",
    timeModes: {
      submitted_at: "Requests submitted between:",
      referred_at: "Referrals made between:",
      closed_at: "Referrals closed between:",
    },
    byAttorney: true,
  },
});

/** Separate from the other calls, so that attorneys do not load the list. */
export const listMatters = listEndpoint(matters, {
  path: "/matters",
  summary: "Referrals, newest first; with overdue reports, the most overdue first",
  item: Matter,
});
