import type { ImportKind } from "#kit/imports/import-kind.tsx";
import { ImportScreen } from "#kit/imports/ImportScreen.tsx";
import { attorneyImports } from "./contract.ts";

const kind: ImportKind = {
  title: "Import attorneys",
  nouns: { one: "attorney", many: "attorneys" },
  aboutExisting:
    "Attorneys already on the panel are matched by bar number or email and updated. Empty cells change nothing.",
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
      says: "Each address once. Attorneys sign in with it. A new address for an attorney who has signed in takes effect after it is confirmed by a link",
      examples: ["maya.okafor@example.com", "jose.nunez@example.com"],
    },
    {
      field: "phone",
      heading: "Phone",
      says: "A US number in any format",
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
      says: "Suite, floor or unit",
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
      says: "The law firm's name. New firms are added",
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
