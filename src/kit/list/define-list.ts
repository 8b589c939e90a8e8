import { z } from "zod";
import { formatDay, isDay } from "#kit/domain/day.ts";
import { Day, IdText, line } from "#kit/contract/fields.ts";

/*
 * A list is declared once, in a `*.list.ts` beside its noun: what its rows can show, and what they are found by. Its
 * call, its screen, its saved filters, its report and the words of its filters come from that and from the SQL of
 * its `*.rows.ts` (rows-of.ts).
 */

/** How a value is written on screen, in JSON and in a report. The SQL of `day-of` and `time-of` is an instant. */
export type ColumnKind = "text" | "word" | "money" | "number" | "day" | "day-of" | "time-of";

export interface ColumnOptions {
  /** Explains the column where a report's columns are chosen. */
  tooltip?: string;
  /** The name by which the list's call sorts by it. */
  sort?: string;
  /** Sorted from the latest first; amounts are sorted from the greatest first anyway. */
  sortsDown?: boolean;
  /** Under this name the call's `totals` have its sum over all pages. */
  total?: string;
  /** What people read for each of a word's codes, in a report and in the table. */
  words?: Record<string, string>;
  /** Left out of a table in a window of at most 1,152 px. */
  wideOnly?: boolean;
  /** In the table, and in no report. It needs SQL where it is sorted by or added up. */
  screenOnly?: boolean;
  /** Holds a row's buttons: not printed. */
  actions?: boolean;
  /** In the table only where this holds for the filters. */
  onlyWith?: (filters: Filters) => boolean;
}

export type Column<
  Options extends ColumnOptions = ColumnOptions,
  Kind extends ColumnKind = ColumnKind,
> = Options & { kind: Kind; label: string };

const columnOf =
  <Kind extends ColumnKind>(kind: Kind) =>
  <const Options extends ColumnOptions = Record<never, never>>(
    label: string,
    options?: Options,
  ): Column<Options, Kind> => ({ ...(options as Options), kind, label });

/** What people typed: escaped in a report, where a spreadsheet would run it as a formula. */
export const text = columnOf("text");
/** One of the product's own words, or a code for one. */
export const word = columnOf("word");
/** Whole cents in SQL, dollars elsewhere. */
export const money = columnOf("money");
export const number = columnOf("number");
/** A calendar day. */
export const day = columnOf("day");
/** The network's local day of an instant. */
export const dayOf = columnOf("day-of");
/** The network's local day and time of an instant. */
export const timeOf = columnOf("time-of");

/** What people call the records that filters name by their ids, by the filters' names. */
export type FilterNames = Partial<Record<string, string>>;

/** Of what a filter can name a record: the words before one that is not known by its name. */
const recordWords = { attorneys: "of attorney", firms: "of firm", plans: "for subscription" };
export type RecordKind = keyof typeof recordWords;

interface Option {
  value: string;
  label: string;
}

/** What a filter is chosen with. */
export type FilterField =
  | { kind: "search"; label: string }
  /** `usual`: what an address without this filter shows; empty for all. `all`: what it says for all, else nothing. */
  | {
      kind: "choice";
      label: string;
      usual: string;
      all?: string;
      options: (chosen: string) => readonly Option[];
    }
  /** One of the names that the screen gives (`options`), or all. */
  | { kind: "given"; label: string; all: string }
  | { kind: "record"; label: string; of: RecordKind }
  /** `period`: before it stands a field that sets `from` and `to` together, under this label. */
  | { kind: "day"; label: string; period?: string };

export interface Filter<Schema extends z.ZodType = z.ZodType> {
  /** In the call's query. */
  schema: Schema;
  /** None: it comes from an address only, such as a link's. */
  field?: FilterField;
  /** Whose id it is. */
  of?: RecordKind;
  /** In the screen's address, where that has another name for it than the call; false: it is not among its filters. */
  inAddress?: string | false;
  /** The call's path names the record, and its query does not. */
  inPath?: true;
  /** What is shown for people, as the rest of "Debits, …". `name`: of the record, where it is known. */
  words: (value: string, name: string | undefined) => string;
  /** The filter counts, and its field is shown, only where this holds for the others. */
  onlyWith?: (filters: Filters) => boolean;
  /** It says nothing any more once this one changes. */
  goneWith?: string;
}

/** Filters as an address has them. One that is not set is missing or empty. */
export type Filters = Record<string, string>;

/** Text that is searched for. */
export function search(label: string): Filter<z.ZodOptional<ReturnType<typeof line>>> {
  return {
    schema: line(200).optional(),
    field: { kind: "search", label },
    words: (typed) => `matching “${typed}”`,
  };
}

type Words = (value: string) => string;

/** One of some values, with what people call each. */
export function oneOf<const Labels extends Record<string, string>>(
  labels: Labels,
  label: string,
  words: Words = (value) => (labels[value] ?? value).toLowerCase(),
): Filter<z.ZodOptional<z.ZodEnum<{ [K in keyof Labels & string]: K }>>> {
  return {
    schema: z.enum(keysOf(labels)).optional(),
    field: choice(label, labels, ""),
    words,
  };
}

