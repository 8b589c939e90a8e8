import { type Day, formatDay, isDay } from "#kit/domain/day.ts";
import { invalid } from "#kit/contract/refusal.ts";
import type { Filters } from "#kit/list/define-list.ts";
import type { WantedExport } from "#kit/list/reports-contract.ts";
import type { ExportDefinition } from "#kit/list/report.ts";
import { exportType } from "#kit/list/offered-reports.ts";

/** The checked choices of an export; the rest follows from the type and the day. */
export interface ExportChoices {
  reportType: string;
  /** In the type's own order; all of them if there is no choice. */
  columns: string[];
  attorneyId: number | null;
  /** Null if the type has none, or for all time. */
  timeFilterMode: string | null;
  /** Both null for all time, or for a type without dates. */
  firstOn: Day | null;
  lastOn: Day | null;
  /** The filters of the list whose rows are exported; null if it is not a list's export. */
  filters: Filters | null;
}

type ScheduleChoices = Omit<WantedExport, "start_date" | "end_date" | "range_mode" | "filters">;

/**
 * Check a request for an export, since the browser checks nothing. Throws 422 with a message for the alert. Does not
 * check that the attorney is in the network. Source: domain rules §7.
 */
export function readChoices(wanted: WantedExport, today: Day): ExportChoices {
  const { type, ...chosen } = readContents(wanted);
  if (wanted.filters && !wanted.start_date && !wanted.end_date)
    return { ...chosen, ...(asOf(chosen.filters, today) ?? { timeFilterMode: null, ...allTime }) };
  const isTimeless = type.timeFilterPermissions === "none";
  const isAllTime = !isTimeless && wanted.range_mode === "all-time";
  if (isAllTime && type.timeFilterPermissions === "range")
    throw invalid("range_mode", `${type.label} need a specific date range.`);
  if (isTimeless || isAllTime) return { ...chosen, timeFilterMode: null, ...allTime };
  const firstOn = readDate(wanted.start_date, startDate);
  const lastOn = readDate(wanted.end_date, endDate);
  if (firstOn > lastOn) throw invalid("start_date", "Start date must not be after end date.");
  if (isOfLastDay(type) && lastOn > today)
    throw invalid("end_date", "End date must be today or earlier: the report is as of that date.");
  return { ...chosen, firstOn, lastOn };
}

/** A list as of a day gives a report as of that day. */
function asOf(filters: Filters | null, today: Day) {
  const day = filters?.["as_of"];
  if (day !== undefined && day > today)
    throw invalid("filters.as_of", "As of must be today or earlier.");
  return day === undefined ? null : { firstOn: day, lastOn: day };
}

const allTime = { firstOn: null, lastOn: null };

/** The same without dates, for a schedule, whose runs set their own. */
export function readContents(
  wanted: ScheduleChoices & Pick<WantedExport, "filters">,
): ExportChoices & { type: ExportDefinition } {
  const type = exportType(wanted.report_type);
  if (wanted.report_type.trim() === "") throw invalid("report_type", "Choose a report type.");
  if (!type) throw invalid("report_type", `There is no report type ${quoted(wanted.report_type)}.`);
  const attorneyId = Number(wanted.attorney_id ?? 0) || null;
  if (attorneyId !== null && !type.filters.includes("attorneys"))
    throw invalid("attorney_id", `${type.label} cannot be filtered by attorney.`);
  const filters = readFilters(type, wanted.filters);
  return {
    type,
    reportType: type.value,
    columns: readColumns(type, wanted.columns ?? [], filters !== null),
    attorneyId,
    timeFilterMode: readMode(type, wanted.time_filter_mode),
    ...allTime,
    filters,
  };
}

function readFilters(type: ExportDefinition, given: WantedExport["filters"]): Filters | null {
  if (given === undefined) return null;
  if (!type.ofList) throw invalid("filters", `${type.label} cannot take the filters of a list.`);
  return type.ofList.read(given);
}

/** A list's export has all columns unless some are chosen. */
function readColumns(type: ExportDefinition, chosen: string[], isOfList: boolean): string[] {
  const offered = type.hasChoice ? type.columns.map((column) => column.value) : [];
  const unknown = chosen.find((value) => !offered.includes(value));
  if (unknown !== undefined)
    throw invalid("columns", `The report ${type.label} has no column ${quoted(unknown)}.`);
  if (!type.hasChoice || (isOfList && chosen.length === 0))
    return type.columns.map((column) => column.value);
  if (chosen.length === 0)
    throw invalid("columns", "Choose at least one column to include in the report.");
  return offered.filter((value) => chosen.includes(value));
}

/** Ignored for a type without dates or modes. */
function readMode(type: ExportDefinition, chosen: string | null | undefined): string | null {
  if (type.timeFilterPermissions === "none" || type.timeFilterModes.length === 0) return null;
  const value = chosen || "submitted_at";
  if (!type.timeFilterModes.some((mode) => mode.value === value))
    throw invalid(
      "time_filter_mode",
      `The report ${type.label} has no event type ${quoted(value)}.`,
    );
  return value;
}

const startDate = { path: "start_date", name: "Start date", whenEmpty: "Enter a start date." };
const endDate = { path: "end_date", name: "End date", whenEmpty: "Enter an end date." };

/** Reads `mmddyyyy`. Source: spec §5. */
function readDate(given: string | null | undefined, field: typeof startDate): Day {
  const text = given?.trim() ?? "";
  if (text === "") throw invalid(field.path, field.whenEmpty);
  const [, month, day, year] = /^(\d{2})(\d{2})(\d{4})$/.exec(text) ?? [];
  const date = `${year}-${month}-${day}`;
  if (!isDay(date)) throw invalid(field.path, `${field.name} must be a date written mmddyyyy.`);
  return date;
}

const quoted = (text: string) => JSON.stringify(text.slice(0, 60));

/** Whether its range can only mean the state at the end of the last day. */
export const isOfLastDay = ({
  timeFilterPermissions,
  timeFilterModes,
  created,
}: ExportDefinition) =>
  timeFilterPermissions === "range" && timeFilterModes.length === 0 && !created;

/** What an export covers: "Payments made between 10/01/2026 and 10/31/2026, Grace Hopper". */
export function scopeOf(
  choices: Omit<ExportChoices, "filters">,
  attorneyName: string | null,
  madeOn: Day,
): string {
  const type = exportType(choices.reportType);
  const whose = type?.filters.includes("attorneys") ? `, ${attorneyName ?? "all attorneys"}` : "";
  const mode = type?.timeFilterModes.find(({ value }) => value === choices.timeFilterMode);
  const event = mode?.label.replace(/ between:$/, "") ?? "Made";
  if (type && isOfLastDay(type) && choices.lastOn)
    return `As of ${formatDay(choices.lastOn)}${whose}`;
  if (choices.firstOn && choices.lastOn)
    return `${event} between ${formatDay(choices.firstOn)} and ${formatDay(choices.lastOn)}${whose}`;
  return type?.timeFilterPermissions === "none" ? `As of ${formatDay(madeOn)}` : `All time${whose}`;
}
