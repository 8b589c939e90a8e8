import { cents, dollarsText } from "#kit/domain/money.ts";
import { decideWholeChecks, recordWholeCheck } from "#payments/checks/contract.ts";
import { payByCard } from "#cards/contract.ts";
import { makeDeposit } from "#payments/deposits/contract.ts";
import { scheduleExport } from "#kit/list/reports-contract.ts";
import { pauseAttorney } from "#people/contract.ts";
import { fileReport, recordMatter } from "#referrals/matters/contract.ts";
import { changeStatementSettings } from "#dues/ledger/statements/contract.ts";
import { createPlan, enrolChosen, unsubscribe } from "#dues/plans/contract.ts";
import { changeSettings } from "#referrals/suspension/contract.ts";
import { makeAttorneys, type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { tokenFrom } from "#tests/support/card-browser.ts";
import { takesCards } from "#tests/support/card-network.ts";
import { aFirm } from "#tests/support/received-checks.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import {
  type DayNumber,
  dayNumber,
  type Enrolled,
  isWeekend,
  seededRandom,
} from "./plain-calendar.ts";
import type { SimulatedService } from "./simulated-service.ts";

/*
 * A network's people: their daily work over HTTP, and its results in plain arithmetic, independent of the
 * product: who owes which dues on which dates, and who is suspended.
 */

interface OpenReferral {
  id: number;
  attorney: MadeAttorney;
  dueOn: DayNumber;
  /** When its attorney reports on it; null: never. */
  reportsOn: DayNumber | null;
}

interface Dues extends Omit<Enrolled, "through"> {
  attorneyId: number;
  amountCents: number;
  endedOn: string | null;
}

export interface Policy {
  suspends: boolean;
  threshold: number;
  periodInDays: number;
}

interface Plan {
  id: number;
  amountCents: number;
  everyMonths: number;
}

/** In months, with amounts that tell them apart. */
const plansWanted = [1, 3, 6, 12].map((everyMonths, index) => ({
  everyMonths,
  amountCents: 3_000 * everyMonths + index,
}));

/** Start dates in turn: ends of months, and days that not every month or year has. */
const termsWanted = [
  { plan: 0, startDate: "2027-10-29", atOnce: false },
  { plan: 0, startDate: "2027-12-30", atOnce: true },
  { plan: 0, startDate: "2027-12-31", atOnce: true },
  { plan: 0, startDate: "2028-01-31", atOnce: false },
  { plan: 1, startDate: "2027-11-30", atOnce: false },
  { plan: 1, startDate: "2028-02-29", atOnce: false },
  { plan: 2, startDate: "2027-08-31", atOnce: true },
  { plan: 3, startDate: "2024-02-29", atOnce: false },
  { plan: 3, startDate: "2028-02-29", atOnce: false },
  { plan: 0, startDate: "2028-02-29", atOnce: false },
];

export class Office {
  readonly service: SimulatedService;
  readonly network: MadeNetwork;
  readonly policy: Policy;
  readonly attorneys: MadeAttorney[];
  readonly dues = new Map<number, Dues>();
  readonly random: () => number;
  /** How much people do: as much as this number of attorneys and their office would at the usual pace. */
  readonly pace: number;
  readonly takesCards: boolean;
  /** A setting that is off by default: each fourth network turns it on. */
  readonly mailsStatements: boolean;
  /** The last local date that hourly billing has processed. */
  billedThrough = "";
  /** The most attorneys suspended on one day. */
  suspensions = 0;
  /** The number of status reports that fell due, counted per attorney and day. */
  reminders = 0;
  done = { checks: 0, cards: 0, referrals: 0, reports: 0, enrolments: 0, endings: 0 };
  private readonly plans: Plan[] = [];
  private readonly firms: MadeAttorney[][] = [];
  private readonly firmIds: number[] = [];
  private readonly open = new Map<number, OpenReferral>();
  private readonly pausedUntil = new Map<number, string>();
  private undecided: number[] = [];
  private undeposited: number[] = [];

  private constructor(
    service: SimulatedService,
    network: MadeNetwork,
    {
      attorneys,
      policy,
      seed,
      work,
    }: { attorneys: MadeAttorney[]; policy: Policy; seed: number; work: number },
  ) {
    this.service = service;
    this.network = network;
    this.attorneys = attorneys;
    this.policy = policy;
    this.random = seededRandom(seed);
    this.pace = attorneys.length * work;
    this.takesCards = seed % 2 === 0;
    this.mailsStatements = seed % 4 === 1;
  }

