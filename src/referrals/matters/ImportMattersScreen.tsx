import type { ImportKind } from "#kit/imports/import-kind.tsx";
import { ImportScreen } from "#kit/imports/ImportScreen.tsx";
import { matterImports } from "./contract.ts";

const day = "A day, such as 01/31/2027";

const kind: ImportKind = {
  title: "Import referrals",
  nouns: { one: "referral", many: "referrals" },
  aboutKnown:
    "A referral that is recorded already is known again by its reference, or else by the client’s name and the day it was submitted: its contact details follow the file where the network permits editing of referrals, and it only moves on, from new to open to closed. Suspensions for overdue reports follow at once.",
  endpoints: matterImports,
  exampleName: "referrals-example.csv",
  columns: [
    {
      field: "first_name",
      heading: "First name",
      isNeeded: true,
      says: "The client’s; up to 200 letters",
      examples: ["Ann", "Bea"],
    },
    {
      field: "last_name",
      heading: "Last name",
      isNeeded: true,
      says: "The client’s; up to 200 letters",
      examples: ["Abbott", "Baker-Lind"],
    },
    {
      field: "reference",
      heading: "Reference",
      says: "What your own list knows the referral by. It, or the day submitted, is needed",
      examples: ["R-1001", "R-1002"],
    },
    {
      field: "submitted_on",
      heading: "Submitted on",
      says: `${day}, or 2027-01-31`,
      examples: ["01/05/2026", "01/12/2026"],
    },
    {
      field: "phone",
      heading: "Phone",
      says: "A US number, written in any way",
      examples: ["(212) 555-0147", ""],
    },
    { field: "email", heading: "Email", says: "The client’s", examples: ["", "bea@example.com"] },
    {
      field: "address_line_1",
      heading: "Address line 1",
      says: "Street and number",
      examples: ["12 Harbor Street", ""],
    },
    {
      field: "address_line_2",
      heading: "Address line 2",
      says: "What the first line has no room for",
      examples: ["", ""],
    },
    { field: "address_city", heading: "City", says: "Up to 200 letters", examples: ["Boston", ""] },
    {
      field: "address_region",
      heading: "State",
      says: "Such as NY or New York",
      examples: ["MA", ""],
    },
    {
      field: "address_zip",
      heading: "ZIP code",
      says: "10013 or 10013-2413",
      examples: ["02110", ""],
    },
    {
      field: "contact_preference",
      heading: "Contact preference",
      says: "phone, email or either",
      examples: ["phone", "email"],
    },
    {
      field: "followup_consent",
      heading: "Follow-up consent",
      says: "yes or no: may the client be asked how it went?",
      examples: ["yes", "no"],
    },
    {
      field: "note",
      heading: "Note",
      says: "Up to 2,000 letters, for the attorney",
      examples: ["", ""],
    },
    {
      field: "attorney",
      heading: "Attorney",
      says: "The email address or bar number of an attorney on the panel. Without one the referral is new",
      examples: ["", ""],
    },
    {
      field: "referred_on",
      heading: "Referred on",
      says: `${day}. Needs an attorney`,
      examples: ["", ""],
    },
    {
      field: "last_report_on",
      heading: "Last report on",
      says: `${day}. Needs an attorney`,
      examples: ["", ""],
    },
    {
      field: "closed_on",
      heading: "Closed on",
      says: `${day}. Needs an attorney; without it the referral is open`,
      examples: ["", ""],
    },
  ],
  shown: [
    { value: "name", heading: "Name" },
    { value: "phone", heading: "Phone" },
    { value: "email", heading: "Email" },
    { value: "submitted", heading: "Submitted" },
    { value: "attorney", heading: "Attorney" },
    { value: "status", heading: "Status" },
    { value: "report_due", heading: "Report due" },
  ],
  list: { to: "/admin/matters", label: "Referrals" },
};

/** Imports referrals from a CSV file. */
export function ImportMattersScreen() {
  return <ImportScreen kind={kind} />;
}
