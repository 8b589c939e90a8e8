import { sql } from "kysely";
import { type PlainDate, plainDate } from "#kit/domain/calendar.ts";
import type { Day } from "#kit/domain/day.ts";
import type { Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { isOfLastDay, readContents } from "#office/reports/choices.ts";
import type { ExportSchedule, WantedSchedule } from "#kit/list/reports-contract.ts";
import { insertExport, refuseForeignAttorney } from "#office/reports/exports.ts";
import { exportType } from "#kit/list/offered-reports.ts";

type Frequency = ExportSchedule["frequency"];

const maxSchedules = 100;

/** The hour of the network's day at which its scheduled exports are prepared. */
const hour = 3;

/** The first run on or after `from`: a Monday, or the first of a month. */
export function nextRunOnOrAfter(frequency: Frequency, from: PlainDate): PlainDate {
  if (frequency === "weekly") return from.add({ days: (8 - from.dayOfWeek) % 7 });
  return from.day === 1 ? from : from.with({ day: 1 }).add({ months: 1 });
}

/** The days that a run covers: the week or month that ended the day before. */
export function periodBefore(
  frequency: Frequency,
  runDay: PlainDate,
): { firstOn: Day; lastOn: Day } {
  const first =
    frequency === "weekly" ? runDay.subtract({ days: 7 }) : runDay.subtract({ months: 1 });
  return { firstOn: first.toString(), lastOn: runDay.subtract({ days: 1 }).toString() };
}

export async function listSchedules(tx: Db, admin: Admin): Promise<ExportSchedule[]> {
  const rows = await selectSchedules(tx, admin.networkId).orderBy("s.id", "desc").execute();
  return rows.map(toExportSchedule);
}

/**
 * Schedule a recurring export, starting with the next run. Throws 422 for wrong choices, 404 for another network's
 * attorney, 409 if there are too many schedules.
 */
export async function addSchedule(
  tx: Db,
  admin: Admin,
  wanted: WantedSchedule,
  today: PlainDate,
): Promise<ExportSchedule> {
  const { reportType: type, columns, attorneyId, timeFilterMode } = readContents(wanted);
  await refuseForeignAttorney(tx, admin.networkId, attorneyId);
  if ((await listSchedules(tx, admin)).length >= maxSchedules)
    throw new Refusal(409, "There are already 100 scheduled reports. Remove one first.");
  const made = {
    frequency: wanted.frequency,
    reportType: type,
    columns,
    attorneyId,
    timeFilterMode,
    nextOn: nextRunOnOrAfter(wanted.frequency, today.add({ days: 1 })).toString(),
  };
  const { id } = await tx
    .insertInto("dataExportSchedules")
    .values({ networkId: admin.networkId, createdBy: admin.name, ...made })
    .returning("id")
    .executeTakeFirstOrThrow();
  await audit(tx, admin, {
    action: "scheduled report",
    recordType: "data export schedule",
    recordId: id,
    after: made,
  });
  notifyOnCommit(tx, admin.networkId, null, "exports");
  const row = await selectSchedules(tx, admin.networkId)
    .where("s.id", "=", id)
    .executeTakeFirstOrThrow();
  return toExportSchedule(row);
}

/** Throws 404 if it is unknown or removed. */
export async function removeSchedule(tx: Db, admin: Admin, id: number): Promise<ExportSchedule> {
  const row = await selectSchedules(tx, admin.networkId)
    .where("s.id", "=", id)
    .forUpdate("s")
    .executeTakeFirst();
  if (!row) throw notFound("scheduled report");
  await tx
    .updateTable("dataExportSchedules")
    .set({ removedAt: sql<string>`now()` })
    .where("networkId", "=", admin.networkId)
    .where("id", "=", id)
    .execute();
  await audit(tx, admin, {
    action: "removed scheduled report",
    recordType: "data export schedule",
    recordId: id,
  });
  notifyOnCommit(tx, admin.networkId, null, "exports");
  return toExportSchedule(row);
}

/**
 * Insert the exports of all due schedules, from 3 a.m. of the run's day in the network's time zone. Runs missed while
 * no worker ran are inserted one by one. Repeating it inserts nothing twice.
 */
export async function runDueSchedules(db: Db, now: string): Promise<void> {
  const { rows: due } = await sql<{ networkId: number; id: number }>`
    select s.network_id, s.id from data_export_schedules s
    join networks n on n.id = s.network_id
    where s.removed_at is null
      and (s.next_on + make_interval(hours => ${hour})) at time zone n.time_zone <= ${now}::timestamptz
    order by s.network_id, s.id`.execute(db);
  for (const { networkId, id } of due) {
    let isDue = true;
    while (isDue) isDue = await inTransaction(db, (tx) => runSchedule(tx, networkId, id, now));
  }
}

/** Insert the export of one run and move on to the next run. Returns whether a schedule was due. */
async function runSchedule(tx: Db, networkId: number, id: number, now: string): Promise<boolean> {
  const found = await selectSchedules(tx, networkId)
    .where("s.id", "=", id)
    .where(
      sql<boolean>`(s.next_on + make_interval(hours => ${hour})) at time zone n.time_zone <= ${now}::timestamptz`,
    )
    .forUpdate("s")
    .executeTakeFirst();
  if (!found) return false;
  const runDay = plainDate(found.nextOn);
  const hasDates = exportType(found.reportType)?.timeFilterPermissions !== "none";
  const days = hasDates ? periodBefore(found.frequency, runDay) : { firstOn: null, lastOn: null };
  const author = { networkId, userId: null, name: `Scheduled by ${found.createdBy}` };
  await insertExport(
    tx,
    author,
    { ...found, ...days, filters: null },
    { turn: { scheduleId: id, scheduledOn: found.nextOn } },
  );
  await tx
    .updateTable("dataExportSchedules")
    .set({ nextOn: nextRunOnOrAfter(found.frequency, runDay.add({ days: 1 })).toString() })
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .execute();
  return true;
}

function selectSchedules(tx: Db, networkId: number) {
  return tx
    .selectFrom("dataExportSchedules as s")
    .innerJoin("networks as n", "n.id", "s.networkId")
    .leftJoin("attorneys as a", (on) =>
      on.onRef("a.networkId", "=", "s.networkId").onRef("a.id", "=", "s.attorneyId"),
    )
    .where("s.networkId", "=", networkId)
    .where("s.removedAt", "is", null)
    .select(["s.id", "s.frequency", "s.reportType", "s.columns", "s.attorneyId"])
    .select(["s.timeFilterMode", "s.nextOn", "s.createdBy", "s.createdAt"])
    .select(sql<string | null>`a.first_name || ' ' || a.last_name`.as("attorneyName"));
}

type ScheduleRow = Awaited<ReturnType<ReturnType<typeof selectSchedules>["execute"]>>[number];

function toExportSchedule(row: ScheduleRow): ExportSchedule {
  const { id, frequency, nextOn, createdBy, createdAt } = row;
  const label = exportType(row.reportType)?.label ?? row.reportType;
  return {
    id,
    frequency,
    reportType: row.reportType,
    label,
    scope: scopeOf(row),
    nextOn,
    createdBy,
    createdAt,
  };
}

/** "Payments made in the previous month, all attorneys" */
function scopeOf(row: ScheduleRow): string {
  const type = exportType(row.reportType);
  if (type?.timeFilterPermissions === "none") return "As of the day it is made";
  const mode = type?.timeFilterModes.find(({ value }) => value === row.timeFilterMode);
  const period = row.frequency === "weekly" ? "week" : "month";
  const event = mode?.label.replace(/ between:$/, "") ?? "Made";
  const days =
    type && isOfLastDay(type)
      ? `As of the last day of the previous ${period}`
      : `${event} in the previous ${period}`;
  return type?.filters.includes("attorneys")
    ? `${days}, ${row.attorneyName ?? "all attorneys"}`
    : days;
}