  static async open(
    service: SimulatedService,
    wanted: { number: number; timeZone: string; attorneys: number; work: number; today: string },
  ): Promise<Office> {
    const { app } = service;
    const { number, timeZone } = wanted;
    const network = await makeNetwork(app.db, { name: `Network ${number}`, timeZone });
    const people = Array.from({ length: wanted.attorneys }, (_, index) => ({
      firstName: "Panel",
      lastName: `Member ${index}`,
      email: `panel-${number}-${index}@example.test`,
    }));
    const ids = await makeAttorneys(app.db, network, people);
    const attorneys = people.map((one, index) => ({
      ...one,
      id: ids[index] ?? 0,
      networkId: network.id,
    }));
    const policy = {
      suspends: number % 6 !== 5,
      threshold: number % 3,
      periodInDays: [30, 14, 45, 29][number % 4] ?? 30,
    };
    await app.db
      .updateTable("networks")
      .set({ overduePeriodInDays: policy.periodInDays })
      .where("id", "=", network.id)
      .execute();
    const office = new Office(service, network, {
      attorneys,
      policy,
      seed: number,
      work: wanted.work,
    });
    await office.setUp(wanted.today);
    return office;
  }

  private async setUp(today: string): Promise<void> {
    const { app } = this.service;
    const { policy, network } = this;
    const admin = await this.admin(today);
    for (const body of [
      { suspends_overdue_attorneys: policy.suspends },
      { overdue_periods_suspension_threshold: policy.threshold },
    ])
      await admin.call(changeSettings, { body });
    const mailedOn = [1, 15, 29, 31][Math.floor(network.id / 4) % 4];
    if (this.mailsStatements)
      await admin.call(changeStatementSettings, { body: { mailed_on_day: mailedOn } });
    const columns = ["debit_id", "subscription", "due_on", "amount", "balance"];
    for (const frequency of ["weekly", "monthly"] as const)
      await admin.call(scheduleExport, {
        body: { frequency, report_type: "subscription_debits", columns },
      });
    if (this.takesCards) await takesCards(app, network, "lawpay");
    for (let first = 0; first < this.attorneys.length / 5; first += 4) {
      const members = this.attorneys.slice(first, first + 4);
      this.firms.push(members);
      this.firmIds.push(await aFirm(app.db, network, members, `Firm ${first}`));
    }
    for (const { everyMonths, amountCents } of plansWanted) {
      const body = {
        name: `Every ${everyMonths}`,
        payment_amount: dollarsText(cents(amountCents)),
        payment_frequency_in_months: everyMonths,
      };
      const { id } = await admin.call(createPlan, { body });
      this.plans.push({ id, everyMonths, amountCents });
    }
    for (const [turn, { plan, startDate, atOnce }] of termsWanted.entries()) {
      const chosen = this.attorneys.filter((_, index) => index % termsWanted.length === turn);
      await this.enrol(admin, { plan, startDate, atOnce, attorneys: chosen, today });
    }
    if (this.dues.size !== this.attorneys.length) throw new Error("Not everybody was enrolled.");
  }

  /** A new session each day, as for people who go home. */
  private async admin(today: string): Promise<Visitor> {
    return await signedIn(this.service.app, "admin", this.network, endOf(today));
  }

  private async lawyer(attorney: MadeAttorney, today: string): Promise<Visitor> {
    return await signedIn(this.service.app, attorney, this.network, endOf(today));
  }

  private async enrol(
    admin: Visitor,
    wanted: {
      plan: number;
      startDate: string;
      atOnce: boolean;
      attorneys: MadeAttorney[];
      today: string;
    },
  ): Promise<void> {
    const plan = this.plans[wanted.plan];
    if (!plan || wanted.attorneys.length === 0) return;
    const before = await this.lastEnrolment();
    const { subscribed } = await admin.call(enrolChosen, {
      body: {
        lrs_subscription_id: plan.id,
        start_date: wanted.startDate,
        bill_immediately: wanted.atOnce,
        attorney_ids: wanted.attorneys.map(({ id }) => id),
      },
    });
    const { rows } = await this.service.app.pool.query<{ id: number; attorney_id: number }>(
      "select id, attorney_id from enrolments where network_id = $1 and id > $2",
      [this.network.id, before],
    );
    if (rows.length !== subscribed)
      throw new Error(`${subscribed} were enrolled, or ${rows.length}`);
    for (const row of rows)
      this.dues.set(row.id, {
        attorneyId: row.attorney_id,
        amountCents: plan.amountCents,
        everyMonths: plan.everyMonths,
        startDate: wanted.startDate,
        enrolledOn: wanted.today,
        billImmediately: wanted.atOnce,
        endedOn: null,
      });
    this.done.enrolments += rows.length;
  }

