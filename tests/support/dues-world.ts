import assert from "node:assert/strict";
import { dueThrough, type EnrolmentSchedule } from "#kit/domain/billing-schedule.ts";
import { type PlainDate, plainDate } from "#kit/domain/calendar.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { networksToBill } from "#dues/ledger/billing-progress.ts";
import { dryRunBilling, runBilling } from "#dues/ledger/billing-run.ts";
import { findDueButNotBilled } from "#dues/ledger/billing-runs.ts";
import { endEnrolment, endEnrolments, enrollAttorney, enrollAll } from "#dues/plans/enrolments.ts";
import { archivePlanAndEnrolments } from "#dues/plans/plans.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";
import { makePlan, type MadePlan } from "#main/demo/records/dues.ts";
import { inTurn } from "#tests/support/in-turn.ts";

/*
 * A network's dues played step by step, on the database and in a model. The model records only what people
 * did, and asks the schedule rule for each enrolment separately: no date billed through, no sets, no chunks.
 * An assertion fails where the two differ. money-world.ts covers what happens with the debits.
 */

export type DuesStep =
  | { kind: "days pass"; days: number }
  | { kind: "enrol"; attorney: number; plan: number; startsIn: number; atOnce: boolean }
  | { kind: "subscribe all"; plan: number; startsIn: number; atOnce: boolean }
  | { kind: "unsubscribe"; enrolment: number }
  | { kind: "end several"; enrolments: number[] }
  | { kind: "archive"; plan: number }
  | { kind: "bill"; ahead: number }
  | { kind: "hourly job" };

interface Enrolled extends EnrolmentSchedule {
  attorneyId: number;
  planId: number;
  hasEnded: boolean;
  /** Period to due date. */
  billed: Map<number, string>;
}

/** A small network whose clock, people and plans a history uses. */
export class DuesWorld {
  today = plainDate("2026-01-20");
  readonly enrolments = new Map<number, Enrolled>();
  readonly archived = new Set<number>();
  /** Each Subscribe all that was not undone, with the ids of its enrolments. */
  readonly batches = new Map<number, number[]>();
  readonly db: Db;
  readonly network: MadeNetwork;
  readonly attorneys: number[];
  readonly plans: MadePlan[];

  constructor(db: Db, network: MadeNetwork, attorneys: number[], plans: MadePlan[]) {
    this.db = db;
    this.network = network;
    this.attorneys = attorneys;
    this.plans = plans;
  }

  async take(step: DuesStep): Promise<void> {
    switch (step.kind) {
      case "days pass":
        this.today = this.today.add({ days: step.days });
        return;
      case "enrol":
        return await this.enrol(step);
      case "subscribe all":
        return await this.subscribeAll(step);
      case "unsubscribe":
        return await this.unsubscribe(step.enrolment);
      case "end several":
        return await this.endEnrolments(step.enrolments);
      case "archive":
        return await this.archive(this.planOf(step.plan));
      case "bill":
        return await this.bill(this.today.add({ days: step.ahead }));
      case "hourly job":
        return await this.hourlyJob();
    }
  }

  planOf = (choice: number): MadePlan => inTurn(this.plans, choice);

  async enrol(step: { attorney: number; plan: number; startsIn: number; atOnce: boolean }) {
    const plan = this.planOf(step.plan);
    if (this.archived.has(plan.id)) return;
    const attorneyId = inTurn(this.attorneys, step.attorney);
    const wanted = { attorney_id: attorneyId, ...this.wanted(plan, step) };
    await inTransaction(this.db, (tx) =>
      enrollAttorney(tx, this.network.admin, wanted, this.today),
    );
    await this.remember(attorneyId, plan, step);
  }

  async subscribeAll(step: { plan: number; startsIn: number; atOnce: boolean }) {
    const plan = this.planOf(step.plan);
    if (this.archived.has(plan.id)) return;
    const isIn = (attorneyId: number) =>
      [...this.enrolments.values()].some(
        (one) => one.attorneyId === attorneyId && one.planId === plan.id && !one.hasEnded,
      );
    const missing = this.attorneys.filter((attorneyId) => !isIn(attorneyId));
    const wanted = this.wanted(plan, step);
    const { batchId, ...counts } = await inTransaction(this.db, (tx) =>
      enrollAll(tx, this.network.admin, wanted, this.today),
    );
    const made = [];
    for (const attorneyId of missing) made.push(await this.remember(attorneyId, plan, step));
    this.batches.set(batchId, made);
    assert.deepEqual(counts, {
      subscribed: missing.length,
      alreadySubscribed: this.attorneys.length - missing.length,
      left: 0,
      debitsCreated: wanted.bill_immediately ? missing.length : 0,
    });
  }

  wanted(plan: MadePlan, { startsIn, atOnce }: { startsIn: number; atOnce: boolean }) {
    return {
      lrs_subscription_id: plan.id,
      start_date: this.today.add({ days: startsIn }).toString(),
      bill_immediately: atOnce && startsIn <= 0,
      note: "",
    };
  }

  /** Record a step in the model, with the id that the database assigned. */
  async remember(
    attorneyId: number,
    plan: MadePlan,
    { startsIn, atOnce }: { startsIn: number; atOnce: boolean },
  ): Promise<number> {
    const { id } = await this.db
      .selectFrom("enrolments")
      .select("id")
      .where("networkId", "=", this.network.id)
      .where("attorneyId", "=", attorneyId)
      .where("planId", "=", plan.id)
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirstOrThrow();
    const enrolled: Enrolled = {
      attorneyId,
      planId: plan.id,
      hasEnded: false,
      billed: new Map(),
      startDate: this.today.add({ days: startsIn }),
      everyMonths: plan.frequencyInMonths,
      enrolledOn: this.today,
      billImmediately: atOnce && startsIn <= 0,
    };
    assert.ok(!this.enrolments.has(id));
    this.enrolments.set(id, enrolled);
    if (enrolled.billImmediately) recordBilledThrough(enrolled, this.today);
    return id;
  }

