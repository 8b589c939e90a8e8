import { isEmailAddress } from "#kit/domain/email-text.ts";
import {
  formatPhone,
  phoneDigits,
  stateOf,
  zipBeforeExcel,
  zipOf,
} from "#kit/domain/us-address.ts";
import { emailMessage, EmailText, line } from "#kit/contract/fields.ts";

/*
 * US contact details. Each is stored in one format, or empty.
 */

/** A US phone number, however it is typed: `(555) 010-4477`, `(555) 010-4477 x12`. */
export const Phone = line(50)
  .overwrite(formatPhone)
  .refine(
    (text) => text === "" || phoneDigits(text) !== null,
    "must be a US phone number, such as (555) 010-4477 or (555) 010-4477 x12",
  );

/** The two letters of a US state or territory. Its name is accepted too. */
export const Region = line(50)
  .overwrite((text) => stateOf(text) ?? text)
  .refine(
    (text) => text === "" || stateOf(text) !== null,
    "must be a US state, such as NY or New York",
  );

/** A US zip: `10013` or `10013-2413`. */
export const Zip = line(20)
  .overwrite((text) => zipOf(text) ?? text)
  .check(({ value, issues }) => {
    if (value === "" || zipOf(value) !== null) return;
    const before = zipBeforeExcel(value);
    const zeros = before?.startsWith("00") ? "zeros" : "zero";
    const hint = before ? `. Excel may have dropped the ${zeros}: ${before}?` : "";
    const message = `must be a US zip, such as 10013 or 10013-2413${hint}`;
    issues.push({ code: "custom", message, input: value });
  });

export const OptionalEmail = EmailText.toLowerCase().refine(
  (text) => text === "" || isEmailAddress(text),
  emailMessage,
);
