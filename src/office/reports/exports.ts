import { sql } from "kysely";
import { dayIn } from "#kit/domain/calendar.ts";
import type { Admin, ChangeAuthor } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import { byPerson } from "#kit/db/sort.ts";
import type { Db } from "#kit/db/database.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import { type ExportChoices, readChoices, scopeOf } from "#office/reports/choices.ts";
import type { DataExport, ExportOptions, WantedExport } from "#kit/list/reports-contract.ts";
import { enqueueExport } from "#office/reports/prepare-job.ts";
import { namesOfRecords } from "#kit/list/record-names.ts";
import { exportType, exportTypes } from "#kit/list/offered-reports.ts";
import { Temporal } from "temporal-polyfill";
import type { Day } from "#kit/domain/day.ts";

const maxUnfinished = 50;

/** How long a ready export is kept. Source: domain rules §7. */
export const retentionDays = 30;

/** The types, columns and attorneys in the export dialog. */
export async function exportOptions(tx: Db, admin: Admin): Promise<ExportOptions> {
  const { rows } = await sql<{ names: Record<string, string> }>`
    select coalesce(json_object_agg(id, first_name || ' ' || last_name
        || case when left_on is null then '' else ' (left)' end
      order by ${byPerson()}), '{}') as names
    from attorneys where network_id = ${admin.networkId}`.execute(tx);
  const lastMade = await lastMadeByType(tx, admin);
  const lastWhole = await lastWholeByType(tx, admin);
  return {
    reportTypes: exportTypes.map((type) => ({
      value: type.value,
      label: type.label,
      description: type.description,
      lastMade: lastMade.get(type.value) ?? null,
      lastWhole: (lastWhole.get(type.value) ?? []).map(({ last }) => last),
      columns: type.hasChoice
        ? type.columns.map(({ value, label, tooltip }) => ({ value, label, tooltip }))
        : [],
      filters: type.filters,
      timeFilterPermissions: type.timeFilterPermissions,
      timeFilterModes: type.timeFilterModes.map(({ value, label }) => ({ value, label })),
    })),
    attorneys: rows[0]?.names ?? {},
  };
}

/** When each type was last prepared, and through which day. */
async function lastMadeByType(tx: Db, { networkId }: Admin) {
  const types = exportTypes.map(({ value }) => value);
  const { rows } = await sql<{ type: string; at: string; through: Day | null }>`
    select types.type, last.created_at as at, last.last_on as through
    from unnest(${types}::text[]) as types (type)
    cross join lateral (
      select created_at, last_on from data_exports
      where network_id = ${networkId} and report_type = types.type and status = 'ready'
      order by id desc limit 1
    ) as last`.execute(tx);
  return new Map(rows.map(({ type, ...last }) => [type, last]));
}

/** The last export of each type and event with days, of all attorneys and not of a list. */
async function lastWholeByType(tx: Db, { networkId }: Admin) {
  const kinds = exportTypes.flatMap(({ value, timeFilterModes }) => {
    const modes = timeFilterModes.map((mode) => mode.value);
    return (modes.length > 0 ? modes : [null]).map((mode) => ({ type: value, mode }));
  });
  const { rows } = await sql<{ type: string; mode: string | null; at: string; through: Day }>`
    select kinds.type, kinds.mode, last.created_at as at, last.last_on as through
    from unnest(${kinds.map(({ type }) => type)}::text[], ${kinds.map(({ mode }) => mode)}::text[]) as kinds (type, mode)
    cross join lateral (
      select created_at, last_on from data_exports
      where network_id = ${networkId} and report_type = kinds.type and status = 'ready'
        and time_filter_mode is not distinct from kinds.mode
        and last_on is not null and attorney_id is null and filters is null
      order by id desc limit 1
    ) as last`.execute(tx);
  return Map.groupBy(
    rows.map(({ type, ...last }) => ({ type, last })),
    ({ type }) => type,
  );
}

/**
 * Request an export, to be prepared in the background. Throws 422 as `readChoices` does, 404 for another network's
 * attorney, firm or plan, in a list's filters too, and 409 if too many are waiting.
 */
export async function orderExport(
  tx: Db,
  admin: Admin,
  wanted: WantedExport,
  today: Day,
): Promise<{ success: true; message: string; id?: number }> {
  const choices = readChoices(wanted, today);
  await refuseForeignAttorney(tx, admin.networkId, choices.attorneyId);
  const filterWords = await filterWordsOf(tx, admin, choices);
  await refuseTooMany(tx, admin);
  const id = await insertExport(tx, admin, choices, { filterWords });
  const label = exportType(choices.reportType)?.label ?? "";
  return {
    success: true,
    ...(choices.filters && id !== null && { id }),
    message: `Your report "${label}" is being prepared. You will find it in the list of reports.`,
  };
}

