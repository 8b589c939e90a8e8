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

/** In an address, one filter: a status, or open with a report overdue. */
const statusOptions = [
  { value: "", label: "All" },
  { value: "new", label: "New" },
  { value: "open", label: "Open" },
  { value: "overdue", label: "Report overdue" },
  { value: "closed", label: "Closed" },
];

const statusField = (options: typeof statusOptions) =>
  ({ kind: "choice", label: "Status", usual: "", options: () => options }) as const;

/** An attorney's own referrals are never new: a new one belongs to nobody. */
export const statusOfOnesOwn = {
  ...status,
  field: statusField(statusOptions.filter(({ value }) => value !== "new")),
};

/** The network's referrals: the newest first, or the most overdue. */
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
      tooltip: "New: not referred yet. Open: with an attorney. Closed: no report is due any more.",
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
      tooltip: "Of all status reports on the referral, added up",
    }),
    note: text("Note"),
    reference: text("Reference", { tooltip: "What an imported list knows the referral by" }),
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
    description: "Every client's request, to whom it was referred, and what was reported on it.",
    dates: "either",
    timeModes: {
      submitted_at: "Requests submitted between:",
      referred_at: "Referrals made between:",
      closed_at: "Referrals closed between:",
    },
    byAttorney: true,
  },
});

/** Apart from the other calls, so that attorneys do not load the declaration. */
export const listMatters = listEndpoint(matters, {
  path: "/matters",
  summary: "Referrals, newest first; with overdue reports, the most overdue first",
  item: Matter,
});
