import * as fc from "fast-check";
import { expect } from "vitest";
import * as contract from "#features/checks/contract.ts";
import { adjustDebit } from "#features/ledger/contract.ts";
import { verifyLedger } from "#features/ledger/verify-ledger.ts";
import { confirmChecks } from "#features/payments/contract.ts";
import { makeNetwork, type MadeNetwork } from "#features/demo/records/networks.ts";
import { makeAttorney } from "#features/demo/records/attorneys.ts";
import { aFirm, applyCredit, creditsOf, giveBack } from "#tests/support/received-checks.ts";
import { makeDebit } from "#features/demo/records/dues.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { rounds } from "#tests/support/rounds.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/*
 * Random histories of checks of a firm of two lawyers: recorded, decided whole and share by share, returned,
 * with credit applied and given back in between. A model of a few lines says beforehand what each request
 * will be answered and what everybody owes after it.
 */

const test = appTest({ clock: "2026-11-20T16:00:00Z" });

/** The first two debits are the first lawyer's. */
const amounts = [5_000, 2_000, 3_000];
const ownerOf = (place: number) => (place < 2 ? 0 : 1);

type Payer = "firm" | 0 | 1;

interface Share {
  id: number;
  place: number;
  cents: number;
  status: string;
}

interface Check {
  id: number;
  number: string;
  payer: Payer;
  shares: Share[];
  /** Of each lawyer. */
  credits: [number, number];
  status: string;
}

interface Credit {
  id: number;
  check: Check;
  owner: number;
  left: number;
  applied: number[];
  givenBack: number;
}

class Model {
  readonly balances = [...amounts];
  readonly checks: Check[] = [];
  readonly credits: Credit[] = [];
  readonly charged: [number, number] = [0, 0];

  pendingOn(place: number): number {
    return this.shares()
      .filter((share) => share.place === place && share.status === "pending")
      .reduce((added, share) => added + share.cents, 0);
  }

  freeOn(place: number): number {
    return (this.balances[place] ?? 0) - this.pendingOn(place);
  }

  shares(): Share[] {
    return this.checks.flatMap((check) => check.shares);
  }

  isTaken(number: string, payer: Payer, places: number[]): boolean {
    const stands = (status: string) => status !== "denied" && status !== "returned";
    return this.checks
      .filter((check) => check.number === number)
      .some(
        (check) =>
          (check.payer === payer && stands(check.status)) ||
          check.shares.some((share) => places.includes(share.place) && stands(share.status)),
      );
  }

  /** Shares were decided: the check may be settled by it, and bring its credit. */
  settle(check: Check, whole: string | null): void {
    const statuses = check.shares.map((share) => share.status);
    if (statuses.includes("pending")) return;
    if (statuses.length === 0) check.status = whole ?? check.status;
    else if (statuses.every((status) => status === "approved")) check.status = "approved";
    else check.status = statuses.includes("approved") ? "mixed" : "denied";
    if (check.status === "denied" || check.status === "pending") return;
    for (const [owner, left] of check.credits.entries())
      if (left > 0)
        this.credits.push({ id: 0, check, owner, left, applied: [0, 0, 0], givenBack: 0 });
  }

  decide(share: Share, status: string): void {
    share.status = status;
    if (status === "approved") this.move(share.place, -share.cents);
  }

  move(place: number, cents: number): void {
    this.balances[place] = (this.balances[place] ?? 0) + cents;
  }

  bounce(check: Check, fee: number): void {
    const part: [number, number] = [0, 0];
    for (const share of check.shares.filter(({ status }) => status === "approved")) {
      share.status = "returned";
      this.move(share.place, share.cents);
      part[ownerOf(share.place) === 0 ? 0 : 1] += share.cents;
    }
    for (const credit of this.credits.filter((one) => one.check === check)) {
      const owner = credit.owner === 0 ? 0 : 1;
      part[owner] += check.credits[owner];
      this.charged[owner] += credit.givenBack;
      for (const [place, cents] of credit.applied.entries()) this.move(place, cents);
      credit.applied = [0, 0, 0];
      credit.left = 0;
    }
    this.charged[part[1] > part[0] ? 1 : 0] += fee;
    check.status = "returned";
  }
}

