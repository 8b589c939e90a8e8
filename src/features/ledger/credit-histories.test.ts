import * as fc from "fast-check";
import { expect } from "vitest";
import { type PlainDate, plainDate } from "#domain/calendar.ts";
import { cents } from "#domain/money.ts";
import type { Db } from "#db/database.ts";
import { inTransaction } from "#db/transaction.ts";
import { Refusal } from "#contract/refusal.ts";
import { adjust } from "#features/ledger/adjustments.ts";
import { runBilling } from "#features/ledger/billing-run.ts";
import { makeCharge } from "#features/ledger/charges.ts";
import { spendCredit } from "#features/ledger/credit.ts";
import { writeMoneySettings } from "#features/ledger/money-settings.ts";
import { verifyLedger } from "#features/ledger/verify-ledger.ts";
import { makeNetwork, type MadeNetwork } from "#features/demo/records/networks.ts";
import { makeAttorney, type MadeAttorney } from "#features/demo/records/attorneys.ts";
import { aCredit, ledgerOffences } from "#tests/support/ledger.ts";
import { makeEnrolment, makePlan } from "#features/demo/records/dues.ts";
import { rounds } from "#tests/support/rounds.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/*
 * Billing, charges, adjustments and credit in any order, beside a model that knows of each attorney the
 * receipts and what is left of them, and of each debit what is owed. They agree to the cent after each step.
 */

const test = appTest();

type Step =
  | { kind: "bill"; days: number }
  | { kind: "charge"; attorneys: number[]; amount: number; daysAgo: number }
  | { kind: "receive"; attorney: number; amount: number }
  | { kind: "apply"; debit: number; amount: number }
  | { kind: "give back"; attorney: number; amount: number }
  | { kind: "adjust"; debit: number; amount: number; isUp: boolean }
  | { kind: "set"; automatically: boolean };

const attorney = fc.nat({ max: 2 });
const debit = fc.nat({ max: 40 });
const amount = fc.integer({ min: 1, max: 9000 });
const of = <Kind extends Step["kind"]>(kind: Kind, more: object, weight: number) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), ...more }),
});
const steps = fc.oneof(
  of("bill", { days: fc.nat({ max: 45 }) }, 4),
  of("charge", { attorneys: fc.array(attorney, { minLength: 1 }), amount, daysAgo: debit }, 3),
  of("receive", { attorney, amount }, 5),
  of("apply", { debit, amount }, 4),
  of("give back", { attorney, amount }, 2),
  of("adjust", { debit, amount, isUp: fc.boolean() }, 3),
  of("set", { automatically: fc.boolean() }, 1),
) as fc.Arbitrary<Step>;

interface ModelDebit {
  id: number;
  attorneyId: number;
  owed: number;
}

class CreditWorld {
  today = plainDate("2026-02-01");
  isAutomatic = true;
  /** By attorney, what is left of each receipt, oldest first. */
  readonly receipts: Map<number, number[]>;
  readonly debits: ModelDebit[] = [];
  readonly db: Db;
  readonly network: MadeNetwork;
  readonly attorneys: MadeAttorney[];

  constructor(db: Db, network: MadeNetwork, attorneys: MadeAttorney[]) {
    this.db = db;
    this.network = network;
    this.attorneys = attorneys;
    this.receipts = new Map(attorneys.map(({ id }) => [id, []]));
  }

