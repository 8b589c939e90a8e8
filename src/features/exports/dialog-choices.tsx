import { isDay } from "#domain/day.ts";
import type { ReportType } from "./contract.ts";

/** What a person has chosen in the report dialog, as typed. */
export interface ReportChoices {
  time_filter_mode: string;
  range_mode: "range" | "all-time";
  /** `YYYY-MM-DD`; the request has them as mmddyyyy. */
  start_date: string | null;
  end_date: string | null;
  /** "" for all attorneys. */
  attorney_id: string;
  columns: string[];
}

const defaultMode = "submitted_at";

/** How the dialog of a type opens, each time. Source: spec §4. */
export function choicesToStartWith(type: ReportType, today: string): ReportChoices {
  const modes = type.timeFilterModes.map(({ value }) => value);
  return {
    time_filter_mode: modes.find((mode) => mode === defaultMode) ?? modes[0] ?? "",
    range_mode: "range",
    start_date: today,
    end_date: today,
    attorney_id: "",
    columns: type.columns.map(({ value }) => value),
  };
}

/**
 * What was chosen for the last report of a type on this browser, as far as it is still offered: to
 * be put over the choices to start with. Null where none was ordered yet.
 */
export function lastChoices(
  type: ReportType,
  attorneys: Readonly<Record<string, string>>,
): Partial<ReportChoices> | null {
  const last = remembered(type.value);
  if (last === null) return null;
  const isOffered = (mode: unknown) => type.timeFilterModes.some(({ value }) => value === mode);
  const isRange = last.range_mode === "range" || type.timeFilterPermissions !== "either";
  const columns = type.columns
    .map(({ value }) => value)
    .filter((column) => last.columns?.includes(column));
  return {
    ...(isOffered(last.time_filter_mode) && { time_filter_mode: last.time_filter_mode }),
    range_mode: isRange ? "range" : "all-time",
    ...(isDay(last.start_date ?? "") && { start_date: last.start_date }),
    ...(isDay(last.end_date ?? "") && { end_date: last.end_date }),
    attorney_id: attorneys[last.attorney_id ?? ""] === undefined ? "" : last.attorney_id,
    ...(columns.length > 0 && { columns }),
  };
}

/** The request of spec §7; what the type does not offer is left out. */
export function requestOf(type: ReportType, choices: ReportChoices) {
  const hasDates = type.timeFilterPermissions !== "none";
  return {
    ...contentsOf(type, choices),
    ...(hasDates && { range_mode: choices.range_mode }),
    ...(hasDates &&
      choices.range_mode === "range" && {
        start_date: mmddyyyy(choices.start_date),
        end_date: mmddyyyy(choices.end_date),
      }),
  };
}

/** What a report holds, whatever dates it covers: all that a schedule asks for. */
export function contentsOf(
  type: ReportType,
  choices: Pick<ReportChoices, "columns" | "attorney_id" | "time_filter_mode">,
) {
  return {
    report_type: type.value,
    columns: type.columns
      .map(({ value }) => value)
      .filter((value) => choices.columns.includes(value)),
    attorney_id: choices.attorney_id ? Number(choices.attorney_id) : null,
    ...(type.timeFilterModes.length > 0 && { time_filter_mode: choices.time_filter_mode }),
  };
}

/** Source: spec §5. */
function mmddyyyy(day: string | null): string {
  const [year = "", month = "", date = ""] = (day ?? "").split("-");
  return `${month}${date}${year}`;
}

const keyOf = (type: string) => `report choices: ${type}`;

export function remember(type: string, choices: ReportChoices) {
  try {
    localStorage.setItem(keyOf(type), JSON.stringify(choices));
  } catch {
    // A browser that keeps nothing offers nothing the next time; the report is on its way.
  }
}

function remembered(type: string): Partial<ReportChoices> | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(type)) ?? "null");
    const isUsable = typeof kept === "object" && kept !== null && "columns" in kept;
    return isUsable && Array.isArray(kept.columns) ? (kept as Partial<ReportChoices>) : null;
  } catch {
    return null; // what is kept cannot be read: there is nothing to offer
  }
}