/** The same, where an address that does not say shows this one, and says "all" for all. The call shows all. */
export function oneOfUsually<const Labels extends Record<string, string>>(
  usual: keyof Labels & string,
  labels: Labels,
  label: string,
  words?: Words,
): ReturnType<typeof oneOf<Labels>> {
  const options = [{ value: "all", label: "All" }, ...optionsOf(labels)];
  return {
    ...oneOf(labels, label, words),
    field: { kind: "choice", label, usual, all: "all", options: () => options },
  };
}

/** The same, where a call that does not say has this one. */
export function oneOfOr<const Labels extends Record<string, string>>(
  usual: keyof Labels & string,
  labels: Labels,
  label: string,
  words: Words = (value) => (labels[value] ?? value).toLowerCase(),
): Filter<z.ZodDefault<z.ZodEnum<{ [K in keyof Labels & string]: K }>>> {
  return {
    schema: z.enum(keysOf(labels)).default(usual as never), // one of the keys
    field: choice(label, labels, usual),
    words,
  };
}

/** The values of such labels, as they are declared. */
export const keysOf = <Labels extends Record<string, string>>(labels: Labels) =>
  Object.keys(labels) as (keyof Labels & string)[]; // of the same labels

const optionsOf = (labels: Record<string, string>): Option[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

const choice = (label: string, labels: Record<string, string>, usual: string): FilterField => {
  const options = optionsOf(labels);
  const offered = usual === "" ? [{ value: "", label: "All" }, ...options] : options;
  return { kind: "choice", label, usual, options: () => offered };
};

/** A record by its id, chosen by its name; without a label it comes from an address only. */
export function record(of: RecordKind, label?: string): Filter<z.ZodOptional<typeof IdText>> {
  const [preposition, thing] = recordWords[of].split(" ");
  return {
    schema: IdText.optional(),
    of,
    ...(label !== undefined && { field: { kind: "record", label, of } }),
    words: (id, name) => `${preposition} ${name ?? `${thing} ${id}`}`,
  };
}

/**
 * From a day to a day, both included: the filters `from` and `to`. `label` says of what they are the days,
 * "Received"; `verb` begins their words, "received from …".
 */
export function days({ label, verb }: { label?: string; verb?: string } = {}): Record<
  "from" | "to",
  Filter<z.ZodOptional<typeof Day>>
> {
  const labelled = (end: string) => (label === undefined ? end : `${label} ${end.toLowerCase()}`);
  const begun = verb === undefined ? "" : `${verb} `;
  return {
    from: {
      schema: Day.optional(),
      field: { kind: "day", label: labelled("From"), period: label ?? "Period" },
      words: (from) => `${begun}from ${dayWords(from)}`,
    },
    to: {
      schema: Day.optional(),
      field: { kind: "day", label: labelled("To") },
      words: (to) => `to ${dayWords(to)}`,
    },
  };
}

const dayWords = (text: string) => (isDay(text) ? formatDay(text) : text);

export type Columns = Record<string, Column>;
export type FiltersOf = Record<string, Filter>;

/** How a report is offered. */
export interface ListReport {
  /** Of `report_type`. */
  type: string;
  label: string;
  /** What the file is for, in a sentence. */
  description: string;
  /**
   * Whether the dialog offers all time or a range, forces a range, or shows no dates. Source: spec §4. `as-of`: a
   * range, of which the last day is the one whose end the rows are of.
   */
  dates: "either" | "range" | "as-of" | "none";
  /** What a range can filter by, with the words of the choice; without any, by the day of creation. */
  timeModes: Record<string, string>;
  /** Offered for one attorney, too. */
  byAttorney: boolean;
  /** It has all of its columns: none are chosen, and the report is requested at once. */
  isWhole?: true;
}

export interface ListDeclaration<
  C extends Columns = Columns,
  F extends FiltersOf = FiltersOf,
  Report extends ListReport = ListReport,
  Screen = { [K in keyof C]?: string },
> {
  /** Of its saved filters. */
  name: string;
  /** Of the screen, and the first word of what it shows. */
  title: string;
  /** "debit"; its plural has an s. */
  thing: string;
  /** The screen's address. */
  path: string;
  /** In the report's order. */
  columns: C;
  /** The columns of the table, in their order, with their headings. The first one names the row. */
  screen: Screen;
  /** Rows of a page, where its table is a part of a screen; else 50. */
  rowsPerPage?: number;
  /** In the order in which their words stand one after another. */
  filters: F;
  report: Report;
}

/** Declare a list. */
export function defineList<
  C extends Columns,
  const Screen extends { [K in keyof C]?: string },
  F extends FiltersOf,
  const Report extends ListReport,
>(list: ListDeclaration<C, F, Report, Screen>): ListDeclaration<C, F, Report, Screen> {
  return list;
}

/** What a list shows, for people: "Checks, pending, received from 11/01/2026". */
export function listWords(
  { title, filters }: Pick<ListDeclaration, "title" | "filters">,
  set: Filters,
  names: FilterNames = {},
): string {
  const parts = Object.entries(filters).flatMap(([name, { words }]) => {
    const value = set[name] ?? "";
    return value === "" ? [] : [words(value, names[name])];
  });
  return parts.length === 0 ? `${title}, all of them` : [title, ...parts].join(", ");
}
