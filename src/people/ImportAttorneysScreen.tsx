import type { ImportKind } from "#kit/imports/import-kind.tsx";
import { ImportScreen } from "#kit/imports/ImportScreen.tsx";
import { attorneyImports } from "./contract.ts";

const kind: ImportKind = {
  title: "Import attorneys",
  nouns: { one: "attorney", many: "attorneys" },
  aboutKnown:
    "An attorney who is on the panel already is known again by bar number or email address, and changed where the file says something else; an empty cell leaves what stands.",
  endpoints: attorneyImports,
  exampleName: "attorneys-example.csv",
  columns: [
    {
      field: "first_name",
      heading: "First name",
      isNeeded: true,
      says: "Up to 200 letters",
      examples: ["Maya", "José"],
    },
    {
      field: "last_name",
      heading: "Last name",
      isNeeded: true,
      says: "Up to 200 letters",
      examples: ["Okafor", "Núñez, Jr."],
    },
    {
      field: "email",
      heading: "Email",
      isNeeded: true,
      says: "Each address once; it is also what the attorney signs in with. A new one for an attorney who has signed in changes once it is confirmed by a link",
      examples: ["maya.okafor@example.com", "jose.nunez@example.com"],
    },
    {
      field: "phone",
      heading: "Phone",
      says: "A US number, written in any way",
      examples: ["(212) 555-0147", "617-555-0134"],
    },
    {
      field: "bar_number",
      heading: "Bar number",
      says: "Each number once",
      examples: ["4471203", ""],
    },
    {
      field: "address_line_1",
      heading: "Address line 1",
      says: "Street and number",
      examples: ["12 Harbor Street", "400 State Street, Suite 9"],
    },
    {
      field: "address_line_2",
      heading: "Address line 2",
      says: "What the first line has no room for",
      examples: ["", ""],
    },
    {
      field: "address_city",
      heading: "City",
      says: "Up to 200 letters",
      examples: ["Boston", "Albany"],
    },
    {
      field: "address_region",
      heading: "State",
      says: "Such as NY or New York",
      examples: ["MA", "NY"],
    },
    {
      field: "address_zip",
      heading: "ZIP code",
      says: "10013 or 10013-2413",
      examples: ["02110", "12207-1234"],
    },
    {
      field: "firm",
      heading: "Firm",
      says: "The law firm's name; a firm that is new is made",
      examples: ["Okafor & Reyes LLP", ""],
    },
  ],
  shown: [
    { value: "name", heading: "Name" },
    { value: "email", heading: "Email" },
    { value: "new_email", heading: "Email once confirmed", onlyIfAny: true },
    { value: "phone", heading: "Phone" },
    { value: "bar_number", heading: "Bar number" },
    { value: "firm", heading: "Firm" },
    { value: "address", heading: "Address" },
  ],
  list: { to: "/admin/attorneys", label: "Attorneys" },
};

/** Imports a panel from a CSV file. */
export function ImportAttorneysScreen() {
  return <ImportScreen kind={kind} />;
}
