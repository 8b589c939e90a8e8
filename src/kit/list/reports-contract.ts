import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Day, Id, IdText, Timestamp } from "#kit/contract/fields.ts";
import { PageQuery, pageOf } from "#kit/contract/page.ts";
import { sortBy } from "#kit/contract/sort.ts";
import { filtersObject, sortNames } from "#kit/list/list-endpoint.ts";
import { reports } from "#kit/list/reports.list.ts";

const Choice = z.object({ value: z.string(), label: z.string() });

/**
 * One report type, as the dialog offers it. `timeFilterPermissions`: "either" lets the user choose all time or a
 * range, "range" forces a range, "none" shows no dates. Source: spec §4.
 */
const ExportType = z.object({
  value: z.string(),
  label: z.string(),
  /** What it is for, in one sentence. */
  description: z.string(),
  /** The last one prepared: when it was requested, and its last day if it has one. */
  lastMade: z.object({ at: Timestamp, through: Day.nullable() }).nullable(),
  /** Per event type (null if it has none): the last one with dates, for all attorneys and no list's filters. */
  lastWhole: z.array(z.object({ mode: z.string().nullable(), at: Timestamp, through: Day })),
  columns: z.array(Choice.extend({ tooltip: z.string().optional() })),
  filters: z.array(z.string()),
  timeFilterPermissions: z.enum(["either", "range", "none"]),
  timeFilterModes: z.array(Choice),
});
export type ExportType = z.output<typeof ExportType>;

export const ExportOptions = z.object({
  reportTypes: z.array(ExportType),
  /** Display names of the whole panel, by id. */
  attorneys: z.record(z.string(), z.string()),
});
export type ExportOptions = z.output<typeof ExportOptions>;

export const showExportOptions = endpoint({
  method: "GET",
  path: "/data_exports/options",
  summary: "The report types with their columns and filters, and the attorneys to filter by",
  object: ExportOptions,
});

const columnList = z
  .array(z.string().max(100), { error: "must be a list of column values" })
  .max(200, "must name at most 200 columns");

const attorneyChoice = z
  .union([Id, IdText, z.null(), z.literal("")], { error: "must be the id of an attorney, or null" })
  .optional();

/** Total for all filters: as long as a list's address may be. */
const mostFilterLetters = 16_000;

const listFilters = z
  .record(
    z.string().max(50),
    z.union([z.string().max(mostFilterLetters), z.number(), z.boolean()], {
      error: "must be text, a number, or true or false",
    }),
    { error: "must be a map of the list’s filters to their values" },
  )
  .refine((filters) => Object.keys(filters).length <= 20, "must name at most 20 filters")
  .refine(
    (filters) => JSON.stringify(filters).length <= mostFilterLetters,
    "must have at most 16,000 characters in all",
  );

/** Dates are mmddyyyy. Fields that the type does not use are ignored. Source: spec §5, domain rules §7. */
const WantedExport = z.strictObject({
  report_type: z.string({ error: "must be the value of a report type" }).max(100),
  columns: columnList.nullable().default([]),
  start_date: z.string().max(40).nullish(),
  end_date: z.string().max(40).nullish(),
  attorney_id: attorneyChoice,
  range_mode: z.enum(["range", "all-time"]).nullish(),
  time_filter_mode: z.string().max(100).nullish(),
  /** Exports exactly the rows of a list, whatever their dates: the list's filters, as in its query. */
  filters: listFilters.optional(),
});
export type WantedExport = z.output<typeof WantedExport>;

/** The answer has no envelope. Source: spec §7. */
export const requestExport = endpoint({
  method: "POST",
  path: "/data_export.json",
  summary: "Request a report; it is prepared in the background and then listed",
  body: WantedExport,
  /** `id`: the report's id in the list of reports, if it is of a list's rows. */
  object: z.object({ success: z.boolean(), message: z.string(), id: Id.optional() }),
});

export const exportStatuses = ["queued", "running", "ready", "failed"] as const;

export const DataExport = z.object({
  id: Id,
  reportType: z.string(),
  label: z.string(),
  status: z.enum(exportStatuses),
  /** Percent, 0 to 100; 100 only when ready. */
  progress: z.number(),
  /** Rows written so far, not counting the header. */
  rows: z.number(),
  /** Total rows; null until counted. */
  totalRows: z.number().nullable(),
  /** What it covers, for people: "Payments made between 10/01/2026 and 10/31/2026, Grace Hopper". */
  scope: z.string(),
  requestedBy: z.string(),
  isScheduled: z.boolean(),
  createdAt: Timestamp,
  finishedAt: Timestamp.nullable(),
  expiresAt: Timestamp,
  /** Why it failed or that someone cancelled it, in one sentence. */
  failureReason: z.string().nullable(),
  isCancelled: z.boolean(),
  /** Null unless the report is ready and has not expired. */
  file: z.object({ name: z.string(), bytes: z.number(), url: z.string() }).nullable(),
});
export type DataExport = z.output<typeof DataExport>;

export const listExports = endpoint({
  method: "GET",
  path: "/data_exports",
  summary: "The network's reports, newest first",
  /** `ready`: not downloaded by anyone yet. `failed`: could not be prepared. */
  query: PageQuery.extend({
    ...filtersObject(reports).shape,
    sort: sortBy(...sortNames(reports)),
  }),
  object: pageOf(DataExport),
});

const ById = z.object({ id: IdText });

/** Answers with the whole file or the requested range. */
export const downloadExport = endpoint({
  method: "GET",
  path: "/data_exports/:id/file",
  summary: "The CSV file of a finished report; range requests work",
  params: ById,
  object: z.string(),
});

export const cancelExport = endpoint({
  method: "POST",
  path: "/data_exports/:id/cancel",
  summary: "Stop preparing a report",
  params: ById,
  object: DataExport,
});

export const retryExport = endpoint({
  method: "POST",
  path: "/data_exports/:id/retry",
  summary: "Prepare a failed or canceled report again, with the same choices",
  params: ById,
  object: DataExport,
});

export const frequencies = ["weekly", "monthly"] as const;

/** No dates: a weekly report covers the previous Monday to Sunday, a monthly one the previous month. */
const WantedSchedule = z.strictObject({
  frequency: z.enum(frequencies),
  report_type: z.string({ error: "must be the value of a report type" }).max(100),
  columns: columnList.nullable().default([]),
  attorney_id: attorneyChoice,
  time_filter_mode: z.string().max(100).nullish(),
});
export type WantedSchedule = z.output<typeof WantedSchedule>;

export const ExportSchedule = z.object({
  id: Id,
  frequency: z.enum(frequencies),
  reportType: z.string(),
  label: z.string(),
  /** What each one covers, for people: "Payments made in the month before, all attorneys". */
  scope: z.string(),
  /** The day in the network's time zone on which the next one is prepared, at 3 a.m. */
  nextOn: Day,
  createdBy: z.string(),
  createdAt: Timestamp,
});
export type ExportSchedule = z.output<typeof ExportSchedule>;

export const listSchedules = endpoint({
  method: "GET",
  path: "/data_export_schedules",
  summary: "Reports prepared automatically every week or month, newest first",
  object: z.array(ExportSchedule),
});

export const scheduleExport = endpoint({
  method: "POST",
  path: "/data_export_schedules",
  summary: "Schedule a report for every week or month, ready in the morning",
  body: WantedSchedule,
  object: ExportSchedule,
});

export const removeSchedule = endpoint({
  method: "POST",
  path: "/data_export_schedules/:id/remove",
  summary: "Stop preparing a report automatically; finished reports stay",
  params: ById,
  object: ExportSchedule,
});
