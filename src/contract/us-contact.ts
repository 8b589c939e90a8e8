import { phoneDigits, regions, zipOf } from "#domain/us-address.ts";
import { line } from "#contract/fields.ts";

/** A US phone number in whatever way it is written, or empty. */
export const Phone = line(50).refine(
  (text) => text === "" || phoneDigits(text) !== null,
  "must be a US phone number, such as (555) 010-4477",
);

/** The two letters of a US state or territory, or empty. */
export const Region = line(50)
  .toUpperCase()
  .refine(
    (text) => text === "" || regions.has(text),
    "must be a US state of two letters, such as NY",
  );

/** A US zip, or empty. */
export const Zip = line(20).refine(
  (text) => text === "" || zipOf(text) !== null,
  "must be a US zip, such as 10013 or 10013-2413",
);
