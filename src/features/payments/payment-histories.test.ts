import * as fc from "fast-check";
import { expect } from "vitest";
import { showAttorney } from "#features/attorneys/contract.ts";
import { adjustDebit } from "#features/ledger/contract.ts";
import { verifyLedger } from "#features/ledger/verify-ledger.ts";
import { confirmChecks, payByCheck } from "#features/payments/contract.ts";
import { makeNetwork } from "#features/demo/records/networks.ts";
import { makeAttorney } from "#features/demo/records/attorneys.ts";
import { makeDebit } from "#features/demo/records/dues.ts";
import { ledgerOffences } from "#tests/support/ledger.ts";
import { rounds } from "#tests/support/rounds.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/*
 * Random histories of payments, decisions and adjustments, through the door, held against a model of
 * a few lines that says beforehand what each request will be answered.
 */

const test = appTest();

const amounts = [5_000, 2_000, 100];

interface Share {
  id: number;
  place: number;
  cents: number;
  number: string;
  status: "pending" | "approved" | "denied";
}

class Ledger {
  readonly balances = [...amounts];
  readonly shares: Share[] = [];

  pendingOn(place: number): number {
    return this.shares
      .filter((share) => share.place === place && share.status === "pending")
      .reduce((added, share) => added + share.cents, 0);
  }

  availableOn(place: number): number {
    return (this.balances[place] ?? 0) - this.pendingOn(place);
  }

  isDuplicate(number: string, place: number): boolean {
    return this.shares.some(
      (share) => share.place === place && share.number === number && share.status !== "denied",
    );
  }
}

type Step =
  | { kind: "pay"; shares: number[]; number: number; byAdmin: boolean }
  | { kind: "decide"; picks: { share: number; approved: boolean }[] }
  | { kind: "adjust"; place: number; cents: number; increase: boolean };

const cents = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 3_000 }),
  fc.constantFrom(1, 100, 2_000, 5_000),
);
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant<"pay">("pay"),
    shares: fc.array(cents, { minLength: 3, maxLength: 3 }),
    number: fc.nat({ max: 5 }),
    byAdmin: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant<"decide">("decide"),
    picks: fc.array(fc.record({ share: fc.nat({ max: 30 }), approved: fc.boolean() }), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
  fc.record({
    kind: fc.constant<"adjust">("adjust"),
    place: fc.nat({ max: 2 }),
    cents: fc.integer({ min: 1, max: 3_000 }),
    increase: fc.boolean(),
  }),
);

const dollars = (amount: number) => (amount / 100).toFixed(2); // the test's own arithmetic, not the product's

class History {
  readonly ledger = new Ledger();
  readonly admin: Visitor;
  readonly lawyer: Visitor;
  readonly attorneyId: number;
  readonly debits: number[];

  constructor(admin: Visitor, lawyer: Visitor, attorneyId: number, debits: number[]) {
    this.admin = admin;
    this.lawyer = lawyer;
    this.attorneyId = attorneyId;
    this.debits = debits;
  }

  /** Answers what the model expected and what the server said, as one line each. */
  async take(step: Step): Promise<[string, string]> {
    if (step.kind === "pay") return await this.pay(step);
    if (step.kind === "decide") return await this.decide(step.picks);
    return await this.adjust(step);
  }

  async pay({ shares, number, byAdmin }: Step & { kind: "pay" }): Promise<[string, string]> {
    const { ledger } = this;
    const checkNumber = `C-${number}`;
    const paid = shares.flatMap((amount, place) => (amount > 0 ? [{ place, amount }] : []));
    const isTooMuch = paid.some(({ place, amount }) => amount > ledger.availableOn(place));
    const isDuplicate = paid.some(({ place }) => ledger.isDuplicate(checkNumber, place));
    const expected = paid.length === 0 ? 422 : isTooMuch || isDuplicate ? 409 : 200;
    const hash = Object.fromEntries(
      shares.map((amount, place) => [this.debits[place], dollars(amount)]),
    );
    const reply = await (byAdmin ? this.admin : this.lawyer).ask(payByCheck, {
      body: { payment_hash: hash, check_number: checkNumber },
    });
    if (reply.status === 200) {
      for (const { place, amount } of paid) {
        const listed = reply.object.debits.find((debit) => debit.id === this.debits[place]);
        const id = listed?.pendingPayments.find((share) => share.checkNumber === checkNumber)?.id;
        ledger.shares.push({
          id: id ?? 0,
          place,
          cents: amount,
          number: checkNumber,
          status: "pending",
        });
      }
    }
    return [`pay ${expected}`, `pay ${reply.status}`];
  }

