import { sql } from "kysely";
import { type PlainDate, plainDate } from "#domain/calendar.ts";
import type { Day } from "#domain/day.ts";
import type { Admin } from "#domain/actor.ts";
import { audit } from "#db/audit.ts";
import { notifyOnCommit } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { notFound, Refusal } from "#contract/refusal.ts";
import { inTransaction } from "#db/transaction.ts";
import { readWhat } from "#features/exports/choices.ts";
import type { ExportSchedule, WantedSchedule } from "#features/exports/contract.ts";
import { insertExport, refuseForeignAttorney } from "#features/exports/exports.ts";
import { reportType } from "#features/exports/export-types.ts";

type Frequency = ExportSchedule["frequency"];

const maxSchedules = 100;

/** The hour of the network's day at which its reports are prepared. */
const hour = 3;

/** The first day on or after `from` on which a report is due: a Monday, or the first of a month. */
export function turnOnOrAfter(frequency: Frequency, from: PlainDate): PlainDate {
  if (frequency === "weekly") return from.add({ days: (8 - from.dayOfWeek) % 7 });
  return from.day === 1 ? from : from.with({ day: 1 }).add({ months: 1 });
}

/** What a report due on a day covers: the week or month that ended the day before. */
export function coveredBy(frequency: Frequency, turn: PlainDate): { firstOn: Day; lastOn: Day } {
  const first = frequency === "weekly" ? turn.subtract({ days: 7 }) : turn.subtract({ months: 1 });
  return { firstOn: first.toString(), lastOn: turn.subtract({ days: 1 }).toString() };
}

export async function listSchedules(tx: Db, admin: Admin): Promise<ExportSchedule[]> {
  const rows = await selectSchedules(tx, admin.networkId).orderBy("s.id", "desc").execute();
  return rows.map(shown);
}

/**
 * Have a report prepared by itself, from the next turn on. Throws 422 for choices that are none, 404
 * for another network's attorney, 409 when there are too many schedules.
 */
export async function schedule(
  tx: Db,
  admin: Admin,
  wanted: WantedSchedule,
  today: PlainDate,
): Promise<ExportSchedule> {
  const { reportType: type, columns, attorneyId, timeFilterMode } = readWhat(wanted);
  await refuseForeignAttorney(tx, admin.networkId, attorneyId);
  if ((await listSchedules(tx, admin)).length >= maxSchedules)
    throw new Refusal(409, "There are 100 scheduled reports already: remove one first.");
  const made = {
    frequency: wanted.frequency,
    reportType: type,
    columns,
    attorneyId,
    timeFilterMode,
    nextOn: turnOnOrAfter(wanted.frequency, today.add({ days: 1 })).toString(),
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
  return shown(row);
}

/** Throws 404 for one that is unknown or removed. */
export async function remove(tx: Db, admin: Admin, id: number): Promise<ExportSchedule> {
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
  return shown(row);
}

/**
 * Order the reports whose turn has come: it is three in the morning of that day, or later, where the
 * network is. What was missed while no worker ran is made up for, turn by turn. Doing it twice
 * orders nothing twice.
 */
export async function orderScheduled(db: Db, now: string): Promise<void> {
  const { rows: due } = await sql<{ networkId: number; id: number }>`
    select s.network_id, s.id from data_export_schedules s
    join networks n on n.id = s.network_id
    where s.removed_at is null
      and (s.next_on + make_interval(hours => ${hour})) at time zone n.time_zone <= ${now}::timestamptz
    order by s.network_id, s.id`.execute(db);
  for (const { networkId, id } of due) {
    let isDue = true;
    while (isDue) isDue = await inTransaction(db, (tx) => takeTurn(tx, networkId, id, now));
  }
}

/** Order one turn's report and move on to the next turn. Answers whether that is due as well. */
async function takeTurn(tx: Db, networkId: number, id: number, now: string): Promise<boolean> {
  const found = await selectSchedules(tx, networkId)
    .where("s.id", "=", id)
    .where(
      sql<boolean>`(s.next_on + make_interval(hours => ${hour})) at time zone n.time_zone <= ${now}::timestamptz`,
    )
    .forUpdate("s")
    .executeTakeFirst();
  if (!found) return false;
  const turn = plainDate(found.nextOn);
  const hasDates = reportType(found.reportType)?.timeFilterPermissions !== "none";
  const days = hasDates ? coveredBy(found.frequency, turn) : { firstOn: null, lastOn: null };
  const doer = { networkId, userId: null, name: `Scheduled by ${found.createdBy}` };
  await insertExport(
    tx,
    doer,
    { ...found, ...days },
    { scheduleId: id, scheduledOn: found.nextOn },
  );
  await tx
    .updateTable("dataExportSchedules")
    .set({ nextOn: turnOnOrAfter(found.frequency, turn.add({ days: 1 })).toString() })
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

function shown(row: ScheduleRow): ExportSchedule {
  const { id, frequency, nextOn, createdBy, createdAt } = row;
  const label = reportType(row.reportType)?.label ?? row.reportType;
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

/** "Payments made in the month before, all attorneys" */
function scopeOf(row: ScheduleRow): string {
  const type = reportType(row.reportType);
  if (type?.timeFilterPermissions === "none") return "As of the day it is made";
  const mode = type?.timeFilterModes.find(({ value }) => value === row.timeFilterMode);
  const event = mode?.label.replace(/ between:$/, "") ?? "Made";
  const period = row.frequency === "weekly" ? "week" : "month";
  return `${event} in the ${period} before, ${row.attorneyName ?? "all attorneys"}`;
}