const cents = fc.oneof(fc.constant(0), fc.constantFrom(100, 1_000, 2_000), fc.nat({ max: 3_000 }));
const pick = fc.nat({ max: 20 });
type Step =
  | {
      kind: "record";
      payer: Payer;
      number: number;
      shares: number[];
      credits: number[];
      over: number;
      approve: boolean;
    }
  | { kind: "decide"; picks: { check: number; approved: boolean }[] }
  | { kind: "confirm"; picks: { share: number; approved: boolean }[] }
  | { kind: "bounce"; check: number; fee: number }
  | { kind: "adjust"; place: number; cents: number; increase: boolean }
  | { kind: "apply"; credit: number; place: number; cents: number }
  | { kind: "give back"; credit: number; cents: number };

const isApproved = fc.boolean();
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant<"record">("record"),
      payer: fc.constantFrom<Payer>("firm", "firm", "firm", 0, 1),
      number: fc.nat({ max: 6 }),
      shares: fc.array(cents, { minLength: 3, maxLength: 3 }),
      credits: fc.array(cents, { minLength: 2, maxLength: 2 }),
      over: fc.constantFrom(0, 0, 0, 0, 1, -1),
      approve: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant<"decide">("decide"),
      picks: fc.array(fc.record({ check: pick, approved: isApproved }), {
        minLength: 1,
        maxLength: 2,
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant<"confirm">("confirm"),
      picks: fc.array(fc.record({ share: pick, approved: isApproved }), {
        minLength: 1,
        maxLength: 2,
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant<"bounce">("bounce"),
      check: pick,
      fee: fc.constantFrom(0, 1, 3_500),
    }),
  },
  fc.record({
    kind: fc.constant<"adjust">("adjust"),
    place: fc.nat({ max: 2 }),
    cents: fc.integer({ min: 1, max: 3_000 }),
    increase: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant<"apply">("apply"),
    credit: pick,
    place: fc.nat({ max: 2 }),
    cents: fc.integer({ min: 1, max: 1_500 }),
  }),
  fc.record({
    kind: fc.constant<"give back">("give back"),
    credit: pick,
    cents: fc.integer({ min: 1, max: 1_500 }),
  }),
);

const dollars = (amount: number) => (amount / 100).toFixed(2); // the test's own arithmetic, not the product's
const sumOf = (list: number[]) => list.reduce((added, one) => added + one, 0);

interface World {
  network: MadeNetwork;
  admin: Visitor;
  firm: number;
  lawyers: number[];
  debits: number[];
}

class History {
  readonly model = new Model();
  readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  /** Answers the status that the model expected and the one that came. */
  async take(step: Step): Promise<[number, number]> {
    if (step.kind === "record") return await this.record(step);
    if (step.kind === "decide") return await this.decide(step.picks);
    if (step.kind === "confirm") return await this.confirm(step.picks);
    if (step.kind === "bounce") return await this.bounce(step);
    if (step.kind === "adjust") return await this.adjust(step);
    await this.useCredit(step);
    return [200, 200];
  }

  async record(step: Step & { kind: "record" }): Promise<[number, number]> {
    const { model, world } = this;
    const { payer, shares, credits } = step;
    const number = `N-${step.number}`;
    const paid = shares.flatMap((amount, place) => (amount > 0 ? [{ place, amount }] : []));
    const kept = credits.flatMap((amount, owner) => (amount > 0 ? [{ owner, amount }] : []));
    const placed = sumOf(shares) + sumOf(credits);
    const owners = [...paid.map(({ place }) => ownerOf(place)), ...kept.map(({ owner }) => owner)];
    const isForeign = payer !== "firm" && owners.some((owner) => owner !== payer);
    const isTooMuch = paid.some(({ place, amount }) => amount > model.freeOn(place));
    const places = paid.map(({ place }) => place);
    const expected =
      placed === 0 || step.over !== 0 || isForeign
        ? 422
        : isTooMuch || model.isTaken(number, payer, places)
          ? 409
          : 200;
    const reply = await world.admin.ask(contract.recordWholeCheck, {
      body: {
        check_number: number,
        amount: dollars(Math.max(1, placed + step.over)),
        received_on: "2026-11-20",
        ...(payer === "firm" ? { firm_id: world.firm } : { attorney_id: world.lawyers[payer] }),
        shares: Object.fromEntries(
          paid.map(({ place, amount }) => [world.debits[place], dollars(amount)]),
        ),
        credits: Object.fromEntries(
          kept.map(({ owner, amount }) => [world.lawyers[owner], dollars(amount)]),
        ),
        approve: step.approve,
      },
    });
    if (reply.status === 200) {
      const check: Check = {
        id: reply.object.id,
        number,
        payer,
        shares: reply.object.shares.map((share) => ({
          id: share.shareId,
          place: world.debits.indexOf(share.debitId),
          cents: Math.round(Number(share.amount) * 100),
          status: "pending",
        })),
        credits: [credits[0] ?? 0, credits[1] ?? 0],
        status: "pending",
      };
      model.checks.push(check);
      if (step.approve) this.decideAll(check, "approved");
    }
    return [expected, reply.status];
  }

