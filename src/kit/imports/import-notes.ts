import { separatorWords, type Table } from "#kit/imports/csv-table.ts";
import { splitFirstLast, splitLastFirst } from "#kit/imports/field-parts.ts";

/** Whole sentences about how a file was read in an unexpected way. */
export function notesOf({
  namedSeparator,
  fields,
  samples,
}: Pick<Table<unknown>, "namedSeparator" | "fields" | "samples">): string[] {
  const notes: string[] = [];
  if (namedSeparator) {
    const name = separatorWords[namedSeparator];
    notes.push(`The first line names the separator, so values are separated by ${name}s.`);
  }
  for (const [index, field] of fields.entries()) {
    const split = field === "name_last_first" ? splitLastFirst : splitFirstLast;
    if (field === "name_last_first" || field === "name_first_last")
      notes.push(...(samples.get(index) ?? []).map((name) => splitSentence(name, split(name))));
  }
  return notes;
}

function splitSentence(name: string, { first, last }: { first: string; last: string }): string {
  const says = (text: string) => (text ? `“${text}”` : "nothing");
  return `“${name}” is read as first name ${says(first)}, last name ${says(last)}.`;
}
