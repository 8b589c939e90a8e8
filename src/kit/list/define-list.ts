import { z } from "zod";
import { formatDay, isDay } from "#kit/domain/day.ts";
import { Day, IdText, line } from "#kit/contract/fields.ts";

/*
 * A list is declared once, in a `*.list.ts` beside its noun: its columns and filters. Its call, screen, saved
 * filters, report and description come from that and from the SQL in its `*.rows.ts` (rows-of.ts).
 */

/** How a value is written on screen, in JSON and in a report. The SQL of `day-of` and `time-of` is an instant. */
export type ColumnKind = "text" | "word" | "money" | "number" | "day" | "day-of" | "time-of";

export interface ColumnOptions {
  /** Explains the column where a report's columns are chosen. */
  tooltip?: string;
  /** The name for sorting in the list's call. */
  sort?: string;
  /** Sorts newest first at the first press. Amounts always start with the largest. */
  sortsDown?: boolean;
  /** The name of its total over all pages, in the call's `totals`. */
  total?: string;
  /** The words for each code, in a report and in the table. */
  words?: Record<string, string>;
  /** Hidden in windows of at most 1,152 px. */
  wideOnly?: boolean;
  /** In the table but in no report. It needs SQL if it is sorted or totaled. */
  screenOnly?: boolean;
  /** Holds a row's buttons. Not printed. */
  actions?: boolean;
  /** Shown in the table only when true for the filters. */
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

/** Text that people typed. Escaped in a report, so that a spreadsheet does not run it as a formula. */
export const text = columnOf("text");
/** One of the product's own words, or a code for one. */
export const word = columnOf("word");
/** Whole cents in SQL, dollars elsewhere. */
export const money = columnOf("money");
export const number = columnOf("number");
/** A calendar day. */
export const day = columnOf("day");
/** The day of an instant in the network's time zone. */
export const dayOf = columnOf("day-of");
/** The day and time of an instant in the network's time zone. */
export const timeOf = columnOf("time-of");

/** The names of records that filters refer to by id, by the filters' names. */
export type FilterNames = Partial<Record<string, string>>;

/** The words for a record whose name is not known, by kind. */
const recordWords = { attorneys: "of attorney", firms: "of firm", plans: "for subscription" };
export type RecordKind = keyof typeof recordWords;

interface Option {
  value: string;
  label: string;
}

/** The control that sets a filter. */
export type FilterField =
  | { kind: "search"; label: string }
  /**
   * `usual`: the default without this filter in the address; empty for all. `all`: the address's word for all, if
   * any.
   */
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
  /** `period`: the label of a field before it that sets `from` and `to` together. */
  | { kind: "day"; label: string; period?: string };

export interface Filter<Schema extends z.ZodType = z.ZodType> {
  /** In the call's query. */
  schema: Schema;
  /** Without one, the filter comes only from an address, such as a link's. */
  field?: FilterField;
  /** The kind of record whose id it is. */
  of?: RecordKind;
  /** Its name in the screen's address, if it differs from the call's; false: not in the address. */
  inAddress?: string | false;
  /** The record is named in the call's path, not in its query. */
  inPath?: true;
  /**
   * What is shown, for people, as the rest of "Debits, …". `name`: the record's, if known. `set`: all filters.
   * Empty: said by another filter.
   */
  words: (value: string, name: string | undefined, set?: Filters) => string;
  /** The filter applies, and its field is shown, only when true for the other filters. */
  onlyWith?: (filters: Filters) => boolean;
  /** The filter is cleared when this one changes. */
  goneWith?: string;
}

/** Filters as an address has them. A filter that is not set is missing or empty. */
export type Filters = Record<string, string>;

/** A text search. */
export function search(label: string): Filter<z.ZodOptional<ReturnType<typeof line>>> {
  return {
    schema: line(200).optional(),
    field: { kind: "search", label },
    words: (typed) => `matching “${typed}”`,
  };
}

type Words = (value: string) => string;

/** One of several values, with a label for each. */
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

/** As `oneOf`, but an address without it shows this value, and "all" shows all. The call's default is all. */
export function oneOfWithScreenDefault<const Labels extends Record<string, string>>(
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

/** As `oneOf`, but the call's default is this value. */
export function oneOfWithDefault<const Labels extends Record<string, string>>(
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

/** The values of the labels, in the order declared. */
export const keysOf = <Labels extends Record<string, string>>(labels: Labels) =>
  Object.keys(labels) as (keyof Labels & string)[]; // of the same labels

const optionsOf = (labels: Record<string, string>): Option[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

const choice = (label: string, labels: Record<string, string>, usual: string): FilterField => {
  const options = optionsOf(labels);
  const offered = usual === "" ? [{ value: "", label: "All" }, ...options] : options;
  return { kind: "choice", label, usual, options: () => offered };
};

/** A record by its id, chosen by name. Without a label it comes only from an address. */
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
 * A range of days, both included: the filters `from` and `to`. `label` names the field, "Received"; `verb` begins
 * the description, "received 11/01/2026–11/30/2026".
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
      words: (from, _name, { to } = {}) =>
        to ? `${begun}${dayWords(from)}–${dayWords(to)}` : `${begun}from ${dayWords(from)}`,
    },
    to: {
      schema: Day.optional(),
      field: { kind: "day", label: labelled("To") },
      words: (to, _name, { from } = {}) => (from ? "" : `${begun}through ${dayWords(to)}`),
    },
  };
}

const dayWords = (text: string) => (isDay(text) ? formatDay(text) : text);

export type Columns = Record<string, Column>;
export type FiltersOf = Record<string, Filter>;

/** How a report is offered. */
export interface ListReport {
  /** The value of `report_type`. */
  type: string;
  label: string;
  /** What the file is for, in one sentence. */
  description: string;
  /**
   * Whether the dialog offers all time or a range, forces a range, or shows no dates. Source: spec §4. `as-of`: the
   * rows are as of the end of the range's last day.
   */
  dates: "either" | "range" | "as-of" | "none";
  /** What a range can filter, with a label for each choice. Without any, the creation day. */
  timeModes: Record<string, string>;
  /** Can also be limited to one attorney. */
  byAttorney: boolean;
  /** Always has all of its columns, and is requested immediately. */
  isWhole?: true;
}

export interface ListDeclaration<
  C extends Columns = Columns,
  F extends FiltersOf = FiltersOf,
  Report extends ListReport = ListReport,
  Screen = { [K in keyof C]?: string },
> {
  /** For its saved filters. */
  name: string;
  /** The screen's title, and the first word of the description. */
  title: string;
  /** "debit"; its plural ends in s. */
  thing: string;
  /** The screen's address. */
  path: string;
  /** In the report's order. */
  columns: C;
  /** The table's columns, in order, with their headings. The first one names the row. */
  screen: Screen;
  /** Rows on a page, if the table is part of a screen; default 50. */
  rowsPerPage?: number;
  /** In the order of their words in the description. */
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

/**
 * What a list shows, for people: "Checks, pending, received from 11/01/2026", "Payments made
 * 07/01/2026–09/30/2026".
 */
export function listWords(
  { title, filters }: Pick<ListDeclaration, "title" | "filters">,
  set: Filters,
  names: FilterNames = {},
): string {
  const parts = Object.entries(filters).flatMap(([name, { words, field }]) => {
    const value = set[name] ?? "";
    const text = value === "" ? "" : words(value, names[name], set);
    return text === "" ? [] : [{ text, kind: field?.kind }];
  });
  const [first] = parts;
  if (first === undefined) return `${title}: all`;
  const isPhrase = first.kind !== "choice" && first.kind !== "given"; // follows the title without a comma
  return `${title}${isPhrase ? " " : ", "}${parts.map(({ text }) => text).join(", ")}`;
}