  get admin() {
    return this.network.admin;
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case "bill":
        this.today = this.today.add({ days: step.days });
        await runBilling(this.db, this.admin, this.today);
        return await this.learnNewDebits();
      case "charge":
        return await this.charge(step);
      case "receive": {
        const { id } = this.attorneyOf(step.attorney);
        await aCredit(this.db, this.network, id, step.amount);
        this.receiptsOf(id).push(step.amount);
        return;
      }
      case "apply":
        return await this.apply(step);
      case "give back": {
        const { id } = this.attorneyOf(step.attorney);
        const isAllowed = step.amount <= this.creditOf(id);
        const wanted = { action: "give_back" as const, note: "Sent back" };
        await this.expectAllowed(isAllowed, (tx) =>
          spendCredit(tx, this.admin, {
            attorneyId: id,
            wanted: { ...wanted, amount: cents(step.amount) },
          }),
        );
        if (isAllowed) this.spend(id, step.amount);
        return;
      }
      case "adjust":
        return await this.adjust(step);
      case "set":
        this.isAutomatic = step.automatically;
        await inTransaction(this.db, (tx) =>
          writeMoneySettings(tx, this.admin, {
            applies_credit_automatically: step.automatically,
          }),
        );
    }
  }

  async charge(step: { attorneys: number[]; amount: number; daysAgo: number }) {
    const wanted = {
      attorney_ids: step.attorneys.map((choice) => this.attorneyOf(choice).id),
      name: "Late fee",
      amount: cents(step.amount),
      due_on: this.today.subtract({ days: step.daysAgo }).toString(),
      note: "",
    };
    await inTransaction(this.db, (tx) => makeCharge(tx, this.admin, wanted, this.today));
    await this.learnNewDebits();
  }

  async apply(step: { debit: number; amount: number }) {
    const debit = this.debitOf(step.debit);
    if (!debit) return;
    const { attorneyId } = debit;
    const isAllowed = step.amount <= Math.min(this.creditOf(attorneyId), debit.owed);
    await this.expectAllowed(isAllowed, (tx) =>
      spendCredit(tx, this.admin, {
        attorneyId,
        wanted: { action: "apply", debit_id: debit.id, amount: cents(step.amount) },
      }),
    );
    if (!isAllowed) return;
    this.spend(attorneyId, step.amount);
    debit.owed -= step.amount;
  }

  async adjust(step: { debit: number; amount: number; isUp: boolean }) {
    const debit = this.debitOf(step.debit);
    if (!debit) return;
    const isAllowed = step.isUp || step.amount <= debit.owed;
    await this.expectAllowed(isAllowed, (tx) =>
      adjust(tx, this.admin, {
        debit_id: debit.id,
        direction: step.isUp ? "increase" : "decrease",
        amount: cents(step.amount),
        adjustment_note: "",
      }),
    );
    if (isAllowed) debit.owed += step.isUp ? step.amount : -step.amount;
  }

  /** Debits that were made since; which ones is the schedule's rule, how they are paid is this model's. */
  async learnNewDebits() {
    const known = this.debits.length === 0 ? 0 : Math.max(...this.debits.map(({ id }) => id));
    const made = await this.db
      .selectFrom("debits")
      .select(["id", "attorneyId", "amountCents"])
      .where("networkId", "=", this.network.id)
      .where("id", ">", known)
      .orderBy("dueOn")
      .orderBy("id")
      .execute();
    for (const { id, attorneyId, amountCents } of made) {
      const paid = this.isAutomatic ? Math.min(amountCents, this.creditOf(attorneyId)) : 0;
      this.spend(attorneyId, paid);
      this.debits.push({ id, attorneyId, owed: amountCents - paid });
    }
  }

  spend(attorneyId: number, amount: number) {
    let missing = amount;
    const left = this.receiptsOf(attorneyId).map((receipt) => {
      const taken = Math.min(receipt, missing);
      missing -= taken;
      return receipt - taken;
    });
    this.receipts.set(attorneyId, left);
  }

  receiptsOf = (attorneyId: number): number[] => this.receipts.get(attorneyId) ?? [];
  creditOf = (attorneyId: number): number =>
    this.receiptsOf(attorneyId).reduce((sum, left) => sum + left, 0);
  debitOf = (choice: number): ModelDebit | undefined =>
    this.debits[choice % Math.max(1, this.debits.length)];

  attorneyOf(choice: number): MadeAttorney {
    const chosen = this.attorneys[choice];
    if (!chosen) throw new Error("There is no such attorney.");
    return chosen;
  }

  async expectAllowed(isAllowed: boolean, work: (tx: Db) => Promise<unknown>) {
    const refused = await inTransaction(this.db, work).then(
      () => null,
      (problem: unknown) => (problem instanceof Refusal ? problem.status : problem),
    );
    expect(refused).toBe(isAllowed ? null : 409);
  }

  async compare() {
    const credits = await this.db
      .selectFrom("credits")
      .select(["attorneyId", "leftCents"])
      .where("networkId", "=", this.network.id)
      .orderBy("id")
      .execute();
    for (const { id } of this.attorneys)
      expect(
        credits.filter(({ attorneyId }) => attorneyId === id).map(({ leftCents }) => leftCents),
      ).toEqual(this.receiptsOf(id));
    const debits = await this.db
      .selectFrom("debits")
      .select(["id", "balanceCents"])
      .where("networkId", "=", this.network.id)
      .orderBy("id")
      .execute();
    expect(debits.map(({ id, balanceCents }) => [id, balanceCents])).toEqual(
      this.debits.toSorted((a, b) => a.id - b.id).map(({ id, owed }) => [id, owed]),
    );
  }
}

async function aCreditWorld(db: Db, start: PlainDate): Promise<CreditWorld> {
  const network = await makeNetwork(db, { timeZone: "UTC" });
  const plans = [
    await makePlan(db, network, { amountCents: 2500 }),
    await makePlan(db, network, { amountCents: 4001, everyMonths: 2 }),
  ];
  const attorneys: MadeAttorney[] = [];
  for (let made = 0; made < 3; made += 1) {
    const one = await makeAttorney(db, network);
    for (const plan of plans)
      await makeEnrolment(db, one, plan, {
        startDate: start.add({ days: made }).toString(),
        enrolledOn: start.toString(),
      });
    attorneys.push(one);
  }
  return new CreditWorld(db, network, attorneys);
}

test("whatever happens in whatever order, credit and balances are those of the model", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 6, maxLength: 24 }), async (history) => {
      const world = await aCreditWorld(app.db, plainDate("2026-01-15"));
      for (const step of history) {
        await world.take(step);
        await world.compare();
      }
      expect(await ledgerOffences(app.db, world.network.id)).toEqual([]);
      const broken = (await verifyLedger(app.db, world.network.id)).filter(
        (check) => check.offenders > 0,
      );
      expect(broken).toEqual([]);
    }),
    { numRuns: rounds(15, 60) },
  );
});