  decideAll(check: Check, status: string): void {
    for (const share of check.shares)
      if (share.status === "pending") this.model.decide(share, status);
    this.model.settle(check, status);
  }

  async decide(picks: { check: number; approved: boolean }[]): Promise<[number, number]> {
    const { checks } = this.model;
    const chosen = new Map(
      picks.flatMap(({ check, approved }) => {
        const picked = checks[check % checks.length];
        return picked ? [[picked, approved] as const] : [];
      }),
    );
    if (chosen.size === 0) return [200, 200];
    const expected = [...chosen.keys()].every(({ status }) => status === "pending") ? 200 : 409;
    const those = (isOne: boolean) =>
      [...chosen].filter(([, approved]) => approved === isOne).map(([{ id }]) => id);
    const body = { approve: those(true), deny: those(false) };
    const reply = await this.world.admin.ask(contract.decideWholeChecks, { body });
    if (reply.status === 200)
      for (const [check, approved] of [...chosen].toSorted(([a], [b]) => a.id - b.id))
        this.decideAll(check, approved ? "approved" : "denied");
    return [expected, reply.status];
  }

  async confirm(picks: { share: number; approved: boolean }[]): Promise<[number, number]> {
    const shares = this.model.shares();
    const chosen = new Map(
      picks.flatMap(({ share, approved }) => {
        const picked = shares[share % shares.length];
        return picked ? [[picked, approved] as const] : [];
      }),
    );
    if (chosen.size === 0) return [200, 200];
    const expected = [...chosen.keys()].every(({ status }) => status === "pending") ? 200 : 409;
    const word = (approved: boolean) => (approved ? "approved" : "denied");
    const statuses = Object.fromEntries(
      [...chosen].map(([{ id }, approved]) => [id, word(approved)]),
    );
    const reply = await this.world.admin.ask(confirmChecks, { body: { statuses } });
    if (reply.status === 200) {
      for (const [share, approved] of chosen) this.model.decide(share, word(approved));
      for (const check of this.model.checks)
        if (check.status === "pending" && check.shares.some((share) => chosen.has(share)))
          this.model.settle(check, null);
    }
    return [expected, reply.status];
  }

  async bounce(step: Step & { kind: "bounce" }): Promise<[number, number]> {
    const { checks } = this.model;
    const check = checks[step.check % checks.length];
    if (!check) return [200, 200];
    const expected = check.status === "approved" || check.status === "mixed" ? 200 : 409;
    const reply = await this.world.admin.ask(contract.returnCheck, {
      params: { id: check.id },
      body: { returned_on: "2026-11-20", ...(step.fee > 0 && { fee: dollars(step.fee) }) },
    });
    if (reply.status === 200) this.model.bounce(check, step.fee);
    return [expected, reply.status];
  }

  async adjust(step: Step & { kind: "adjust" }): Promise<[number, number]> {
    const { place, cents: amount, increase } = step;
    const expected = increase || amount <= this.model.freeOn(place) ? 200 : 409;
    const reply = await this.world.admin.ask(adjustDebit, {
      body: {
        debit_id: this.world.debits[place],
        amount: dollars(amount),
        direction: increase ? "increase" : "decrease",
      },
    });
    if (reply.status === 200) this.model.move(place, increase ? amount : -amount);
    return [expected, reply.status];
  }

