import { folded } from "#kit/domain/folded.ts";

/* Columns with part of a field, or two fields at once. Their values are moved to the fields before a row is read. */

/** Each part's possible headings; null if only people can choose it. */
export const partNames: Record<string, readonly string[] | null> = {
  middle_name: ["middle initial", "middle"],
  suffix: ["name suffix", "generation"],
  zip_plus_four: ["zip plus 4", "zip+4", "zip 4", "plus four", "plus 4"],
  name_first_last: null,
  name_last_first: null,
};

/** A row's fields, from the values of its columns. */
export function joinedParts(given: Record<string, string>): Record<string, string> {
  const {
    middle_name: middle,
    suffix,
    zip_plus_four: plusFour,
    name_first_last: firstLast,
    name_last_first: lastFirst,
    ...fields
  } = given;
  const name = lastFirst ? splitLastFirst(lastFirst) : firstLast ? splitFirstLast(firstLast) : null;
  if (name?.first) fields["first_name"] ??= name.first;
  if (name?.last) fields["last_name"] ??= name.last;
  const { first_name: first, last_name: last } = fields;
  if (middle && first && !endsWith(first, middle)) fields["first_name"] = `${first} ${middle}`;
  if (suffix && last && !endsWith(last, suffix)) fields["last_name"] = `${last}, ${suffix}`;
  if (plusFour) fields["address_zip"] = withPlusFour(fields["address_zip"], plusFour);
  return fields;
}

/** Whether a name already has a part, in any spelling: "Núñez Jr" has "Jr.". */
function endsWith(name: string, part: string): boolean {
  const wordsOf = (text: string) => folded(text).replaceAll(".", "");
  return ` ${wordsOf(name)}`.endsWith(` ${wordsOf(part)}`);
}

function withPlusFour(zip: string | undefined, plusFour: string): string {
  if (!zip) return plusFour;
  return /^\d{5}$/.test(zip) && /^\d{1,4}$/.test(plusFour)
    ? `${zip}-${plusFour.padStart(4, "0")}`
    : zip;
}

export interface SplitName {
  first: string;
  last: string;
}

const suffixes = /^(?:jr|sr|ii|iii|iv|v|esq|esquire|ph\.?d|md|j\.?d)\.?$/i;

/** Words that begin a last name: "de la Cruz", "van der Berg". */
const particles =
  /^(?:d[aeiou]|del|dell[ao]|dos|das|la|le|van|von|der|den|ten|ter|al|el|bin|ibn|st\.?|san|santa)$/i;

/** "Maya R. de la Cruz, Jr.": the last word is the last name, with its particles and suffix. */
export function splitFirstLast(name: string): SplitName {
  const words = name.split(/\s+/);
  let end = words.length;
  while (end > 2 && suffixes.test(words[end - 1] ?? "")) end -= 1;
  let start = end - 1;
  while (start > 1 && particles.test(words[start - 1] ?? "")) start -= 1;
  return start < 1
    ? { first: "", last: name }
    : { first: words.slice(0, start).join(" "), last: words.slice(start).join(" ") };
}

/** "de la Cruz, Maya R." or "Núñez, Jr., José": the last name is before the comma, with a suffix. */
export function splitLastFirst(name: string): SplitName {
  const parts = name.split(",").map((part) => part.trim());
  const [last = "", ...others] = parts.filter(Boolean);
  const ends = others.filter((part) => suffixes.test(part));
  const first = others.filter((part) => !suffixes.test(part)).join(", ");
  return { first, last: [last, ...ends].join(", ") };
}