  /**
   * A Subscribe all was undone: its enrolments bill nothing more; those who had left stay unsubscribed.
   * Returns how many had not left.
   */
  forget(batchId: number): number {
    const made = (this.batches.get(batchId) ?? []).flatMap((id) => this.enrolments.get(id) ?? []);
    const active = made.filter(({ hasEnded }) => !hasEnded);
    for (const enrolled of active) enrolled.hasEnded = true;
    this.batches.delete(batchId);
    return active.length;
  }

  active = () => [...this.enrolments].filter(([, one]) => !one.hasEnded);

  async unsubscribe(choice: number) {
    const active = this.active();
    if (active.length === 0) return;
    const [id, enrolled] = inTurn(active, choice);
    await inTransaction(this.db, (tx) => endEnrolment(tx, this.network.admin, id, this.today));
    this.end(enrolled);
  }

  async endEnrolments(choices: number[]) {
    const active = this.active();
    if (active.length === 0) return;
    const chosen = new Map(choices.map((choice) => inTurn(active, choice)));
    const missing = [...chosen.keys()].flatMap((id) =>
      this.dueBy(this.today).filter((due) => due.startsWith(`${id} `)),
    );
    const { ended, debitsCreated } = await inTransaction(this.db, (tx) =>
      endEnrolments(tx, this.network.admin, [...chosen.keys()], this.today),
    );
    assert.deepEqual([ended, debitsCreated], [chosen.size, missing.length]);
    for (const enrolled of chosen.values()) this.end(enrolled);
  }

  async archive(plan: MadePlan) {
    if (this.archived.has(plan.id)) return;
    await inTransaction(this.db, (tx) =>
      archivePlanAndEnrolments(tx, this.network.admin, plan.id, this.today),
    );
    this.archived.add(plan.id);
    for (const enrolled of this.enrolments.values())
      if (enrolled.planId === plan.id && !enrolled.hasEnded) this.end(enrolled);
  }

  /** What fell due by the date of leaving is owed, whether or not a run has billed it. */
  end(enrolled: Enrolled) {
    recordBilledThrough(enrolled, this.today);
    enrolled.hasEnded = true;
  }

  async bill(asOf: PlainDate) {
    const expected = this.dueBy(asOf);
    const rehearsed = await dryRunBilling(this.db, this.network.id, asOf);
    const run = await runBilling(this.db, this.network.admin, asOf);
    for (const enrolled of this.enrolments.values())
      if (!enrolled.hasEnded) recordBilledThrough(enrolled, asOf);
    const told = [expected.length, rehearsed.amountCents, 0];
    assert.deepEqual([rehearsed.debits, rehearsed.amountCents, rehearsed.failures], told);
    assert.deepEqual([run.debits, run.amountCents, run.failures], told);
    await this.compare();
  }

  async hourlyJob() {
    const noon = this.today.toZonedDateTime("UTC").add({ hours: 12 }).toInstant();
    const waiting = await networksToBill(this.db, noon.toString());
    if (waiting.some(({ id }) => id === this.network.id)) await this.bill(this.today);
    assert.deepEqual(this.dueBy(this.today), []); // a skipped network has no overdue billing
  }

  /** What is due by a date and not billed: enrolment and date, in the order of the list. */
  dueBy(asOf: PlainDate): string[] {
    return [...this.enrolments]
      .filter(([, enrolled]) => !enrolled.hasEnded)
      .flatMap(([id, enrolled]) =>
        dueThrough(enrolled, asOf)
          .filter(({ period }) => !enrolled.billed.has(period))
          .map(({ dueOn }) => `${id} ${dueOn.toString()}`),
      )
      .toSorted();
  }

  async compare() {
    const debits = await this.db
      .selectFrom("debits")
      .select(["attorneyId", "enrolmentId", "period", "dueOn", "amountCents"])
      .where("networkId", "=", this.network.id)
      .where("enrolmentId", "is not", null)
      .execute();
    const amounts = new Map(this.plans.map(({ id, amountCents }) => [id, amountCents]));
    const expected = [...this.enrolments].flatMap(([id, { attorneyId, planId, billed }]) =>
      [...billed].map(
        ([period, dueOn]) => `${attorneyId} ${id} ${period} ${dueOn} ${amounts.get(planId)}`,
      ),
    );
    const made = debits.map((debit) => Object.values(debit).join(" "));
    assert.deepEqual(made.toSorted(), expected.toSorted());
    const missing = await findDueButNotBilled(this.db, this.network.admin, this.today);
    assert.deepEqual(
      missing.map((row) => `${row.enrolmentId} ${row.dueDate}`).toSorted(),
      this.dueBy(this.today),
    );
  }
}

function recordBilledThrough(enrolled: Enrolled, asOf: PlainDate): void {
  for (const { period, dueOn } of dueThrough(enrolled, asOf))
    if (!enrolled.billed.has(period)) enrolled.billed.set(period, dueOn.toString());
}

/** Four plans without enrolments, on 20 January 2026. */
export async function aDuesWorld(
  db: Db,
  network: MadeNetwork,
  attorneys: number[],
): Promise<DuesWorld> {
  const plans = await Promise.all(
    [1, 1, 3, 12].map((everyMonths, index) =>
      makePlan(db, network, { everyMonths, amountCents: 1000 * (5 - index) + index }),
    ),
  );
  return new DuesWorld(db, network, attorneys, plans);
}