/**
 * Refuse if too many requested exports are waiting or being prepared. Scheduled ones are limited by the number of
 * schedules. The lock on the network lasts until the transaction ends, so that concurrent requests cannot all pass.
 */
async function refuseTooMany(tx: Db, { networkId }: Admin): Promise<void> {
  await sql`select from networks where id = ${networkId} for no key update`.execute(tx);
  const { unfinished } = await tx
    .selectFrom("dataExports")
    .select((count) => count.fn.countAll<number>().as("unfinished"))
    .where("networkId", "=", networkId)
    .where("status", "in", ["queued", "running"])
    .where("scheduleId", "is", null)
    .executeTakeFirstOrThrow();
  if (unfinished >= maxUnfinished)
    throw new Refusal(
      409,
      `${unfinished} reports are already waiting. Wait for some to finish, or cancel them.`,
    );
}

export async function refuseForeignAttorney(
  tx: Db,
  networkId: number,
  attorneyId: number | null,
): Promise<void> {
  if (attorneyId === null) return;
  const known = await tx
    .selectFrom("attorneys")
    .select("id")
    .where("networkId", "=", networkId)
    .where("id", "=", attorneyId)
    .executeTakeFirst();
  if (!known) throw notFound("attorney");
}

/** The words for the filters of a list's report. Throws 404 for another network's record. */
async function filterWordsOf(
  tx: Db,
  admin: Admin,
  { reportType, filters }: ExportChoices,
): Promise<string | null> {
  const list = exportType(reportType)?.ofList;
  if (!list || !filters) return null;
  await list.refuse(tx, admin, filters);
  return list.words(filters, await namesOfRecords(tx, admin.networkId, list.records, filters));
}

/**
 * `turn`: the schedule's run that this export is for; each is inserted once. `filterWords`: the words for a list's
 * filters. Returns the id, or null if it already exists.
 */
export async function insertExport(
  tx: Db,
  author: ChangeAuthor,
  { filters, ...choices }: ExportChoices,
  {
    turn = null,
    filterWords = null,
  }: { turn?: { scheduleId: number; scheduledOn: string } | null; filterWords?: string | null },
): Promise<number | null> {
  const made = await tx
    .insertInto("dataExports")
    .values({
      networkId: author.networkId,
      reportType: choices.reportType,
      columns: choices.columns,
      attorneyId: choices.attorneyId,
      timeFilterMode: choices.timeFilterMode,
      firstOn: choices.firstOn,
      lastOn: choices.lastOn,
      filters: filters && JSON.stringify(filters),
      filterWords,
      requestedBy: author.name,
      expiresAt: sql<string>`now() + make_interval(days => ${retentionDays})`,
      ...turn,
    })
    .onConflict((conflict) => conflict.constraint("data_exports_once_a_schedule").doNothing())
    .returning("id")
    .executeTakeFirst();
  if (!made) return null;
  await enqueueExport(tx, { networkId: author.networkId, id: made.id });
  const { reportType: type, ...rest } = choices;
  await audit(tx, author, {
    action: "requested report",
    recordType: "data export",
    recordId: made.id,
    after: { type, ...rest, ...(filterWords !== null && { list: filterWords }) },
  });
  notifyOnCommit(tx, author.networkId, null, "exports");
  return made.id;
}

/** The exports with these ids, in any order. */
export async function readExports(
  tx: Db,
  { networkId, timeZone }: Admin,
  ids: number[],
): Promise<DataExport[]> {
  const rows = await selectExports(tx, networkId)
    .where("x.id", "in", [0, ...ids])
    .execute();
  return rows.map((row) => toDataExport(row, timeZone));
}

/** Stop preparing an export. Throws 404, or 409 if it is done. The worker notices within a second. */
export async function cancelExport(tx: Db, admin: Admin, id: number): Promise<DataExport> {
  const before = await lockExport(tx, admin, id);
  if (before.status === "ready" || before.status === "failed")
    throw new Refusal(409, "This report is no longer being prepared. Reload the page to see it.");
  await tx
    .updateTable("dataExports")
    .set({
      status: "failed",
      isCancelled: true,
      failureReason: `Canceled by ${admin.name}.`,
      finishedAt: sql<string>`now()`,
    })
    .where("networkId", "=", admin.networkId)
    .where("id", "=", id)
    .execute();
  return await auditAndShow(tx, admin, id, "cancelled report");
}

