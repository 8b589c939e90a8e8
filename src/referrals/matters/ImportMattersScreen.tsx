import type { ImportKind } from "#kit/imports/import-kind.tsx";
import { ImportScreen } from "#kit/imports/ImportScreen.tsx";
import { matterImports } from "./contract.ts";

const day = "A date, such as 01/31/2027";

const kind: ImportKind = {
  title: "Import referrals",
  nouns: { one: "referral", many: "referrals" },
  aboutExisting:
    "Referrals already recorded are matched by reference, or by the client’s name and submission date. Contact details are updated if the network permits editing of referrals. A status only moves forward: new, open, closed. Suspensions for overdue reports are updated immediately.",
  endpoints: matterImports,
  exampleName: "referrals-example.csv",
  columns: [
    {
      field: "first_name",
      heading: "First name",
      isNeeded: true,
      says: "The client’s. Up to 200 characters",
      examples: ["Ann", "Bea"],
    },
    {
      field: "last_name",
      heading: "Last name",
      isNeeded: true,
      says: "The client’s. Up to 200 characters",
      examples: ["Abbott", "Baker-Lind"],
    },
    {
      field: "reference",
      heading: "Reference",
      says: "The referral’s number in your own list. Enter this or the submission date",
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
      says: "A US number in any format",
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
      says: "Apartment, suite or floor",
      examples: ["", ""],
    },
    {
      field: "address_city",
      heading: "City",
      says: "Up to 200 characters",
      examples: ["Boston", ""],
    },
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
      says: "yes or no: may we ask the client how it went?",
      examples: ["yes", "no"],
    },
    {
      field: "note",
      heading: "Note",
      says: "For the attorney. Up to 2,000 characters",
      examples: ["", ""],
    },
    {
      field: "attorney",
      heading: "Attorney",
      says: "An attorney’s email address or bar number. Leave blank for a new referral",
      examples: ["", ""],
    },
    {
      field: "referred_on",
      heading: "Referred on",
      says: `${day}. Only with an attorney`,
      examples: ["", ""],
    },
    {
      field: "last_report_on",
      heading: "Last report on",
      says: `${day}. Only with an attorney`,
      examples: ["", ""],
    },
    {
      field: "closed_on",
      heading: "Closed on",
      says: `${day}. Only with an attorney. Leave blank if open`,
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

export function ImportMattersScreen() {
  return <ImportScreen kind={kind} />;
}
