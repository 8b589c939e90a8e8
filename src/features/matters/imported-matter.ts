import { z } from "zod";
import { dayFromTyping, isDay } from "#domain/day.ts";
import { line, Name, Note } from "#contract/fields.ts";
import { OptionalEmail, Phone, Region, Zip } from "#contract/us-contact.ts";
import type { Layout } from "#features/imports/csv-table.ts";
import { contactPreferences } from "#features/matters/contract.ts";

const dayMessage = "must be a date such as 01/31/2027 or 2027-01-31";

/** A day as spreadsheets write it. */
const FileDay = z
  .string()
  .overwrite((text) => dayFromTyping(text) ?? text)
  .refine(isDay, dayMessage)
  .optional();

const yes = ["yes", "y", "true", "1"];
const no = ["no", "n", "false", "0"];

/** One row of a file of referrals. What is not given of a known referral stays as it is. */
export const ImportedMatter = z
  .strictObject({
    reference: line(50).default(""),
    first_name: Name,
    last_name: Name,
    phone: Phone.default(""),
    email: OptionalEmail.default(""),
    address_line_1: line(200).default(""),
    address_line_2: line(200).default(""),
    address_city: line(200).default(""),
    address_region: Region.default(""),
    address_zip: Zip.default(""),
    contact_preference: z.string().toLowerCase().pipe(z.enum(contactPreferences)).optional(),
    followup_consent: z
      .stringbool({ truthy: yes, falsy: no, error: "must be yes or no" })
      .optional(),
    note: Note.default(""),
    submitted_on: FileDay,
    /** An email address or a bar number. */
    attorney: line(200).default(""),
    referred_on: FileDay,
    last_report_on: FileDay,
    closed_on: FileDay,
  })
  .superRefine((row, { issues }) => {
    if (row.reference === "" && !row.submitted_on)
      issues.push({
        code: "custom",
        path: ["reference"],
        input: row.reference,
        message:
          "must be given, or the day submitted: one of them tells a referral from the others",
      });
    if (row.attorney === "" && (row.referred_on || row.last_report_on || row.closed_on))
      issues.push({
        code: "custom",
        path: ["attorney"],
        input: row.attorney,
        message: "must be given for a referral that was made, reported on or closed",
      });
  });
export type ImportedMatter = z.output<typeof ImportedMatter>;

export const layout: Layout<typeof ImportedMatter> = {
  details: ImportedMatter,
  alsoCalled: {
    reference: ["reference number", "case number", "matter number", "id"],
    first_name: ["given name", "client first name"],
    last_name: ["surname", "family name", "client last name"],
    phone: ["phone number", "telephone"],
    email: ["email address"],
    address_line_1: ["address", "address 1", "street"],
    address_line_2: ["address 2"],
    address_city: ["city"],
    address_region: ["state", "region", "address state"],
    address_zip: ["zip", "zip code", "postal code", "address zip code"],
    contact_preference: ["contact by", "prefers"],
    followup_consent: ["follow-up consent", "consent"],
    note: ["notes"],
    submitted_on: ["submitted", "submitted at", "date submitted", "submission date"],
    attorney: ["attorney email", "attorney bar number", "lawyer"],
    referred_on: ["referred", "referred at", "referral date", "date referred"],
    last_report_on: ["last report", "last status report", "reported on"],
    closed_on: ["closed", "closed at", "date closed"],
  },
};
