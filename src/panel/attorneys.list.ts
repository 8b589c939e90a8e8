import { z } from "zod";
import {
  day,
  dayOf,
  defineList,
  type Filter,
  money,
  number,
  oneOf,
  record,
  search,
  text,
  word,
} from "#kit/list/define-list.ts";

/** The most attorneys that one request can choose by id. */
export const maxAttorneyIds = 1000;

const owedFor = z.enum(["any", "30", "60", "90"]).optional();

/** Owes anything, or something due more than this many days ago. */
const owes: Filter<typeof owedFor> = {
  schema: owedFor,
  field: {
    kind: "choice",
    label: "Owes",
    usual: "",
    options: () => [
      { value: "", label: "All" },
      { value: "any", label: "Anything" },
      { value: "30", label: "For over 30 days" },
      { value: "60", label: "For over 60 days" },
      { value: "90", label: "For over 90 days" },
    ],
  },
  words: (days) => (days === "any" ? "owing anything" : `owing for over ${days} days`),
};

const idList = z
  .string()
  .regex(/^[1-9]\d{0,14}(,[1-9]\d{0,14})*$/, "must be attorney ids separated by commas")
  .refine((ids) => ids.split(",").length <= maxAttorneyIds, "must name at most 1,000 attorneys")
  .optional();

/** Attorney ids such as "17,23", including attorneys who have left. */
const ids: Filter<typeof idList> = {
  schema: idList,
  inAddress: false,
  words: (chosen) => `(${chosen.split(",").length.toLocaleString("en-US")} chosen)`,
};

/** The panel, by last name. Attorneys who have left appear only with status "left". */
export const attorneys = defineList({
  name: "attorneys",
  title: "Attorneys",
  thing: "attorney",
  path: "/admin/attorneys",
  columns: {
    name: text("Name", { sort: "name", screenOnly: true }),
    attorney_id: number("Attorney ID"),
    first_name: text("First name"),
    last_name: text("Last name"),
    email: text("Email", { sort: "email", wideOnly: true }),
    phone: text("Phone", { sort: "phone" }),
    bar_number: text("Bar number"),
    address_line_1: text("Address line 1"),
    address_line_2: text("Address line 2"),
    address_city: text("City"),
    address_region: text("State"),
    address_zip: text("Zip"),
    status: word("Status", {
      tooltip: "Attorneys who are suspended or on vacation receive no new referrals",
      sort: "status",
    }),
    paused_until: day("Vacation until"),
    suspended_on: dayOf("Suspended on"),
    suspension_reason: text("Reason for suspension"),
    added_on: dayOf("Added on"),
    has_account: word("Has an account", { tooltip: "Whether the attorney has been invited" }),
    subscriptions: number("Subscriptions", { tooltip: "How many are active" }),
    balance: money("Balance", {
      tooltip: "Everything owed, due or not",
      sort: "balance",
      total: "balance",
    }),
    overdue: money("Overdue", {
      tooltip: "The part of the balance past its due date",
      sort: "overdue",
      total: "overdue",
    }),
    pending: money("Pending payments"),
    credit: money("Credit", { tooltip: "Money received but not yet applied to a debit" }),
    open_referrals: number("Open referrals"),
    firm: text("Firm", { sort: "firm", wideOnly: true }),
    overdue_since: day("Overdue since", { sort: "since" }),
    last_signed_in_on: dayOf("Last signed in on", {
      sort: "signed_in",
      sortsDown: true,
      wideOnly: true,
    }),
    left_on: day("Left on"),
  },
  screen: {
    name: "Name",
    email: "Email",
    phone: "Phone",
    firm: "Firm",
    status: "Status",
    balance: "Balance",
    overdue: "Overdue",
    overdue_since: "Overdue since",
    last_signed_in_on: "Last sign-in",
  },
  filters: {
    search: search("Search"),
    status: oneOf(
      { active: "Active", paused: "On vacation", suspended: "Suspended", left: "Left" },
      "Status",
    ),
    owes,
    /** Attorneys with an active enrolment in the plan. */
    plan_id: {
      ...record("plans", "Subscription"),
      words: (id, name) => `with ${name ?? `subscription ${id}`}`,
    },
    firm_id: record("firms", "Firm"),
    signed_in: oneOf({ never: "Never" }, "Signed in", () => "never signed in"),
    /** The mail server refused the last email to the address. */
    email: oneOf({ refused: "Refused" }, "Email", () => "with refused email"),
    ids,
  },
  report: {
    type: "attorneys",
    label: "Attorneys",
    description: "The panel on the day of the report, with what each attorney owes.",
    dates: "none",
    timeModes: {},
    byAttorney: false,
  },
});