  private async lastEnrolment(): Promise<number> {
    const { rows } = await this.service.app.pool.query<{ id: number }>(
      "select coalesce(max(id), 0) as id from enrolments where network_id = $1",
      [this.network.id],
    );
    return rows[0]?.id ?? 0;
  }

  /** Attorneys who must be suspended on a date: domain rules §6, written independently. */
  suspendedOn(today: string): Set<number> {
    const { suspends, threshold, periodInDays } = this.policy;
    const late = [...this.open.values()].filter(
      ({ dueOn }) => dayNumber(today) - dueOn > threshold * periodInDays,
    );
    return new Set(suspends ? late.map(({ attorney }) => attorney.id) : []);
  }

  /** A date has begun: an attorney is reminded once of all reports due on it. */
  beginDay(today: string): void {
    this.billedThrough = today;
    const due = [...this.open.values()].filter(({ dueOn }) => dueOn === dayNumber(today));
    this.reminders += new Set(due.map(({ attorney }) => attorney.id)).size;
  }

  /** People's work around noon of a day: attorneys on any day, the office from Monday to Friday. */
  async work(today: string): Promise<void> {
    await this.fileReports(today);
    await this.payByCard(today);
    if (isWeekend(today)) return;
    const admin = await this.admin(today);
    await this.recordChecks(admin, today);
    await this.refer(admin, today);
    await this.changeEnrolments(admin, today);
    await this.sendOnVacation(admin, today);
  }

  private async fileReports(today: string): Promise<void> {
    const day = dayNumber(today);
    for (const referral of this.open.values()) {
      if (referral.reportsOn !== day) continue;
      const isLast = this.random() < 0.3;
      const lawyer = await this.lawyer(referral.attorney, today);
      await lawyer.call(fileReport, {
        params: { id: referral.id },
        body: { outcome: isLast ? "closed" : "retained" },
      });
      this.done.reports += 1;
      if (isLast) this.open.delete(referral.id);
      else this.awaitReport(referral, day);
    }
  }

  /** Most attorneys report in time, some late, some so late that they are suspended, a few never. */
  private awaitReport(referral: OpenReferral, today: DayNumber): void {
    const { threshold, periodInDays } = this.policy;
    const tolerated = threshold * periodInDays;
    const kind = this.random();
    const days = Math.floor(this.random() * 6);
    referral.dueOn = today + periodInDays;
    if (kind < 0.8) referral.reportsOn = referral.dueOn - days;
    else if (kind < 0.9) referral.reportsOn = referral.dueOn + Math.min(days, tolerated);
    else referral.reportsOn = kind < 0.985 ? referral.dueOn + tolerated + 1 + days : null;
  }

  private async recordChecks(admin: Visitor, today: string): Promise<void> {
    if (this.undecided.length > 0) {
      await admin.call(decideWholeChecks, { body: { approve: this.undecided, deny: [] } });
      this.undeposited.push(...this.undecided);
      this.undecided = [];
    }
    if (dayNumber(today) % 7 === 0 && this.undeposited.length > 0) {
      const body = { deposited_on: today, account_name: "Operating" };
      await admin.call(makeDeposit, { body: { ...body, check_ids: this.undeposited } });
      this.undeposited = [];
    }
    for (let left = this.howMany(this.pace / 40); left > 0; left -= 1) {
      const firm = this.random() < 0.2 ? this.oneOf([...this.firms.keys()]) : undefined;
      const payers = firm === undefined ? [this.oneOf(this.attorneys)] : (this.firms[firm] ?? []);
      const debits = await this.owedBy(payers);
      if (debits.length === 0) continue;
      const { id } = await admin.call(recordWholeCheck, {
        body: {
          check_number: `${(this.done.checks += 1)}`,
          amount: dollarsText(cents(debits.reduce((sum, one) => sum + one.cents, 0))),
          received_on: today,
          ...(firm === undefined
            ? { attorney_id: payers[0]?.id }
            : { firm_id: this.firmIds[firm] }),
          shares: Object.fromEntries(debits.map((one) => [one.id, dollarsText(cents(one.cents))])),
        },
      });
      this.undecided.push(id);
    }
  }

