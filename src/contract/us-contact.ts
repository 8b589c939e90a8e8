import { z } from "zod";
import { formatPhone, phoneDigits, usStates, zipOf } from "#domain/us-address.ts";
import { line } from "#contract/fields.ts";

/*
 * US contact details, each normalized to one format, or empty.
 */

/** A US phone number, in whatever way it is typed: `(555) 010-4477`. */
export const Phone = line(50)
  .overwrite(formatPhone)
  .refine(
    (text) => text === "" || phoneDigits(text) !== null,
    "must be a US phone number, such as (555) 010-4477",
  );

/** The two letters of a US state or territory. */
export const Region = line(50)
  .toUpperCase()
  .refine(
    (text) => text === "" || usStates.has(text),
    "must be a US state of two letters, such as NY",
  );

/** A US zip: `10013` or `10013-2413`. */
export const Zip = line(20)
  .overwrite((text) => zipOf(text) ?? text)
  .refine(
    (text) => text === "" || zipOf(text) !== null,
    "must be a US zip, such as 10013 or 10013-2413",
  );

export const OptionalEmail = line(200)
  .toLowerCase()
  .refine(
    (text) => text === "" || z.email().safeParse(text).success,
    "must be an email address, such as name@example.org",
  );