/** Prepare a failed or cancelled export again. Throws 404, 409 if it has not failed, and as `orderExport` does. */
export async function retryExport(tx: Db, admin: Admin, id: number): Promise<DataExport> {
  const before = await lockExport(tx, admin, id);
  if (before.status !== "failed")
    throw new Refusal(409, "Only a failed report can be retried. Reload the page to see it.");
  await refuseTooMany(tx, admin);
  await tx
    .updateTable("dataExports")
    .set({
      status: "queued",
      isCancelled: false,
      failureReason: null,
      failureCause: null,
      finishedAt: null,
      rowsWritten: 0,
      totalRows: null,
      takeovers: 0,
      expiresAt: sql<string>`now() + make_interval(days => ${retentionDays})`,
    })
    .where("networkId", "=", admin.networkId)
    .where("id", "=", id)
    .execute();
  await enqueueExport(tx, { networkId: admin.networkId, id });
  return await auditAndShow(tx, admin, id, "retried report");
}

/** Throws 404, for removed exports too. */
async function lockExport(tx: Db, admin: Admin, id: number) {
  const found = await tx
    .selectFrom("dataExports")
    .select("status")
    .where("networkId", "=", admin.networkId)
    .where("id", "=", id)
    .where("removedAt", "is", null)
    .forUpdate()
    .executeTakeFirst();
  if (!found) throw notFound("report");
  return found;
}

async function auditAndShow(tx: Db, admin: Admin, id: number, action: string): Promise<DataExport> {
  await audit(tx, admin, { action, recordType: "data export", recordId: id });
  notifyOnCommit(tx, admin.networkId, null, "exports");
  const [shown] = await readExports(tx, admin, [id]);
  if (!shown) throw notFound("report");
  return shown;
}

function selectExports(tx: Db, networkId: number) {
  return tx
    .selectFrom("dataExports as x")
    .leftJoin("attorneys as a", (on) =>
      on.onRef("a.networkId", "=", "x.networkId").onRef("a.id", "=", "x.attorneyId"),
    )
    .where("x.networkId", "=", networkId)
    .select(["x.id", "x.reportType", "x.columns", "x.attorneyId", "x.timeFilterMode"])
    .select(["x.firstOn", "x.lastOn", "x.status", "x.rowsWritten", "x.totalRows", "x.fileName"])
    .select(["x.fileBytes", "x.failureReason", "x.isCancelled", "x.requestedBy", "x.scheduleId"])
    .select("x.filterWords")
    .select(["x.createdAt", "x.startedAt", "x.finishedAt", "x.expiresAt"])
    .select([
      sql<string | null>`a.first_name || ' ' || a.last_name`.as("attorneyName"),
      sql<boolean>`x.expires_at > now()`.as("isKept"),
    ]);
}

type ExportRow = Awaited<ReturnType<ReturnType<typeof selectExports>["execute"]>>[number];

function toDataExport(row: ExportRow, timeZone: string): DataExport {
  const madeAt = Temporal.Instant.from(row.startedAt ?? row.createdAt);
  const { fileName: name, fileBytes: bytes } = row;
  return {
    id: row.id,
    reportType: row.reportType,
    label: exportType(row.reportType)?.label ?? row.reportType,
    status: row.status,
    progress: progressOf(row),
    rows: row.rowsWritten,
    totalRows: row.totalRows,
    scope: row.filterWords ?? scopeOf(row, row.attorneyName, dayIn(timeZone, madeAt).toString()),
    requestedBy: row.requestedBy,
    isScheduled: row.scheduleId !== null,
    createdAt: row.createdAt,
    finishedAt: row.finishedAt,
    expiresAt: row.expiresAt,
    failureReason: row.failureReason,
    isCancelled: row.isCancelled,
    file:
      name !== null && bytes !== null && row.isKept
        ? { name, bytes, url: `/data_exports/${row.id}/file` }
        : null,
  };
}

/** Below 100 until the file exists: the count runs beside the copy, and rows may be added. */
function progressOf({ status, rowsWritten, totalRows }: ExportRow): number {
  if (status === "ready") return 100;
  if (!totalRows) return 0;
  return Math.min(99, Math.floor((rowsWritten / totalRows) * 100));
}
