import { sql } from "kysely";
import { firstBilledPeriod } from "#kit/domain/billing-schedule.ts";
import { plainDate } from "#kit/domain/calendar.ts";
import type { Day } from "#kit/domain/day.ts";
import type { Db } from "#kit/db/database.ts";
import type { MadeAttorney } from "#main/demo/records/attorneys.ts";
import { type MadePlan, makePlan } from "#main/demo/records/dues.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";

interface NewEnrolment {
  startDate?: Day;
  enrolledOn?: Day;
  billsImmediately?: boolean;
  note?: string;
  createdAt?: string;
}

/** Enrol an attorney by the schedule rule, with nothing billed yet. Returns the enrolment's id. */
export async function makeEnrolment(
  tx: Db,
  attorney: Pick<MadeAttorney, "id">,
  plan: MadePlan,
  wanted: NewEnrolment = {},
): Promise<number> {
  const [id = 0] = await makeEnrolments(tx, [attorney.id], plan, wanted);
  return id;
}

/** The same for any number of attorneys, all on one date, in one statement. Returns the ids in order. */
export async function makeEnrolments(
  tx: Db,
  attorneyIds: number[],
  plan: MadePlan,
  wanted: NewEnrolment,
): Promise<number[]> {
  const { startDate = "2026-01-31", enrolledOn = "2026-01-15", billsImmediately = false } = wanted;
  const firstPeriod = firstBilledPeriod({
    startDate: plainDate(startDate),
    enrolledOn: plainDate(enrolledOn),
    everyMonths: plan.frequencyInMonths,
    billImmediately: billsImmediately,
  });
  const { rows } = await sql<{ id: number }>`
    insert into enrolments (network_id, attorney_id, plan_id, start_date, enrolled_on,
      bills_immediately, first_period, note, created_at)
    select ${plan.networkId}::bigint, attorney_id, ${plan.id}::bigint, ${startDate}::date,
      ${enrolledOn}::date, ${billsImmediately}::boolean, ${firstPeriod}::integer,
      ${wanted.note ?? ""}, coalesce(${wanted.createdAt ?? null}::timestamptz, now())
    from unnest(${attorneyIds}::bigint[]) with ordinality as panel (attorney_id, place)
    order by place
    returning id`.execute(tx);
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
}

/**
 * Something owed: a plan, an enrolment in it and one debit. Returns the debit's id. Billing would make the
 * same, but not where a test has removed its constraints.
 */
export async function makeDebit(
  tx: Db,
  { id: networkId }: Pick<MadeNetwork, "id">,
  { id: attorneyId }: Pick<MadeAttorney, "id">,
  wanted: { amountCents?: number; dueOn?: Day; note?: string; planName?: string } = {},
): Promise<number> {
  const { dueOn = "2026-01-31", note } = wanted;
  const plan = await makePlan(tx, { id: networkId }, { ...wanted, name: wanted.planName });
  const enrolledOn = plainDate(dueOn).subtract({ days: 1 }).toString();
  const terms = { startDate: dueOn, enrolledOn, note };
  const enrolmentId = await makeEnrolment(tx, { id: attorneyId }, plan, terms);
  const debit = { networkId, attorneyId, enrolmentId, period: 0, dueOn };
  const { id } = await tx
    .insertInto("debits")
    .values({
      ...debit,
      amountCents: plan.amountCents,
      balanceCents: plan.amountCents,
      incomeAccount: `dues_income:${plan.name}`,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}
