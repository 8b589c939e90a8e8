import { sql } from "kysely";
import { dueThrough } from "#kit/domain/billing-schedule.ts";
import { isAfter, type PlainDate } from "#kit/domain/calendar.ts";
import { cents, sum } from "#kit/domain/money.ts";
import type { Db } from "#kit/db/database.ts";
import { type DemoNetwork, idIn, turnClock } from "#main/demo/demo-network.ts";
import type { DemoAttorney } from "#main/demo/demo-panel.ts";
import type { DebitStory, DemoDebit } from "#main/demo/demo-payment-patterns.ts";
import { changeDepositOf, makeDepositOf } from "#payments/deposits/deposits.ts";
import { decideWholeChecks } from "#payments/checks/decide-checks.ts";
import { adjust } from "#dues/ledger/adjustments.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { insertCheckQuery } from "#payments/insert-check.ts";
import { endEnrolments, enrollChosen } from "#dues/plans/enrolments.ts";
import { archivePlanAndEnrolments, definePlan } from "#dues/plans/plans.ts";

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

interface DemoYear {
  tx: Db;
  network: DemoNetwork;
  plans: DemoPlan[];
  attorneys: DemoAttorney[];
  storyOf: (debit: DemoDebit, attorneyNumber: number) => DebitStory;
}

/** Enrolled a week before the start, so that the first period is billed on its day. */
const daysAhead = 7;

/** The administrator decides checks once a week; the last days' checks are pending. */
const decisionEvery = 7;
const undecidedDays = 3;

/** This many of the newest approved checks are left out of a month's deposit. */
const keptBack = 12;

const account = "First Harbor Bank, operating account";

/**
 * Act out an office's past day by day, with the product's own functions and the database's clock: plans begin and end,
 * dues are billed, attorneys pay, and the administrator decides, adjusts and banks. Through today.
 */
export async function liveYear(tx: Db, year: Omit<DemoYear, "tx">): Promise<void> {
  const { network, plans } = year;
  const planIds = new Map<DemoPlan, number>();
  const agenda = new Agenda();
  const starts = plans.map(({ startDate }) => startDate.subtract({ days: daysAhead }));
  const [first = network.today] = starts.toSorted((a, b) => b.until(a).days);
  for (let day = first; !isAfter(day, network.today); day = day.add({ days: 1 })) {
    const on = { ...year, tx, day, at: (time: string) => turnClock(tx, network, day, time) };
    await billWhatIsDue(on, agenda);
    for (const [index, plan] of plans.entries())
      if (starts[index]?.equals(day)) planIds.set(plan, await startPlan(on, plan));
    await decide(on, agenda.bad);
    await adjustDebits(on, agenda.on(day));
    await pay(on, agenda.on(day), agenda);
    await bankMonth(on);
    for (const [plan, id] of planIds) await endPlan(on, plan, id);
  }
  await turnClock(tx, network, null);
}

/** One day of the year. */
interface DemoDay extends DemoYear {
  day: PlainDate;
  /** Set the database's clock to a local time of the day. */
  at: (time: string) => Promise<void>;
}

/** What will happen to a debit on a later day. */
interface Planned {
  attorney: DemoAttorney;
  debitId: number;
  adjusted?: { amountCents: number; note: string };
  check?: { amountCents: number; isDenied?: boolean };
}

/** Planned events by day, and the written checks. */
class Agenda {
  readonly #days = new Map<string, Planned[]>();
  readonly #written = new Map<number, number>();
  /** Checks that the bank will not pay, by `nameOf`. */
  readonly bad = new Set<string>();

  add(day: PlainDate, planned: Planned): void {
    this.#days.set(day.toString(), [...this.on(day), planned]);
  }

  on(day: PlainDate): Planned[] {
    return this.#days.get(day.toString()) ?? [];
  }

