import { z } from "zod";
import { cleaned } from "#kit/domain/cleaned.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { maxHeadingLength } from "#kit/imports/contract.ts";
import { partNames } from "#kit/imports/field-parts.ts";

/** How a file's columns map to the fields of a record. */
export interface Layout<Details extends z.ZodObject> {
  details: Details;
  /**
   * Other headings for a field; case, spaces and punctuation do not matter. If several columns match, the first of these
   * names with a value in the row counts; the field's own name comes before all, unless it is among them.
   */
  otherHeadings: { [Field in keyof z.input<Details>]?: readonly string[] };
  /** Headings of our own reports that are ignored without asking. */
  ignoredHeadings: readonly string[];
}

/** The network's saved answers, by `headingKey` of the heading: a field, or `leftOut`. */
export type RememberedColumns = ReadonlyMap<string, string>;

/** The answer for a column to leave out. */
export const leftOut = "none";

export interface Columns {
  /** The headings of all columns as written, shortened if very long. */
  headers: string[];
  /** Each column's field, or null. */
  fields: (string | null)[];
  /** Each field in the file with its columns, the one that counts first. */
  holders: [field: string, columns: number[]][];
  /** Columns with unknown headings, which people are asked about. */
  asked: number[];
  /** Needed fields without a column. */
  missing: string[];
}

/** Maps columns to fields. Throws a Refusal if two have the same heading. */
export function columnsOf<Details extends z.ZodObject>(
  written: string[],
  layout: Layout<Details>,
  remembered: RememberedColumns,
): Columns {
  const headers = written.map(shownHeading);
  const names = namesOf(layout);
  const silent = new Set(["row", "what is wrong", ...layout.ignoredHeadings].map(headingKey));
  const keys = headers.map(headingKey);
  const placed = keys.map((key) => names.get(key) ?? rememberedPlace(remembered.get(key), names));
  const twice = placed.find(
    (place, index) => place?.isKnown && keys.indexOf(keys[index] ?? "") < index,
  );
  if (twice)
    throw new Refusal(422, `Two columns of the file contain the ${fieldWords(twice.field)}.`);
  const held = new Map<string, number[]>();
  for (const [index, place] of placed.entries())
    if (place) held.set(place.field, [...(held.get(place.field) ?? []), index]);
  for (const columns of held.values())
    columns.sort((a, b) => (placed[a]?.rank ?? 0) - (placed[b]?.rank ?? 0) || a - b);
  return {
    headers,
    fields: placed.map((place) => place?.field ?? null),
    holders: [...held],
    asked: [...keys.keys()].filter((index) => {
      const key = keys[index] ?? "";
      return (
        key !== "" && !placed[index]?.isKnown && !silent.has(key) && keys.indexOf(key) === index
      );
    }),
    missing: missingFields(layout.details, held),
  };
}

/** A heading on one line without invisible letters, so that people can choose what it contains. */
function shownHeading(written: string): string {
  return cleaned(written.replace(/\p{Cc}+/gu, " "))
    .trim()
    .slice(0, maxHeadingLength);
}

interface Place {
  field: string;
  /** If several columns match a field, the lowest rank counts. */
  rank: number;
  /** Known to the product, not from the network's answers. */
  isKnown: boolean;
}

function namesOf<Details extends z.ZodObject>({
  details,
  otherHeadings,
}: Layout<Details>): Map<string, Place> {
  const names = new Map<string, Place>();
  const add = (field: string, others: readonly string[]) => {
    const own = field.replaceAll("_", " ");
    for (const [rank, name] of (others.includes(own) ? others : [own, ...others]).entries())
      names.set(headingKey(name), { field, rank, isKnown: true });
  };
  for (const field of Object.keys(details.shape)) {
    const others: Record<string, readonly string[] | undefined> = otherHeadings;
    add(field, others[field] ?? []);
  }
  for (const [part, others] of Object.entries(partNames)) if (others) add(part, others);
  return names;
}

function rememberedPlace(holds: string | undefined, names: Map<string, Place>): Place | null {
  const isField =
    holds !== undefined && (holds in partNames || names.get(headingKey(holds))?.field === holds);
  return isField ? { field: holds, rank: Infinity, isKnown: false } : null;
}

/** The fields that people can choose for a column. */
export function choosableFields<Details extends z.ZodObject>({
  details,
}: Layout<Details>): string[] {
  return [...Object.keys(details.shape), ...Object.keys(partNames)];
}

function missingFields(details: z.ZodObject, held: ReadonlyMap<string, unknown>): string[] {
  const hasWholeName = held.has("name_first_last") || held.has("name_last_first");
  const isHeld = (field: string) =>
    held.has(field) || (hasWholeName && (field === "first_name" || field === "last_name"));
  return Object.entries(details.shape)
    .filter(([field, schema]) => !isHeld(field) && !z.safeParse(schema, undefined).success)
    .map(([field]) => field);
}

/** The refusal for missing columns, with their names. */
export function missingRefusal({ headers, missing }: Columns): Refusal {
  const hint =
    headers.length === 1 ? " Columns must be separated by commas, semicolons or tabs." : "";
  const named = missing.map(fieldWords).join(" or ");
  return new Refusal(422, `The file has no column headed ${named}.${hint}`);
}

/** Treats "E-mail Address" and "email_address" as the same heading, also "Téléphone" and "Telephone". */
export function headingKey(header: string): string {
  const letters = header
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
  return (letters || header.trim()).slice(0, 200);
}

function fieldWords(field: string): string {
  return `"${field.replaceAll("_", " ")}"`;
}

/** A column's letters in a spreadsheet: A, B, … Z, AA. */
export function columnLetters(index: number): string {
  const rest = Math.floor(index / 26);
  return `${rest > 0 ? columnLetters(rest - 1) : ""}${String.fromCodePoint(65 + (index % 26))}`;
}