  private async owedBy(attorneys: MadeAttorney[]): Promise<{ id: number; cents: number }[]> {
    const { rows } = await this.service.app.pool.query<{ id: number; cents: number }>(
      `select id, balance_cents - pending_cents as cents from debits
       where network_id = $1 and attorney_id = any($2) and balance_cents > pending_cents order by id`,
      [this.network.id, attorneys.map(({ id }) => id)],
    );
    return rows;
  }

  private async refer(admin: Visitor, today: string): Promise<void> {
    const suspended = this.suspendedOn(today);
    for (let left = this.howMany(this.pace / 100); left > 0; left -= 1) {
      const attorney = this.oneOf(this.attorneys);
      const isPaused = (this.pausedUntil.get(attorney.id) ?? "") > today;
      const body = { first_name: "Jane", last_name: "Doe", attorney_id: attorney.id };
      const { status, text } = await admin.ask(recordMatter, { body });
      const mayReceive = !isPaused && !suspended.has(attorney.id);
      if (status !== (mayReceive ? 200 : 409))
        throw new Error(`${this.network.name}, ${today}: a referral was answered with ${text}`);
      if (!mayReceive) continue;
      const { object } = JSON.parse(text) as { object: { id: number } };
      const referral = { id: object.id, attorney, dueOn: 0, reportsOn: null };
      this.awaitReport(referral, dayNumber(today));
      this.open.set(referral.id, referral);
      this.done.referrals += 1;
    }
  }

  private async payByCard(today: string): Promise<void> {
    if (!this.takesCards) return;
    for (let left = this.howMany(this.pace / 200); left > 0; left -= 1) {
      const attorney = this.oneOf(this.attorneys);
      const debits = await this.owedBy([attorney]);
      if (debits.length === 0) continue;
      const visitor = await this.lawyer(attorney, today);
      const amounts = debits.map((one) => [one.id, dollarsText(cents(one.cents))]);
      const amount = dollarsText(cents(debits.reduce((sum, one) => sum + one.cents, 0)));
      const { sandboxes } = this.service;
      const token = await tokenFrom("lawpay", { visitor, sandboxes, amount });
      const body = { payment_hash: Object.fromEntries(amounts), token };
      const { status, text } = await visitor.ask(payByCard, { body });
      if (status !== 200) throw new Error(`A card payment was answered with ${status}: ${text}`);
      this.done.cards += 1;
    }
  }

  /** Some begin and some end on any day; on leap day and at the ends of months in each network. */
  private async changeEnrolments(admin: Visitor, today: string): Promise<void> {
    const isExceptional = /-(29|30|31)$/.test(today);
    if (isExceptional || this.random() < 0.1) {
      const plan = Math.floor(this.random() * this.plans.length);
      const atOnce = this.random() < 0.5;
      const attorneys = [this.oneOf(this.attorneys)];
      await this.enrol(admin, { plan, startDate: today, atOnce, attorneys, today });
    }
    const active = [...this.dues].filter(([, { endedOn }]) => endedOn === null);
    if (active.length > this.attorneys.length / 2 && (isExceptional || this.random() < 0.1)) {
      const [id, dues] = this.oneOf(active);
      await admin.call(unsubscribe, { params: { id }, body: { archived: true } });
      dues.endedOn = today;
      this.done.endings += 1;
    }
  }

  private async sendOnVacation(admin: Visitor, today: string): Promise<void> {
    if (this.random() > 0.1) return;
    const attorney = this.oneOf(this.attorneys);
    const until = new Date(Date.parse(today) + 10 * 86_400_000).toISOString().slice(0, 10);
    await admin.call(pauseAttorney, { body: { attorney_id: attorney.id, paused_until: until } });
    this.pausedUntil.set(attorney.id, until);
  }

  private oneOf<One>(all: readonly One[]): One {
    const one = all[Math.floor(this.random() * all.length)];
    if (one === undefined) throw new Error("There is none to choose.");
    return one;
  }

  /** A random whole number with this average. */
  private howMany(average: number): number {
    return Math.floor(average) + (this.random() < average % 1 ? 1 : 0);
  }
}

/** Sessions end, and are removed: by midnight of the farthest time zone. */
const endOf = (today: string) => `${today}T23:59:59-12:00`;