  /** Each attorney's checks are numbered from 1001. */
  nextNumber(attorneyId: number): string {
    const written = (this.#written.get(attorneyId) ?? 0) + 1;
    this.#written.set(attorneyId, written);
    return String(1000 + written);
  }
}

const nameOf = (check: { attorneyId: number; checkNumber: string }) =>
  `${check.attorneyId} ${check.checkNumber}`;

/** As the daily job does; days with nothing due are skipped. */
async function billWhatIsDue(on: DemoDay, agenda: Agenda): Promise<void> {
  const { tx, network, day, at, attorneys, storyOf } = on;
  const today = network.today;
  const later = new Map(
    on.plans.map((plan) => {
      const enrolledOn = plan.startDate.subtract({ days: daysAhead });
      const due = dueThrough({ ...plan, enrolledOn, billImmediately: false }, today);
      return [plan.name, due.filter(({ dueOn }) => !isAfter(day, dueOn)).map((d) => d.dueOn)];
    }),
  );
  const isDue = [...later.values()].some(([next]) => next?.equals(day));
  if (!isDue && !day.equals(today)) return;
  await at("00:00:02");
  await runBilling(tx, { networkId: network.id, userId: null, name: "Daily billing" }, day);
  for (const { id, attorneyId, plan, amountCents } of await debitsDueOn(on)) {
    const number = attorneys.findIndex((attorney) => attorney.id === attorneyId);
    const attorney = attorneys[number];
    if (!attorney) continue;
    const ageInDays = day.until(today).days;
    const debit = {
      plan,
      dueOn: day,
      amountCents,
      ageInDays,
      number: (later.get(plan)?.length ?? 1) - 1,
    };
    const { adjusted, checks } = storyOf(debit, number);
    const planned = { attorney, debitId: id };
    if (adjusted) agenda.add(day.add({ days: adjusted.afterDays }), { ...planned, adjusted });
    for (const check of checks)
      agenda.add(day.add({ days: check.afterDays }), { ...planned, check });
  }
}

async function debitsDueOn({ tx, network, day }: DemoDay) {
  return await tx
    .selectFrom("debits as d")
    .innerJoin("enrolments as e", (on) =>
      on.onRef("e.networkId", "=", "d.networkId").onRef("e.id", "=", "d.enrolmentId"),
    )
    .innerJoin("plans as p", (on) =>
      on.onRef("p.networkId", "=", "e.networkId").onRef("p.id", "=", "e.planId"),
    )
    .select(["d.id", "d.attorneyId", "p.name as plan", "d.amountCents"])
    .where("d.networkId", "=", network.id)
    .where("d.dueOn", "=", day.toString())
    .orderBy("d.id")
    .execute();
}

async function startPlan({ tx, network, day, at }: DemoDay, plan: DemoPlan): Promise<number> {
  await at("09:30");
  const id = idIn(
    await definePlan(tx, network.admin, {
      name: plan.name,
      description: plan.description,
      payment_amount: cents(plan.amountCents),
      payment_frequency_in_months: plan.everyMonths,
    }),
  );
  await at("09:40");
  for (const [note = "", enrolled] of Map.groupBy(plan.enrolled, (one) => one.note)) {
    const terms = { start_date: plan.startDate.toString(), note, bill_immediately: false };
    const attorney_ids = enrolled.map(({ attorney }) => attorney.id);
    const wanted = { ...terms, lrs_subscription_id: id, attorney_ids };
    await enrollChosen(tx, network.admin, wanted, day);
  }
  return id;
}

async function decide({ tx, network, day, at }: DemoDay, bad: Set<string>): Promise<void> {
  if (day.until(network.today).days % decisionEvery !== undecidedDays) return;
  const { rows } = await sql<{ id: number; attorneyId: number; checkNumber: string }>`
    select id, attorney_id, check_number from received_checks
    where network_id = ${network.id} and status = 'pending' order by id`.execute(tx);
  if (rows.length === 0) return;
  await at("10:40");
  const those = (areBad: boolean) =>
    rows.filter((check) => bad.has(nameOf(check)) === areBad).map(({ id }) => id);
  await decideWholeChecks(tx, network.admin, { approve: those(false), deny: those(true) });
}

async function adjustDebits({ tx, network, at }: DemoDay, planned: Planned[]): Promise<void> {
  const adjustments = planned.flatMap(({ debitId, adjusted }) =>
    adjusted ? [{ debitId, ...adjusted }] : [],
  );
  if (adjustments.length > 0) await at("11:15");
  for (const { debitId, amountCents, note } of adjustments)
    await adjust(tx, network.admin, {
      debit_id: debitId,
      direction: amountCents < 0 ? "decrease" : "increase",
      amount: cents(Math.abs(amountCents)),
      adjustment_note: note,
    });
}

/** An attorney's payments of one day are one check; those that the bank will not pay are another. */
async function pay({ tx, network, day, at }: DemoDay, planned: Planned[], agenda: Agenda) {
  const paid = planned.flatMap(({ check, ...of }) => (check ? [{ ...of, ...check }] : []));
  if (paid.length === 0) return;
  await at("14:05");
  const checks = Map.groupBy(paid, ({ attorney, isDenied }) => `${attorney.id} ${isDenied}`);
  // Sent one after another, without waiting for each.
  await Promise.all(
    checks.values().map(async (shares) => {
      const [{ attorney, isDenied }] = shares as [(typeof shares)[0]]; // no group is empty
      const checkNumber = agenda.nextNumber(attorney.id);
      if (isDenied) agenda.bad.add(nameOf({ attorneyId: attorney.id, checkNumber }));
      const paying = shares.map((one) => ({ ...one, amountCents: cents(one.amountCents) }));
      const { rows } = await insertCheckQuery(attorney.account ?? network.admin, {
        payer: { kind: "owner", attorneyId: attorney.id },
        checkNumber,
        amountCents: sum(paying.map(({ amountCents }) => amountCents)),
        receivedOn: day.toString(),
        note: "",
        isAnother: false,
        shares: paying.toSorted((one, other) => one.debitId - other.debitId),
        credits: [],
        isApprovedNext: true, // or denied, later in this transaction: no email that it was recorded
      }).execute(tx);
      if (!rows[0]?.checkId) throw new Error(`Check ${checkNumber} was not recorded.`);
    }),
  );
}

/** On a month's last day, all approved checks in no deposit, except the newest ones, go to the bank. */
async function bankMonth({ tx, network, day, at }: DemoDay): Promise<void> {
  if (day.day < day.daysInMonth || day.equals(network.today)) return;
  const held = (await checksToDeposit(tx, network)).slice(keptBack);
  if (held.length === 0) return;
  await at("15:00");
  const id = await depositChecks(tx, network, held, day);
  const wanted = { status: "banked" } as const;
  await changeDepositOf(tx, network.admin, { id, wanted, today: day });
}

/** Approved checks in no deposit, newest first. */
export async function checksToDeposit(tx: Db, network: DemoNetwork): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from received_checks
    where network_id = ${network.id} and status = 'approved' and deposit_id is null
    order by decided_at desc, id desc`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function depositChecks(
  tx: Db,
  { admin }: DemoNetwork,
  ids: number[],
  day: PlainDate,
): Promise<number> {
  const wanted = { check_ids: ids, deposited_on: day.toString(), account_name: account };
  return idIn(await makeDepositOf(tx, admin, wanted, day));
}

/** Ends a plan, or enrolments, on their last day. */
async function endPlan(
  { tx, network, day, at }: DemoDay,
  plan: DemoPlan,
  id: number,
): Promise<void> {
  const ending = plan.enrolled.filter(({ endsOn }) => endsOn?.equals(day));
  if (ending.length > 0) {
    await at("16:20");
    const enrolments = await tx
      .selectFrom("enrolments")
      .select("id")
      .where("networkId", "=", network.id)
      .where("planId", "=", id)
      .where(
        "attorneyId",
        "in",
        ending.map(({ attorney }) => attorney.id),
      )
      .execute();
    await endEnrolments(
      tx,
      network.admin,
      enrolments.map((one) => one.id),
      day,
    );
  }
  if (!plan.archivedOn?.equals(day)) return;
  await at("16:25");
  await archivePlanAndEnrolments(tx, network.admin, id, day);
}
