import { z } from "zod";
import { dayFromTyping, isDay } from "#kit/domain/day.ts";
import { line, Name, Note } from "#kit/contract/fields.ts";
import { OptionalEmail, Phone, Region, Zip } from "#kit/contract/us-contact.ts";
import type { Layout } from "#kit/imports/columns.ts";
import { contactHeadings } from "#kit/imports/contact-headings.ts";
import { hasAllDigits } from "#kit/imports/contract.ts";
import { contactPreferences, outcomes } from "#referrals/matters/contract.ts";

const dayMessage = "must be a date such as 01/31/2027 or 2027-01-31";

/** A date as spreadsheets write it. */
const FileDay = z
  .string()
  .overwrite((text) => dayFromTyping(text) ?? text)
  .refine(isDay, dayMessage)
  .optional();

/** Our report's words for `either`. */
const eitherWay = "phone or email";

/** The date of the last report. An outcome is ignored: our report has it under a similar heading. */
const ReportDay = z
  .string()
  .transform((text) => (isOutcome(text) ? undefined : text))
  .pipe(FileDay);

const isOutcome = (text: string) =>
  outcomes.some((outcome) => outcome.replaceAll("_", " ") === text.toLowerCase());

const yes = ["yes", "y", "true", "1"];
const no = ["no", "n", "false", "0"];

/** One row of a file of referrals. Empty cells leave a known referral unchanged. */
export const ImportedMatter = z
  .strictObject({
    reference: line(50).check(hasAllDigits).default(""),
    /** Our own number, in a file that we exported; anything else is ignored. */
    referral_id: z
      .string()
      .overwrite((text) => (/^[1-9]\d{0,14}$/.test(text) ? text : ""))
      .default(""),
    first_name: Name,
    last_name: Name,
    phone: Phone.default(""),
    email: OptionalEmail.default(""),
    address_line_1: line(200).default(""),
    address_line_2: line(200).default(""),
    address_city: line(200).default(""),
    address_region: Region.default(""),
    address_zip: Zip.default(""),
    contact_preference: z
      .string()
      .toLowerCase()
      .overwrite((text) => (text === eitherWay ? "either" : text))
      .pipe(z.enum(contactPreferences))
      .optional(),
    followup_consent: z
      .stringbool({ truthy: yes, falsy: no, error: "must be yes or no" })
      .optional(),
    note: Note.default(""),
    submitted_on: FileDay,
    /** An email address or a bar number. */
    attorney: line(200).check(hasAllDigits).default(""),
    referred_on: FileDay,
    last_report_on: ReportDay.optional(),
    closed_on: FileDay,
  })
  .superRefine((row, { issues }) => {
    if (row.reference === "" && !row.submitted_on)
      issues.push({
        code: "custom",
        path: ["reference"],
        input: row.reference,
        message: "must be given if there is no submission date",
      });
  });
export type ImportedMatter = z.output<typeof ImportedMatter>;

export const layout: Layout<typeof ImportedMatter> = {
  details: ImportedMatter,
  otherHeadings: {
    ...contactHeadings,
    reference: ["reference number", "case number", "matter number", "id"],
    first_name: ["client first name", ...contactHeadings.first_name],
    last_name: ["client last name", ...contactHeadings.last_name],
    contact_preference: ["contact by", "prefers"],
    followup_consent: ["follow-up consent", "consent"],
    note: ["notes"],
    submitted_on: ["submitted", "submitted at", "date submitted", "submission date"],
    // Our own report has the attorney's name under "Attorney".
    attorney: ["attorney email", "attorney bar number", "bar number", "attorney", "lawyer"],
    referred_on: ["referred", "referred at", "referral date", "date referred"],
    last_report_on: ["last report", "last status report", "reported on"],
    closed_on: ["closed", "closed at", "date closed"],
  },
  ignoredHeadings: ["status", "attorney id", "report due on", "fees reported"],
};
