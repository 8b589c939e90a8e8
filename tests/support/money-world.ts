import { sql } from "kysely";
import { cents } from "#kit/domain/money.ts";
import { Temporal } from "temporal-polyfill";
import { dayIn, plainDate } from "#kit/domain/calendar.ts";
import { type Day, daysAfter } from "#kit/domain/day.ts";
import type { AttorneyActor } from "#kit/domain/actor.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { beginPayment, prepareAttempt } from "#cards/charge/card-attempt.ts";
import { recordOutcome } from "#cards/charge/settlement.ts";
import type { CardPaymentContext } from "#cards/card-payment-context.ts";
import { type ChargeEvent, voidOf } from "#cards/processors/charge-events.ts";
import type { LookUpOutcome } from "#cards/processors/processor.ts";
import { recordCardTransaction } from "#cards/contract.ts";
import { accountInUseOrRefuse } from "#cards/settings/card-accounts.ts";
import { decideWholeChecks, recordWholeCheck, returnCheck } from "#payments/checks/contract.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { changeDeposit, makeDeposit } from "#payments/deposits/contract.ts";
import {
  adjustDebit,
  changeCredit,
  spendOwnCredit,
  changeMoneySettings,
  createCharge,
} from "#dues/ledger/contract.ts";
import { closeBooks, reopenBooks } from "#dues/ledger/journal/contract.ts";
import { confirmChecks, payByCheck } from "#payments/contract.ts";
import { undoSubscribeAll } from "#dues/plans/contract.ts";
import { takesCards } from "#tests/support/card-network.ts";
import { aDuesWorld, type DuesStep, type DuesWorld } from "#tests/support/dues-world.ts";
import { happened } from "#tests/support/found-charges.ts";
import { inTurn } from "#tests/support/in-turn.ts";
import {
  type CardEvent,
  type CardPayment,
  type Charged,
  type Check,
  type Debit,
  MoneyModel,
  type Share,
  sumOf,
} from "#tests/support/money-model.ts";
import { aFirm } from "#tests/support/received-checks.ts";
import type { RunningApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

/*
 * A network with every movement of money, made with the product's own calls and functions, and in the model.
 * The model predicts the answer of each.
 */

/**
 * An amount of a chosen debit: all that can be paid, at most this much, or this much whether or not it is
 * owed.
 */
interface Part {
  debit: number;
  cents: number;
  fit: "all" | "at most" | "exactly";
}

/** "firm" is the firm of the first two attorneys; the third has none. */
type Payer = "firm" | number;

export type MoneyStep =
  | DuesStep
  | { kind: "undo"; batch: number }
  | { kind: "charge"; attorneys: number[]; cents: number; daysAgo: number }
  | { kind: "adjust"; part: Part; increases: boolean }
  | {
      kind: "record check";
      payer: Payer;
      number: number;
      parts: Part[];
      credits: number[];
      /** How much the check exceeds its parts. */
      over: number;
      /** True to also try what must be refused. */
      isCareless: boolean;
      approve: boolean;
    }
  | {
      kind: "pay by check";
      attorney: number;
      number: number;
      parts: Part[];
      byAdmin: boolean;
      isCareless: boolean;
    }
  | { kind: "decide"; picks: { check: number; approves: boolean }[]; isCareless: boolean }
  | { kind: "confirm"; picks: { share: number; approves: boolean }[]; isCareless: boolean }
  | { kind: "return"; check: number; fee: number; isCareless: boolean }
  | { kind: "apply credit"; attorney: number; part: Part; isCareless: boolean }
  | { kind: "use credit"; attorney: number; cents: number; isCareless: boolean }
  | { kind: "give back"; attorney: number; cents: number; isCareless: boolean }
  | { kind: "set"; appliesCredit: boolean }
  | { kind: "deposit"; checks: number[]; isCareless: boolean }
  | { kind: "change deposit"; deposit: number; checks: number[]; isCareless: boolean }
  | { kind: "bank"; deposit: number }
  | { kind: "begin card"; attorney: number; parts: Part[]; isCareless: boolean }
  | { kind: "card answers"; card: number; answer: CardAnswer; more: number }
  | { kind: "at the processor"; card: number; event: CardEvent["kind"]; cents: number }
  | {
      kind: "by hand";
      card: number;
      event: CardEvent["kind"];
      cents: number;
      fee: number;
      isCareless: boolean;
    }
  | { kind: "refund failed"; card: number }
  | { kind: "close the books"; reopens: boolean };

export type CardAnswer = "approved" | "declined" | "given back" | "unknown";

/**
 * The answer that the model expected of a step, and the real one; the same if the step could not be tried.
 */
export type Answers = [expected: unknown, answered: unknown];

const nothing: Answers = [null, null];

export const dollars = (amount: number) => (amount / 100).toFixed(2); // the test's own arithmetic, not the product's

export class MoneyWorld {
  readonly model = new MoneyModel();
  readonly app: RunningApp;
  readonly network: MadeNetwork;
  readonly dues: DuesWorld;
  readonly admin: Visitor;
  readonly firm: number;
  readonly attorneys: number[];
  readonly lawyers: Visitor[];
  readonly actors: AttorneyActor[];
  /** The batches undone by the last step. */
  readonly undone: number[] = [];
  /** Numbers that distinguish card payments. */
  private made = 0;

  constructor(given: Fields) {
    this.app = given.app;
    this.network = given.network;
    this.dues = given.dues;
    this.admin = given.admin;
    this.firm = given.firm;
    this.attorneys = given.attorneys;
    this.lawyers = given.lawyers;
    this.actors = given.actors;
  }

  get today(): Day {
    return this.dues.today.toString();
  }

  async take(step: MoneyStep): Promise<Answers> {
    const answers = await this.play(step);
    await this.learnDebits();
    await this.learnReceipts();
    return answers;
  }

  private async play(step: MoneyStep): Promise<Answers> {
    switch (step.kind) {
      case "undo":
        return await this.undo(step.batch);
      case "close the books":
        return await this.closeBooks(step.reopens);
      case "charge":
        return await this.charge(step);
      case "adjust":
        return await this.adjust(step);
      case "record check":
        return await this.recordCheck(step);
      case "pay by check":
        return await this.payByCheck(step);
      case "decide":
        return await this.decide(step);
      case "confirm":
        return await this.confirm(step);
      case "return":
        return await this.returnCheck(step);
      case "apply credit":
        return await this.applyCredit(step);
      case "use credit":
        return await this.useCredit(step);
      case "give back":
        return await this.giveBack(step);
      case "set":
        return await this.set(step.appliesCredit);
      case "deposit":
        return await this.deposit(step);
      case "change deposit":
        return await this.changeDeposit(step);
      case "bank":
        return await this.bank(step.deposit);
      case "begin card":
        return await this.beginCard(step);
      case "card answers":
        return await this.cardAnswers(step);
      case "at the processor":
        return await this.happensAtProcessor(step);
      case "by hand":
        return await this.recordManualTransaction(step);
      case "refund failed":
        return await this.refundFails(step.card);
      case "days pass":
      case "enrol":
      case "subscribe all":
      case "unsubscribe":
      case "end several":
      case "archive":
      case "bill":
      case "hourly job":
        await this.dues.take(step);
        this.app.setClock(`${this.today}T20:00:00-05:00`);
    }
    return nothing;
  }

  attorneyOf = (choice: number): number => inTurn(this.attorneys, choice);

  /** The attorneys whom a payer can pay for. */
  ownersOf = (payer: Payer): number[] =>
    payer === "firm" ? this.attorneys.slice(0, 2) : [this.attorneyOf(payer)];

  /** The firm and colleagues of a payer, without the payer: empty for an attorney without a firm. */
  firmOf = (payer: "firm" | number): ("firm" | number)[] => {
    const firm = ["firm" as const, ...this.attorneys.slice(0, 2)];
    return firm.includes(payer) ? firm.filter((other) => other !== payer) : [];
  };

  /** Chosen debits, each once, with the amount to pay; a careless step chooses anybody's, and paid ones. */
  placed(
    { parts, isCareless }: { parts: Part[]; isCareless: boolean },
    owners: number[],
  ): { debit: Debit; cents: number }[] {
    const all = this.model.debits.filter(
      (debit) => isCareless || (owners.includes(debit.attorneyId) && this.model.freeOn(debit) > 0),
    );
    if (all.length === 0) return [];
    const chosen = new Map(parts.map((part) => [inTurn(all, part.debit), part]));
    return [...chosen]
      .map(([debit, part]) => ({ debit, cents: this.fitting(debit, part) }))
      .filter((share) => share.cents > 0)
      .toSorted((a, b) => a.debit.id - b.debit.id);
  }

  fitting(debit: Debit, { cents: amount, fit }: Part): number {
    const free = this.model.freeOn(debit);
    return fit === "all" ? free : fit === "at most" ? Math.min(free, amount) : amount;
  }

  async undo(choice: number): Promise<Answers> {
    const { dues, model } = this;
    if (dues.batches.size === 0) return nothing;
    const [batchId, enrolments] = inTurn([...dues.batches], choice);
    const debits = model.debits.filter(({ enrolmentId }) => enrolments.includes(enrolmentId ?? 0));
    const reply = await this.admin.ask(undoSubscribeAll, { params: { id: batchId } });
    if (debits.some((debit) => model.isPaid(debit))) return [409, reply.status];
    model.reverse(debits);
    this.undone.push(batchId);
    return [
      [200, dues.forget(batchId)],
      [reply.status, reply.object?.ended],
    ];
  }

  async charge(step: MoneyStep & { kind: "charge" }): Promise<Answers> {
    const ids = [...new Set(step.attorneys.map(this.attorneyOf))];
    const whom = ids.length === this.attorneys.length ? { all: true } : { attorney_ids: ids };
    const day = plainDate(this.today).subtract({ days: step.daysAgo }).toString();
    const body = { ...whom, name: "Late fee", amount: dollars(step.cents), due_on: day };
    const reply = await this.admin.ask(createCharge, { body });
    this.charged = ids.map((attorneyId) => ({ attorneyId, amount: step.cents }));
    return [200, reply.status];
  }

  async adjust({ part, increases }: MoneyStep & { kind: "adjust" }): Promise<Answers> {
    const { model } = this;
    if (model.debits.length === 0) return nothing;
    const debit = inTurn(model.debits, part.debit);
    const amount = increases ? part.cents : Math.max(1, this.fitting(debit, part));
    const isTooMuch = !increases && amount > model.freeOn(debit);
    const direction = increases ? "increase" : "decrease";
    const body = { debit_id: debit.id, amount: dollars(amount), direction };
    const reply = await this.admin.ask(adjustDebit, { body });
    if (isTooMuch) return [409, reply.status];
    model.adjust(debit, increases ? amount : -amount);
    return [200, reply.status];
  }

  async recordCheck(step: MoneyStep & { kind: "record check" }): Promise<Answers> {
    const { model, admin } = this;
    const owners = this.ownersOf(step.payer);
    const shares = this.placed(step, owners);
    const credits = new Map(
      step.credits.flatMap((amount, index) => {
        const owner = step.isCareless ? this.attorneys[index] : owners[index];
        return amount > 0 && owner !== undefined ? [[owner, amount]] : [];
      }),
    );
    const all = [...shares.map((share) => share.cents), ...credits.values()];
    const paidFor = [...shares.map(({ debit }) => debit.attorneyId), ...credits.keys()];
    const isForeign = paidFor.some((owner) => !owners.includes(owner));
    const amount = Math.max(1, sumOf(all) + step.over); // so that the parts are never nothing
    const number = `N-${step.number}`;
    const isAnother = step.number % 2 === 0;
    const payer = step.payer === "firm" ? "firm" : this.attorneyOf(step.payer);
    const debits = shares.map(({ debit }) => debit);
    const expected =
      amount !== sumOf(all) || isForeign
        ? 422
        : this.isTooMuch(shares) ||
            model.isTaken(
              { number, payer, isWhole: true },
              debits,
              isAnother ? [] : this.firmOf(payer),
            )
          ? 409
          : 200;
    const reply = await admin.ask(recordWholeCheck, {
      body: {
        check_number: number,
        amount: dollars(amount),
        received_on: this.today,
        ...(payer === "firm" ? { firm_id: this.firm } : { attorney_id: payer }),
        shares: hashOf(shares),
        credits: Object.fromEntries([...credits].map(([id, amount]) => [id, dollars(amount)])),
        approve: step.approve,
        another_check: isAnother,
      },
    });
    if (expected === 200) {
      const check = await this.learnCheck({ number, payer, isWhole: true, credits }, shares);
      if (step.approve) model.decideAll(check, "approved");
    }
    return [expected, reply.status];
  }

  isTooMuch = (shares: { debit: Debit; cents: number }[]) =>
    shares.some((share) => share.cents > this.model.freeOn(share.debit));

  async payByCheck(step: MoneyStep & { kind: "pay by check" }): Promise<Answers> {
    const { model } = this;
    const attorneyId = this.attorneyOf(step.attorney);
    const shares = this.placed(step, [attorneyId]);
    const debits = shares.map(({ debit }) => debit);
    const owners = new Set(debits.map((debit) => debit.attorneyId));
    const number = `N-${step.number}`;
    const isAnother = step.number % 2 === 0;
    const [owner = attorneyId] = owners;
    const known = isAnother ? [] : this.firmOf(owner);
    const expected =
      shares.length === 0
        ? 422
        : (this.foreignAnswer(step, owners, attorneyId) ??
          (this.isTooMuch(shares) ||
          model.isTaken({ number, payer: owner, isWhole: false }, debits, known)
            ? 409
            : 200));
    const payer = step.byAdmin ? this.admin : inTurn(this.lawyers, step.attorney);
    const reply = await payer.ask(payByCheck, {
      body: { payment_hash: hashOf(shares), check_number: number, another_check: isAnother },
    });
    if (expected === 200) {
      await this.learnCheck({ number, payer: owner, isWhole: false, credits: new Map() }, shares);
    }
    return [expected, reply.status];
  }

  /** A lawyer cannot see another's debits; an administrator can, and no payment is for two attorneys. */
  foreignAnswer({ byAdmin }: { byAdmin: boolean }, owners: Set<number>, attorneyId: number) {
    if (byAdmin) return owners.size > 1 ? 422 : null;
    return [...owners].some((owner) => owner !== attorneyId) ? 404 : null;
  }

  /** A check as it was recorded, with the ids that the database assigned and its shares. */
  async learnCheck(
    wanted: Pick<Check, "number" | "payer" | "isWhole" | "credits">,
    shares: { debit: Debit; cents: number }[],
  ): Promise<Check> {
    const { rows } = await sql<{ id: number; shareId: number; debitId: number }>`
      select k.id, s.id as share_id, s.debit_id
      from received_checks k
      join payments y on y.network_id = k.network_id and y.received_check_id = k.id
      left join payment_allocations s on s.network_id = y.network_id and s.payment_id = y.id
      where k.network_id = ${this.network.id}
        and k.id = (select max(id) from received_checks where network_id = ${this.network.id})`.execute(
      this.app.db,
    );
    const idOn = new Map(rows.map(({ debitId, shareId }) => [debitId, shareId]));
    const check: Check = {
      ...wanted,
      receivedOn: this.today,
      id: rows[0]?.id ?? 0,
      shares: shares.map((share) => ({
        ...share,
        id: idOn.get(share.debit.id) ?? 0,
        status: "pending",
        takenBack: 0,
      })),
      status: "pending",
      deposit: null,
    };
    this.model.checks.push(check);
    return check;
  }

  async decide({ picks, isCareless }: MoneyStep & { kind: "decide" }): Promise<Answers> {
    const all = this.model.checks.filter(({ status }) => isCareless || status === "pending");
    if (all.length === 0) return nothing;
    const chosen = new Map(picks.map(({ check, approves }) => [inTurn(all, check), approves]));
    const checks = [...chosen.keys()];
    const those = (approves: boolean) =>
      checks.filter((check) => chosen.get(check) === approves).map(({ id }) => id);
    const body = { approve: those(true), deny: those(false) };
    const reply = await this.admin.ask(decideWholeChecks, { body });
    if (checks.some(({ status }) => status !== "pending")) return [409, reply.status];
    for (const [check, approves] of chosen)
      this.model.decideAll(check, approves ? "approved" : "denied");
    return [200, reply.status];
  }

  async confirm({ picks, isCareless }: MoneyStep & { kind: "confirm" }): Promise<Answers> {
    const all = this.model.checks.flatMap((check) =>
      check.shares
        .filter(({ status }) => isCareless || status === "pending")
        .map((share) => ({ check, share })),
    );
    if (all.length === 0) return nothing;
    const chosen = new Map(picks.map(({ share, approves }) => [inTurn(all, share), approves]));
    const word = (approves: boolean) => (approves ? "approved" : "denied");
    const statuses = Object.fromEntries(
      [...chosen].map(([{ share }, approves]) => [share.id, word(approves)]),
    );
    const reply = await this.admin.ask(confirmChecks, { body: { statuses } });
    if ([...chosen.keys()].some(({ share }) => share.status !== "pending"))
      return [409, reply.status];
    for (const [{ check, share }, approves] of chosen)
      this.model.decide(check, share, word(approves));
    return [200, reply.status];
  }

  async returnCheck(step: MoneyStep & { kind: "return" }): Promise<Answers> {
    const canReturn = ({ status }: Check) => status === "approved" || status === "mixed";
    const all = this.model.checks.filter((check) => step.isCareless || canReturn(check));
    if (all.length === 0) return nothing;
    const check = inTurn(all, step.check);
    const fee = step.fee > 0 ? { fee: dollars(step.fee) } : {};
    const reply = await this.admin.ask(returnCheck, {
      params: { id: check.id },
      body: { returned_on: this.today, ...fee },
    });
    if (!canReturn(check)) return [409, reply.status];
    this.charged = this.model.bounce(check, step.fee);
    return [200, reply.status];
  }

  async applyCredit(step: MoneyStep & { kind: "apply credit" }): Promise<Answers> {
    const { model } = this;
    const attorneyId = this.holderOfCredit(step);
    if (attorneyId === null) return nothing;
    const own = model.debits.filter(
      (one) => step.isCareless || (one.attorneyId === attorneyId && model.freeOn(one) > 0),
    );
    if (own.length === 0) return nothing;
    const debit = inTurn(own, step.part.debit);
    const most = step.part.fit === "exactly" ? step.part.cents : model.creditOf(attorneyId);
    const amount = Math.max(1, Math.min(this.fitting(debit, step.part), most));
    const reply = await this.admin.ask(changeCredit, {
      params: { id: attorneyId },
      body: { action: "apply", debit_id: debit.id, amount: dollars(amount) },
    });
    if (debit.attorneyId !== attorneyId) return [422, reply.status];
    if (amount > Math.min(model.creditOf(attorneyId), model.freeOn(debit)))
      return [409, reply.status];
    model.applyCredit(debit, amount);
    return [200, reply.status];
  }

  async useCredit(step: MoneyStep & { kind: "use credit" }): Promise<Answers> {
    const { model } = this;
    const attorneyId = this.holderOfCredit(step);
    const lawyer = this.lawyers[this.attorneys.indexOf(attorneyId ?? 0)];
    if (attorneyId === null || !lawyer) return nothing;
    const payable = sumOf(model.payableOf(attorneyId).map(model.freeOn));
    const most = Math.min(model.creditOf(attorneyId), payable);
    const amount = step.isCareless ? step.cents : Math.max(1, Math.min(step.cents, most));
    const reply = await lawyer.ask(spendOwnCredit, { body: { amount: dollars(amount) } });
    if (amount > most) return [409, reply.status];
    model.useCredit(attorneyId, amount);
    return [200, reply.status];
  }

  async giveBack(step: MoneyStep & { kind: "give back" }): Promise<Answers> {
    const { model } = this;
    const attorneyId = this.holderOfCredit(step);
    if (attorneyId === null) return nothing;
    const most = model.canGiveBack(attorneyId);
    const amount = step.isCareless ? step.cents : Math.max(1, Math.min(step.cents, most));
    const reply = await this.admin.ask(changeCredit, {
      params: { id: attorneyId },
      body: { action: "give_back", amount: dollars(amount), note: "Sent back" },
    });
    if (amount > most) return [409, reply.status];
    model.giveBack(attorneyId, amount);
    return [200, reply.status];
  }

  /** An attorney with credit, or any if the step is careless. */
  holderOfCredit(step: { attorney: number; isCareless: boolean }): number | null {
    const all = this.attorneys.filter((id) => step.isCareless || this.model.creditOf(id) > 0);
    return all.length > 0 ? inTurn(all, step.attorney) : null;
  }

  async set(appliesCredit: boolean): Promise<Answers> {
    const body = { applies_credit_automatically: appliesCredit };
    const reply = await this.admin.ask(changeMoneySettings, { body });
    this.model.appliesCredit = appliesCredit;
    return [200, reply.status];
  }

  /** Close through yesterday, or reopen all. */
  async closeBooks(reopens: boolean): Promise<Answers> {
    const { model } = this;
    const isClosed = model.closedThrough !== null;
    if (reopens) {
      const reply = await this.admin.ask(reopenBooks, { body: { after: null, reason: "Late" } });
      model.closedThrough = null;
      return [isClosed ? 200 : 409, reply.status];
    }
    const through = daysAfter(this.today, -1);
    // Entries are recorded on the database's date, which the simulated date may have passed.
    if (through >= new Date().toISOString().slice(0, 10)) return nothing;
    const reply = await this.admin.ask(closeBooks, { body: { through } });
    const isLater = (model.closedThrough ?? "") < through;
    if (isLater) model.closedThrough = through;
    return [isLater ? 200 : 409, reply.status];
  }

  /** Checks chosen for a deposit (null: a new one). */
  chosenFor(deposit: Check["deposit"], step: { checks: number[]; isCareless: boolean }): Check[] {
    const all = this.model.checks.filter(
      (check) => step.isCareless || canDeposit(check) || (deposit && check.deposit === deposit),
    );
    if (all.length === 0) return [];
    return [...new Set(step.checks.map((choice) => inTurn(all, choice)))];
  }

  async deposit(step: MoneyStep & { kind: "deposit" }): Promise<Answers> {
    const { model } = this;
    const checks = this.chosenFor(null, step);
    if (checks.length === 0) return nothing;
    const number = model.deposits.length + 1;
    const reply = await this.admin.ask(makeDeposit, {
      body: {
        check_ids: checks.map(({ id }) => id),
        deposited_on: this.today,
        account_name: `Bank ${number % 2}`,
      },
    });
    if (!checks.every(canDeposit)) return [409, reply.status];
    const deposit = { id: reply.object?.id ?? 0, day: this.today, isBanked: false };
    model.deposits.push(deposit);
    for (const check of checks) check.deposit = deposit;
    return [
      [200, number],
      [reply.status, reply.object?.number],
    ];
  }

  async changeDeposit(step: MoneyStep & { kind: "change deposit" }): Promise<Answers> {
    const { model } = this;
    if (model.deposits.length === 0) return nothing;
    const deposit = inTurn(model.deposits, step.deposit);
    const checks = this.chosenFor(deposit, step);
    const reply = await this.admin.ask(changeDeposit, {
      params: { id: deposit.id },
      body: { check_ids: checks.map(({ id }) => id) },
    });
    const held = model.checks.filter((check) => check.deposit === deposit);
    const isPossible =
      !deposit.isBanked &&
      checks.every((check) => check.deposit === deposit || canDeposit(check)) &&
      held.every((check) => check.status !== "returned" || checks.includes(check));
    if (!isPossible) return [409, reply.status];
    if (checks.some((check) => !held.includes(check) && check.receivedOn > deposit.day))
      return [422, reply.status];
    for (const check of held) check.deposit = null;
    for (const check of checks) check.deposit = deposit;
    return [200, reply.status];
  }

  async bank(choice: number): Promise<Answers> {
    const { model } = this;
    if (model.deposits.length === 0) return nothing;
    const deposit = inTurn(model.deposits, choice);
    const reply = await this.admin.ask(changeDeposit, {
      params: { id: deposit.id },
      body: { status: "banked" },
    });
    const isEmpty = !model.checks.some((check) => check.deposit === deposit);
    if (deposit.isBanked || isEmpty) return [409, reply.status];
    model.bank(deposit);
    return [200, reply.status];
  }

  /** Card options of a server that never asks a processor. */
  private get context(): CardPaymentContext {
    const nowhere = {};
    return {
      db: this.app.db,
      secret: this.app.secret,
      publicUrl: "http://localhost:3000",
      sandboxes: {
        anet: nowhere,
        elavon: nowhere,
        lawpay: nowhere,
        paypal_payflow_pro: nowhere,
        stripe: nowhere,
      },
      limits: false,
      timeoutMs: 1,
      now: () => this.dues.today.toZonedDateTime("UTC").toInstant(),
      log: (line) => {
        throw new Error(line);
      },
    };
  }

  async beginCard(step: MoneyStep & { kind: "begin card" }): Promise<Answers> {
    const { model, context } = this;
    const attorneyId = this.attorneyOf(step.attorney);
    const shares = this.placed(step, [attorneyId]);
    if (shares.length === 0) return nothing;
    const actor = inTurn(this.actors, step.attorney);
    const isTwin = model.cards.some(
      (card) =>
        card.attorneyId === attorneyId &&
        card.state === "processing" &&
        JSON.stringify(hashOf(card.shares)) === JSON.stringify(hashOf(shares)),
    );
    const isForeign = shares.some(({ debit }) => debit.attorneyId !== attorneyId);
    const expected = isTwin ? 409 : isForeign ? 404 : this.isTooMuch(shares) ? 409 : 200;
    const wanted = {
      token: `T-${(this.made += 1)}`,
      payment_hash: Object.fromEntries(shares.map((share) => [share.debit.id, cents(share.cents)])),
    };
    const using = await accountInUseOrRefuse(context, this.network.id);
    const attempt = await prepareAttempt(context, actor, using, wanted);
    const begun = await beginPayment(context, actor, attempt).catch((problem: unknown) => {
      if (problem instanceof Refusal) return problem;
      throw problem;
    });
    if (begun instanceof Refusal) return [expected, begun.status];
    this.addCard(begun.paymentId, attorneyId, shares);
    return [expected, 200];
  }

  private addCard(
    id: number,
    attorneyId: number,
    shares: { debit: Debit; cents: number }[],
    amount: number = sumOf(shares.map((share) => share.cents)),
  ): CardPayment {
    const card: CardPayment = {
      id,
      attorneyId,
      amount,
      shares: shares.map((share): Share => ({ ...share, id: 0, status: "pending", takenBack: 0 })),
      state: "processing",
      received: 0,
      transactionId: null,
      transactions: [],
      events: [],
    };
    this.model.cards.push(card);
    return card;
  }

  /** The processor reports a payment's result, whether it was asked or not. */
  async cardAnswers(step: MoneyStep & { kind: "card answers" }): Promise<Answers> {
    if (this.model.cards.length === 0) return nothing;
    const card = inTurn(this.model.cards, step.card);
    const isNew = card.state === "processing" || card.state === "declined";
    const charged = isNew ? Math.max(1, card.amount + step.more) : card.amount;
    const transactionId = isNew ? `X-${(this.made += 1)}` : (card.transactionId ?? "");
    if (step.answer === "given back" && !isNew) {
      const rest = charged - takenByEvents(card);
      if (rest > 0) card.events.push({ kind: "refund", cents: rest, processorId: transactionId });
    }
    const approved = { kind: "approved", transactionId, amountCents: cents(charged), card: null };
    const since = isNew ? [] : eventsOf(card);
    const outcomes: Record<CardAnswer, LookUpOutcome> = {
      approved: { ...approved, kind: "approved", since },
      declined: { kind: "declined", message: "Declined.", transactionId },
      "given back": {
        ...approved,
        kind: "approved",
        since: isNew ? [voidOf({ transactionId, amountCents: cents(charged) })] : since,
      },
      unknown: { kind: "unknown", problem: "Nobody knows." },
    };
    const state = await this.record(card, outcomes[step.answer]);
    await this.settleCard(card, step.answer, { transactionId, charged });
    return [card.state, state];
  }

  private async record(card: CardPayment, outcome: LookUpOutcome): Promise<string> {
    const { network, context } = this;
    const key = { networkId: network.id, attorneyId: card.attorneyId, paymentId: card.id };
    const { state } = await recordOutcome(context, key, outcome, network.admin);
    return state;
  }

  private async settleCard(
    card: CardPayment,
    answer: CardAnswer,
    { transactionId, charged }: { transactionId: string; charged: number },
  ): Promise<void> {
    const { model } = this;
    const isOpen = card.state === "processing";
    const isApproved = answer === "approved";
    if (isOpen && isApproved && charged === card.amount) {
      model.capture(card);
      card.transactionId = transactionId;
    } else if (isOpen && answer !== "unknown") model.decline(card);
    // A charge of another amount, or of a payment that was given up, pays the oldest debits; the rest is
    // credit.
    if (card.state === "declined" && isApproved) {
      const { paymentId } = await this.app.db
        .selectFrom("cardPayments")
        .select("paymentId")
        .where("networkId", "=", this.network.id)
        .where("transactionId", "=", transactionId)
        .where("state", "=", "captured")
        .executeTakeFirstOrThrow();
      const shares = model.sharesOldestFirst(card.attorneyId, charged);
      const posted = this.addCard(paymentId, card.attorneyId, shares, charged);
      model.capture(posted);
      posted.transactionId = transactionId;
    }
    if (isOpen || card.state === "declined") return;
    if (card.state === "captured" && answer === "declined")
      model.happened(card, {
        kind: "failed",
        cents: card.received,
        processorId: null,
      });
    else if (isApproved || answer === "given back") {
      const failed = card.transactions.findLast(({ kind }) => kind === "failed");
      if (card.state === "failed" && failed)
        model.happened(card, { ...failed, kind: "purchase", processorId: null });
      model.found(card);
    }
  }

  /** An event at the processor or at the payer's bank, found when we ask. */
  async happensAtProcessor(step: MoneyStep & { kind: "at the processor" }): Promise<Answers> {
    const { model } = this;
    const made = model.cards.filter(({ transactions }) => transactions.length > 0);
    if (made.length === 0) return nothing;
    const card = inTurn(made, step.card);
    const back = sumOf(
      card.events.map(({ kind, cents: moved }) =>
        kind === "refund" ? 0 : kind === "chargeback" ? moved : -moved,
      ),
    );
    const most = step.event === "chargeback_reversed" ? back : card.amount - takenByEvents(card);
    const amount = Math.min(step.cents, most);
    if (amount <= 0) return nothing;
    const processorId = `E-${(this.made += 1)}`;
    card.events.push({ kind: step.event, cents: amount, processorId });
    return await this.cardAnswers({
      kind: "card answers",
      card: model.cards.indexOf(card),
      answer: "approved",
      more: 0,
    });
  }

  async recordManualTransaction(step: MoneyStep & { kind: "by hand" }): Promise<Answers> {
    const { model } = this;
    if (model.cards.length === 0) return nothing;
    const card = inTurn(model.cards, step.card);
    const most = step.event === "chargeback_reversed" ? model.chargedBack(card) : card.received;
    const amount = step.isCareless ? step.cents : Math.max(1, Math.min(step.cents, most));
    const isFee = step.event === "chargeback" && step.fee > 0;
    const reply = await this.admin.ask(recordCardTransaction, {
      params: { id: card.id },
      body: {
        kind: step.event,
        amount: dollars(amount),
        on: dayIn(this.network.timeZone, Temporal.Now.instant()),
        ...(isFee && { fee: dollars(step.fee) }),
      },
    });
    if (amount > most) return [409, reply.status];
    model.happened(card, { kind: step.event, cents: amount, processorId: null });
    if (isFee) this.charged = [{ attorneyId: card.attorneyId, amount: step.fee }];
    return [200, reply.status];
  }

  /** An accepted refund fails: the network has its amount after all. */
  async refundFails(choice: number): Promise<Answers> {
    const { model, app, network } = this;
    const refunded = model.cards.flatMap((card) =>
      card.transactions
        .filter(({ kind, processorId }) => kind === "refund" && processorId?.startsWith("E-"))
        .map((refund) => ({ card, refund })),
    );
    if (refunded.length === 0) return nothing;
    const { card, refund } = inTurn(refunded, choice);
    const { rows } = await sql<{ id: number }>`
      update card_refunds r set state = 'failed', kind = null, problem = 'Closed card', follow_at = null
      from card_transactions t
      where t.network_id = ${network.id} and t.payment_id = ${card.id} and t.processor_id = ${refund.processorId}
        and r.network_id = t.network_id and r.id = t.refund_id and r.state = 'done'
      returning r.id`.execute(app.db);
    if (rows.length === 0) return nothing; // it failed before, or was entered by hand
    const key = { networkId: network.id, attorneyId: card.attorneyId, paymentId: card.id };
    await happened(app.db, key, "purchase", refund.cents);
    model.happened(card, { kind: "purchase", cents: refund.cents, processorId: null });
    card.events = card.events.map((event) =>
      event.processorId === refund.processorId ? { ...event, cents: 0 } : event,
    );
    return nothing;
  }

  /** Charges of the last step that come from no schedule, in order. */
  private charged: Charged[] = [];

  /** Debits made by the last step: the schedule rule checks dues, this checks charges. */
  private async learnDebits(): Promise<void> {
    const known = Math.max(0, ...this.model.debits.map(({ id }) => id));
    const made = await this.app.db
      .selectFrom("debits")
      .select(["id", "attorneyId", "enrolmentId", "dueOn", "amountCents as amount"])
      .where("networkId", "=", this.network.id)
      .where("id", ">", known)
      .orderBy("id")
      .execute();
    const charges = made.filter(({ enrolmentId }) => enrolmentId === null);
    const those = (list: Charged[]) =>
      list.map(({ attorneyId, amount }) => `${attorneyId}: ${amount}`).toSorted();
    if (String(those(charges)) !== String(those(this.charged)))
      throw new Error(`Charged ${String(those(charges))}, not ${String(those(this.charged))}.`);
    this.charged = [];
    this.model.charge(made.map((debit) => ({ ...debit, owed: debit.amount })));
  }

  /** Fill in the ids of new receipts of credit. */
  private async learnReceipts(): Promise<void> {
    const { model } = this;
    if (model.receipts.every(({ id }) => id > 0)) return;
    const { rows } = await sql<{ id: number; attorneyId: number; sourceId: number }>`
      select c.id, c.attorney_id, coalesce(y.received_check_id, y.id) as source_id
      from credits c join payments y on y.network_id = c.network_id and y.id = c.payment_id
      where c.network_id = ${this.network.id}
        and c.id > ${Math.max(0, ...model.receipts.map(({ id }) => id))}
      order by c.id`.execute(this.app.db);
    for (const receipt of model.receipts.filter(({ id }) => id === 0)) {
      const place = rows.findIndex(
        ({ attorneyId, sourceId }) =>
          attorneyId === receipt.attorneyId && sourceId === receipt.source.id,
      );
      receipt.id = rows.splice(place, place < 0 ? 0 : 1)[0]?.id ?? 0;
    }
    model.receipts = model.receipts.toSorted((a, b) => a.id - b.id);
  }
}

type Fields = Pick<
  MoneyWorld,
  "app" | "network" | "dues" | "admin" | "firm" | "attorneys" | "lawyers" | "actors"
>;

/** What the processor reports as taken back, less what was won. */
const takenByEvents = ({ events }: CardPayment) =>
  sumOf(events.map(({ kind, cents: moved }) => (kind === "chargeback_reversed" ? -moved : moved)));

const eventsOf = ({ events }: CardPayment): ChargeEvent[] =>
  events
    .filter((event) => event.cents > 0)
    .map((event) => ({
      ...event,
      amountCents: cents(event.cents),
      on: null,
      reference: null,
    }));

const canDeposit = ({ status, deposit }: Check) =>
  (status === "approved" || status === "mixed") && deposit === null;

const hashOf = (shares: { debit: Debit; cents: number }[]) =>
  Object.fromEntries(shares.map((share) => [share.debit.id, dollars(share.cents)]));

/** Three attorneys, two of them of one firm with credit, just subscribed to a plan and billed. */
export async function aMoneyWorld(app: RunningApp): Promise<MoneyWorld> {
  const { db } = app;
  const network = await makeNetwork(db);
  await takesCards(app, network, "anet");
  const people = [];
  for (let made = 0; made < 3; made += 1) people.push(await makeAttorney(db, network));
  const attorneys = people.map(({ id }) => id);
  const actors = [];
  const lawyers = [];
  for (const person of people) {
    lawyers.push(await signedIn(app, person, network));
    actors.push(await makeAccount(db, network, person));
  }
  const world = new MoneyWorld({
    app,
    network,
    attorneys,
    actors,
    lawyers,
    dues: await aDuesWorld(db, network, attorneys),
    admin: await signedIn(app, "admin", network),
    firm: await aFirm(db, network, people.slice(0, 2)),
  });
  await world.take({
    kind: "record check",
    payer: "firm",
    number: 0,
    parts: [],
    credits: [1_500, 5_700],
    over: 0,
    isCareless: false,
    approve: true,
  });
  await world.take({ kind: "subscribe all", plan: 0, startsIn: 0, atOnce: true });
  return world;
}
