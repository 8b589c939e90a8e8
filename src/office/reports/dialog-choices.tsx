import { type Day, dayFromTyping, dayOf, daysAfter, isDay } from "#kit/domain/day.ts";
import type { ExportType } from "#kit/list/reports-contract.ts";

/** The choices in the export dialog, as typed. */
export interface DialogChoices {
  time_filter_mode: string;
  range_mode: "range" | "all-time";
  /** `YYYY-MM-DD`; sent as mmddyyyy. */
  start_date: string | null;
  end_date: string | null;
  /** "" for all attorneys. */
  attorney_id: string;
  columns: string[];
}

const defaultMode = "submitted_at";

/** The dialog's choices when it opens. Source: spec §4. */
export function defaultChoices(type: ExportType, today: string): DialogChoices {
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
 * The choices of the last export of a type in this browser that are still offered, to merge into the defaults. Null if
 * none was requested yet.
 */
export function lastChoices(
  type: ExportType,
  attorneys: Readonly<Record<string, string>>,
): Partial<DialogChoices> | null {
  const last = savedChoices(type.value);
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

/**
 * The first day that the last report of a type and event left out, wholly or in part: the day it was ordered was not
 * over. Null if no report had days. Reports of one attorney or of a list's rows do not count, since they leave out more.
 */
export function sinceLastMade(
  { lastWhole }: Pick<ExportType, "lastWhole">,
  mode: string,
  timeZone: string,
): Day | null {
  const last = lastWhole.find((made) => (made.mode ?? "") === mode);
  if (!last) return null;
  const madeOn = dayFromTyping(dayOf(last.at, timeZone));
  const next = daysAfter(last.through, 1);
  return madeOn !== null && madeOn < next ? madeOn : next;
}

/** The request of spec §7, without what the type does not offer. */
export function exportRequest(type: ExportType, choices: DialogChoices) {
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

/** The part of a request without dates, as a schedule needs it. */
export function contentsOf(
  type: ExportType,
  choices: Pick<DialogChoices, "columns" | "attorney_id" | "time_filter_mode">,
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

export function saveChoices(type: string, choices: DialogChoices) {
  try {
    localStorage.setItem(keyOf(type), JSON.stringify(choices));
  } catch {
    // Without local storage, nothing is offered next time; the export was still requested.
  }
}

function savedChoices(type: string): Partial<DialogChoices> | null {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(keyOf(type)) ?? "null");
    const isUsable = typeof saved === "object" && saved !== null && "columns" in saved;
    return isUsable && Array.isArray(saved.columns) ? (saved as Partial<DialogChoices>) : null;
  } catch {
    return null; // unreadable
  }
}