  /** As much as there is of what is asked for; credits are known by their age. */
  async useCredit(step: Step & { kind: "apply" | "give back" }): Promise<void> {
    const { model, world } = this;
    const index = step.credit % Math.max(1, model.credits.length);
    const credit = model.credits[index];
    if (!credit) return;
    const stored = (await creditsOf(app.db, world.network))[index];
    if (!stored) throw new Error("The model has more credits than the network.");
    if (step.kind === "give back") {
      const amount = Math.min(step.cents, credit.left);
      if (amount === 0) return;
      await giveBack(app.db, world.network, { creditId: stored.id, cents: amount });
      credit.givenBack += amount;
      credit.left -= amount;
      return;
    }
    const { place } = step;
    const amount = Math.min(step.cents, credit.left, model.freeOn(place));
    if (amount === 0 || ownerOf(place) !== credit.owner) return;
    const debitId = world.debits[place] ?? 0;
    await applyCredit(app.db, world.network, { creditId: stored.id, debitId, cents: amount });
    credit.applied[place] = (credit.applied[place] ?? 0) + amount;
    credit.left -= amount;
    model.move(place, -amount);
  }

  /** What the model says of all that there is, and what there is. */
  async seen(): Promise<[unknown, unknown]> {
    const { model, world } = this;
    const standings = world.debits.map((debit) => standingOf(app.db, debit));
    const { object: list } = await world.admin.ask(contract.listChecks, {
      query: { per_page: 200 },
    });
    const charges = await app.db
      .selectFrom("debits")
      .select(["attorneyId", "balanceCents"])
      .where("networkId", "=", world.network.id)
      .where("chargeId", "is not", null)
      .execute();
    const pending = model.checks.filter(({ status }) => status === "pending");
    const amountOf = (check: Check) =>
      sumOf(check.shares.map((share) => share.cents)) + sumOf(check.credits);
    const expected = {
      debits: model.balances.map((balance, place) => ({
        balance,
        pending: model.pendingOn(place),
      })),
      credits: model.credits.map(({ owner, left }) => [world.lawyers[owner], left]),
      charged: model.charged,
      checks: model.checks
        .map(({ id, status, shares }) => [id, status, shares.map((share) => share.status)])
        .toReversed(),
      pending: { count: pending.length, amount: dollars(sumOf(pending.map(amountOf))) },
    };
    const actual = {
      debits: await Promise.all(standings),
      credits: (await creditsOf(app.db, world.network)).map((one) => [one.attorneyId, one.left]),
      charged: world.lawyers.map((id) =>
        sumOf(charges.filter((one) => one.attorneyId === id).map((one) => one.balanceCents)),
      ),
      checks: list.items.map(({ id, status, shares }) => [
        id,
        status,
        shares.map((share) => share.status),
      ]),
      pending: list.pending,
    };
    return [expected, actual];
  }
}

async function aWorld(): Promise<World> {
  const network = await makeNetwork(app.db);
  // Credit is applied by nothing but the steps: src/features/ledger plays what is paid from it by itself.
  await app.db
    .updateTable("networks")
    .set({ appliesCreditAutomatically: false })
    .where("id", "=", network.id)
    .execute();
  const lawyers = [await makeAttorney(app.db, network), await makeAttorney(app.db, network)];
  const debits: number[] = [];
  for (const [place, amountCents] of amounts.entries()) {
    const owner = lawyers[ownerOf(place)];
    if (owner) debits.push(await makeDebit(app.db, network, owner, { amountCents }));
  }
  return {
    network,
    admin: await signedIn(app, "admin", network),
    firm: await aFirm(app.db, network, lawyers),
    lawyers: lawyers.map(({ id }) => id),
    debits,
  };
}

test("whatever becomes of a firm's checks, answers, balances and credit are the model's", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 8, maxLength: 40 }), async (plan) => {
      const history = new History(await aWorld());
      for (const step of plan) {
        const [expected, answered] = await history.take(step);
        expect([step.kind, answered]).toEqual([step.kind, expected]);
        const [foreseen, seen] = await history.seen();
        expect(seen).toEqual(foreseen);
      }
      const { network } = history.world;
      expect(await ledgerOffences(app.db, network.id)).toEqual([]);
      const checks = await verifyLedger(app.db, network.id);
      expect(checks.filter((check) => check.offenders > 0)).toEqual([]);
    }),
    { numRuns: rounds(8, 40) },
  );
});
