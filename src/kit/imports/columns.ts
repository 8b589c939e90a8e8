import { z } from "zod";
import { cleaned } from "#kit/domain/cleaned.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { maxHeadingLength } from "#kit/imports/contract.ts";
import { partNames } from "#kit/imports/field-parts.ts";

/** What the columns of a file hold, one record of the contract a row. */
export interface Layout<Details extends z.ZodObject> {
  details: Details;
  /**
   * What a column may be headed besides the field's own name; case, spaces and signs do not matter. Where several
   * columns hold a field, the first of these names that has a value in a row counts; the field's own name comes
   * before all, unless it is among them.
   */
  alsoCalled: { [Field in keyof z.input<Details>]?: readonly string[] };
  /** Headings of our own reports that say nothing of such a record: nobody is asked about them. */
  saysNothing: readonly string[];
}

/** What a network has said that a column holds, by its heading as `headingKey` has it: a field, or `leftOut`. */
export type RememberedColumns = ReadonlyMap<string, string>;

/** Of a column that the network has said holds nothing of such a record. */
export const leftOut = "none";

export interface Columns {
  /** The headers of all columns, as they are written; very long ones as far as they are shown. */
  headers: string[];
  /** The field that each column holds, null for none. */
  fields: (string | null)[];
  /** Each field that the file holds, with its columns, the one that counts first. */
  holders: [field: string, columns: number[]][];
  /** The columns that the product does not know by their headings: what they hold can be said. */
  asked: number[];
  /** Needed fields that no column holds. */
  missing: string[];
}

/** Which columns hold what. Throws a Refusal when two have the same heading. */
export function columnsOf<Details extends z.ZodObject>(
  written: string[],
  layout: Layout<Details>,
  remembered: RememberedColumns,
): Columns {
  const headers = written.map(shownHeading);
  const names = namesOf(layout);
  const silent = new Set(["row", "what is wrong", ...layout.saysNothing].map(headingKey));
  const keys = headers.map(headingKey);
  const placed = keys.map((key) => names.get(key) ?? rememberedPlace(remembered.get(key), names));
  const twice = placed.find(
    (place, index) => place?.isKnown && keys.indexOf(keys[index] ?? "") < index,
  );
  if (twice) throw new Refusal(422, `Two columns of the file hold the ${words(twice.field)}.`);
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

/** A heading in one line without invisible letters: with line breaks, for one, it could not be said what it holds. */
function shownHeading(written: string): string {
  return cleaned(written.replace(/\p{Cc}+/gu, " "))
    .trim()
    .slice(0, maxHeadingLength);
}

interface Place {
  field: string;
  /** Of several columns for a field, the one with the lowest rank counts. */
  rank: number;
  /** By the product; else the network has said so. */
  isKnown: boolean;
}

function namesOf<Details extends z.ZodObject>({
  details,
  alsoCalled,
}: Layout<Details>): Map<string, Place> {
  const names = new Map<string, Place>();
  const add = (field: string, others: readonly string[]) => {
    const own = field.replaceAll("_", " ");
    for (const [rank, name] of (others.includes(own) ? others : [own, ...others]).entries())
      names.set(headingKey(name), { field, rank, isKnown: true });
  };
  for (const field of Object.keys(details.shape)) {
    const others: Record<string, readonly string[] | undefined> = alsoCalled;
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

/** What can be said of a column: that it holds one of these. */
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

/** That needed columns are missing, by their names. */
export function missingRefusal({ headers, missing }: Columns): Refusal {
  const hint =
    headers.length === 1 ? " Columns must be separated by commas, semicolons or tabs." : "";
  const named = missing.map(words).join(" or ");
  return new Refusal(422, `The file has no column headed ${named}.${hint}`);
}

/** "E-mail Address" and "email_address" are the same heading, and so are "Téléphone" and "Telephone". */
export function headingKey(header: string): string {
  const letters = header
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
  return (letters || header.trim()).slice(0, 200);
}

function words(field: string): string {
  return `"${field.replaceAll("_", " ")}"`;
}

/** A column as spreadsheets call it: A, B, … Z, AA. */
export function columnLetters(index: number): string {
  const rest = Math.floor(index / 26);
  return `${rest > 0 ? columnLetters(rest - 1) : ""}${String.fromCodePoint(65 + (index % 26))}`;
}