  async decide(picks: { share: number; approved: boolean }[]): Promise<[string, string]> {
    const { shares, balances } = this.ledger;
    if (shares.length === 0) return ["nothing to decide", "nothing to decide"];
    const chosen = new Map(
      picks.flatMap(({ share, approved }) => {
        const picked = shares[share % shares.length];
        return picked ? [[picked, approved] as const] : [];
      }),
    );
    const expected = [...chosen.keys()].every((share) => share.status === "pending") ? 200 : 409;
    const statuses = Object.fromEntries(
      [...chosen].map(([share, approved]) => [share.id, approved ? "approved" : "denied"]),
    );
    const reply = await this.admin.ask(confirmChecks, { body: { statuses } });
    if (reply.status === 200) {
      for (const [share, approved] of chosen) {
        share.status = approved ? "approved" : "denied";
        if (approved) balances[share.place] = (balances[share.place] ?? 0) - share.cents;
      }
    }
    return [`decide ${expected}`, `decide ${reply.status}`];
  }

  async adjust({
    place,
    cents: amount,
    increase,
  }: Step & { kind: "adjust" }): Promise<[string, string]> {
    const { balances } = this.ledger;
    const expected = increase || amount <= this.ledger.availableOn(place) ? 200 : 409;
    const reply = await this.admin.ask(adjustDebit, {
      body: {
        debit_id: this.debits[place],
        amount: dollars(amount),
        direction: increase ? "increase" : "decrease",
      },
    });
    if (reply.status === 200)
      balances[place] = (balances[place] ?? 0) + (increase ? amount : -amount);
    return [`adjust ${expected}`, `adjust ${reply.status}`];
  }

  /** What the model says that the attorney sees, and what the attorney sees. */
  async seen(): Promise<[unknown, unknown]> {
    const { object: record } = await this.lawyer.ask(showAttorney, {
      params: { id: this.attorneyId },
    });
    const { balances, shares } = this.ledger;
    const expected = {
      balance: dollars(balances.reduce((added, balance) => added + balance, 0)),
      debits: balances.flatMap((balance, place) =>
        balance > 0 ? [[this.debits[place], dollars(balance)]] : [],
      ),
      checks: shares
        .map((share) => [share.id, dollars(share.cents), share.status] as const)
        .toSorted(([a], [b]) => b - a),
    };
    const actual = {
      balance: record.balance,
      debits: record.debits.map((debit) => [debit.id, debit.balance]),
      checks: record.checkPayments.map((share) => [share.id, share.quantity, share.status]),
    };
    return [expected, actual];
  }
}

test("whatever is paid, decided and adjusted, answers and balances are the model's", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 25 }), async (plan) => {
      const network = await makeNetwork(app.db);
      const attorney = await makeAttorney(app.db, network);
      const debits: number[] = [];
      for (const amountCents of amounts)
        debits.push(await makeDebit(app.db, network, attorney, { amountCents }));
      const history = new History(
        await signedIn(app, "admin", network),
        await signedIn(app, attorney, network),
        attorney.id,
        debits,
      );
      for (const step of plan) {
        const [expected, answered] = await history.take(step);
        expect(answered).toBe(expected);
      }
      const [expected, actual] = await history.seen();
      expect(actual).toEqual(expected);
      expect(await ledgerOffences(app.db, network.id)).toEqual([]);
      const checks = await verifyLedger(app.db, network.id);
      expect(checks.filter((check) => check.offenders > 0)).toEqual([]);
    }),
    { numRuns: rounds(8, 20) },
  );
});
