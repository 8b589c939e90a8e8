import { plainDate } from "#kit/domain/calendar.ts";
import { formatDay } from "#kit/domain/day.ts";
import { frequencyText, nextDueDates } from "#kit/domain/billing-schedule.ts";
import type { Admin } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { notFound } from "#kit/contract/refusal.ts";

/**
 * The next twelve due dates of an enrolment by the billing rule, each with a reason. Empty if it has
 * ended. Throws 404.
 */
export async function listUpcoming(tx: Db, admin: Admin, enrolmentId: number) {
  const enrolment = await tx
    .selectFrom("enrolments as e")
    .innerJoin("plans as p", (on) =>
      on.onRef("p.networkId", "=", "e.networkId").onRef("p.id", "=", "e.planId"),
    )
    .select(["e.startDate", "e.enrolledOn", "e.billsImmediately", "e.firstPeriod", "e.archivedAt"])
    .select(["p.amountCents", "p.frequencyInMonths"])
    .select((eb) =>
      eb
        .selectFrom("debits as d")
        .select((max) => max.fn.max("d.period").as("period"))
        .whereRef("d.networkId", "=", "e.networkId")
        .whereRef("d.enrolmentId", "=", "e.id")
        .as("lastBilled"),
    )
    .where("e.networkId", "=", admin.networkId)
    .where("e.id", "=", enrolmentId)
    .executeTakeFirst();
  if (!enrolment) throw notFound("enrolment");
  if (enrolment.archivedAt) return [];
  const enrolling = {
    startDate: plainDate(enrolment.startDate),
    enrolledOn: plainDate(enrolment.enrolledOn),
    everyMonths: enrolment.frequencyInMonths,
    billImmediately: enrolment.billsImmediately,
  };
  const next = Math.max(enrolment.firstPeriod, (enrolment.lastBilled ?? -1) + 1);
  return nextDueDates(enrolling, next, 12).map(({ period, dueOn }) => ({
    period,
    dueOn: dueOn.toString(),
    amount: enrolment.amountCents,
    reason: reasonFor(period, dueOn.day, enrolling),
  }));
}

function reasonFor(
  period: number,
  dayOfMonth: number,
  schedule: { startDate: { day: number; toString(): string }; everyMonths: number },
): string {
  const start = formatDay(schedule.startDate.toString());
  if (period === 0) return `The start date, ${start}.`;
  const months = period * schedule.everyMonths;
  const counted = `${months} ${months === 1 ? "month" : "months"} after ${start} (${frequencyText(schedule.everyMonths)})`;
  return dayOfMonth === schedule.startDate.day
    ? `${counted}.`
    : `${counted}. That month has no day ${schedule.startDate.day}, so it is due on the last day.`;
}
