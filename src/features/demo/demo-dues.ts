import { sql } from "kysely";
import { dueThrough } from "#domain/billing-schedule.ts";
import { isAfter, type PlainDate } from "#domain/calendar.ts";
import type { Db } from "#db/database.ts";
import { createDueDebits } from "#features/ledger/billing.ts";
import { type DemoNetwork, instantOn } from "#features/demo/demo-network.ts";
import type { DemoAttorney } from "#features/demo/demo-panel.ts";
import { makeEnrolment, makePlan } from "#features/demo/records/dues.ts";

/** A plan of the demo with its enrolments. */
export interface DemoPlan {
  name: string;
  description: string;
  amountCents: number;
  everyMonths: number;
  startDate: PlainDate;
  enrolled: { attorney: DemoAttorney; note?: string; endsOn?: PlainDate }[];
  archivedOn?: PlainDate;
}

/** Enrolled a week ahead of the start, so that the first period is billed on its day. */
const daysAhead = 7;

/**
 * Make the plans, enrol attorneys in them, and bill what fell due on each day since, run by run, as
 * the daily job would have done.
 */
export async function makeDues(tx: Db, network: DemoNetwork, plans: DemoPlan[]): Promise<void> {
  const made: (DemoPlan & { id: number })[] = [];
  for (const plan of plans) made.push({ ...plan, id: await enrolInPlan(tx, network, plan) });
  let billedThrough: PlainDate | null = null;
  for (const day of runDays(plans, network.today)) {
    const days = { after: billedThrough, before: day };
    for (const plan of made) await endExpiredEnrolments(tx, network, plan, days);
    await billDay(tx, network, day, billedThrough);
    billedThrough = day;
  }
  await tx
    .updateTable("billingProgress")
    .set({ billedThrough: network.today.toString() })
    .where("networkId", "=", network.id)
    .execute();
}

async function enrolInPlan(tx: Db, network: DemoNetwork, plan: DemoPlan): Promise<number> {
  const enrolledOn = plan.startDate.subtract({ days: daysAhead });
  const createdAt = instantOn(network, enrolledOn, "09:30");
  const made = await makePlan(tx, network, { ...plan, createdAt });
  for (const { attorney, note } of plan.enrolled)
    await makeEnrolment(tx, attorney, made, {
      startDate: plan.startDate.toString(),
      enrolledOn: enrolledOn.toString(),
      note,
      createdAt: instantOn(network, enrolledOn, "09:40"),
    });
  return made.id;
}

/** The days on which something fell due, and today, when the last run found nothing. */
function runDays(plans: DemoPlan[], today: PlainDate): PlainDate[] {
  const days = new Map([[today.toString(), today]]);
  for (const plan of plans)
    for (const { dueOn } of dueThrough(scheduleOf(plan), today)) days.set(dueOn.toString(), dueOn);
  return [...days.values()].toSorted((a, b) => (isAfter(a, b) ? 1 : -1));
}

function scheduleOf({ startDate, everyMonths }: DemoPlan) {
  const enrolledOn = startDate.subtract({ days: daysAhead });
  return { startDate, everyMonths, enrolledOn, billImmediately: false };
}

/** As a run does it; the product's own run commits by itself and would be of today. */
async function billDay(
  tx: Db,
  network: DemoNetwork,
  day: PlainDate,
  billedThrough: PlainDate | null,
): Promise<void> {
  const startedAt = instantOn(network, day, "00:00:02");
  const { id } = await tx
    .insertInto("billingRuns")
    .values({ networkId: network.id, asOf: day.toString(), startedBy: "Daily billing", startedAt })
    .returning("id")
    .executeTakeFirstOrThrow();
  const made = await createDueDebits(tx, {
    networkId: network.id,
    asOf: day,
    billedThrough: billedThrough?.toString() ?? null,
    billingRunId: id,
    createdAt: startedAt,
  });
  await tx
    .updateTable("billingRuns")
    .set({
      debits: made.debits,
      amountCents: made.amountCents,
      finishedAt: sql<string>`started_at + interval '0.4 seconds'`,
    })
    .where("networkId", "=", network.id)
    .where("id", "=", id)
    .execute();
}

/** End the enrolments, and archive the plans, whose last day has passed since the last run. */
async function endExpiredEnrolments(
  tx: Db,
  network: DemoNetwork,
  plan: DemoPlan & { id: number },
  days: { after: PlainDate | null; before: PlainDate },
): Promise<void> {
  const hasPassed = (lastDay: PlainDate) =>
    isAfter(days.before, lastDay) && !(days.after && isAfter(days.after, lastDay));
  for (const { attorney, endsOn = plan.archivedOn } of plan.enrolled) {
    if (!endsOn || !hasPassed(endsOn)) continue;
    await tx
      .updateTable("enrolments")
      .set({ archivedAt: instantOn(network, endsOn, "16:20") })
      .where("networkId", "=", network.id)
      .where("planId", "=", plan.id)
      .where("attorneyId", "=", attorney.id)
      .execute();
  }
  if (!plan.archivedOn || !hasPassed(plan.archivedOn)) return;
  await tx
    .updateTable("plans")
    .set({ archivedAt: instantOn(network, plan.archivedOn, "16:20") })
    .where("networkId", "=", network.id)
    .where("id", "=", plan.id)
    .execute();
}
