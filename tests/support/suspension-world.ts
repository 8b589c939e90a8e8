import assert from "node:assert/strict";
import { sql } from "kysely";
import { type PlainDate, plainDate } from "#kit/domain/calendar.ts";
import type { AttorneyActor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { reviewNetwork } from "#referrals/suspension/suspension.ts";
import { type Outcome, outcomes } from "#referrals/matters/contract.ts";
import { recordMatter } from "#referrals/matters/record-matter.ts";
import { fileReport } from "#referrals/matters/reports.ts";
import { writeSettings } from "#referrals/suspension/settings.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { inTurn } from "#tests/support/in-turn.ts";

/*
 * A network's referrals and reports, played on the database and in a model. The model knows when each report
 * is due, and has its own version of the rule (domain rules §6).
 */

export interface SuspensionPolicy {
  enabled: boolean;
  threshold: number;
  periodInDays: number;
}

/** `reportsDue` are the due dates of the open matters, in any order. */
export function mustSuspend(
  reportsDue: readonly PlainDate[],
  policy: SuspensionPolicy,
  today: PlainDate,
): boolean {
  const tolerated = policy.threshold * policy.periodInDays;
  return policy.enabled && reportsDue.some((due) => due.until(today).days > tolerated);
}

export type Step =
  | { kind: "days pass"; days: number }
  | { kind: "refer"; attorney: number }
  | { kind: "import"; attorney: number; dueDaysAgo: number }
  | { kind: "file"; matter: number; outcome: number }
  | { kind: "switch"; enabled: boolean }
  | { kind: "grace"; threshold: number }
  | { kind: "review" };

/** An attorney's standing in the database. */
interface Standing {
  id: number;
  /** Null if not suspended. */
  reason: string | null;
  traces: string[];
  mails: number;
}

interface Open {
  id: number;
  attorney: AttorneyActor;
  dueOn: PlainDate;
}

const closing: readonly Outcome[] = ["not_retained", "closed"];

export class SuspensionWorld {
  today = plainDate("2026-03-01");
  enabled = false;
  threshold = 2;
  open: Open[] = [];
  readonly db: Db;
  readonly network: MadeNetwork;
  readonly periodInDays: number;
  readonly attorneys: AttorneyActor[];

  constructor(db: Db, network: MadeNetwork, periodInDays: number, attorneys: AttorneyActor[]) {
    this.db = db;
    this.network = network;
    this.periodInDays = periodInDays;
    this.attorneys = attorneys;
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case "days pass":
        this.today = this.today.add({ days: step.days });
        return await this.review();
      case "refer":
        return await this.refer(inTurn(this.attorneys, step.attorney));
      case "import":
        return await this.importOne(inTurn(this.attorneys, step.attorney), step.dueDaysAgo);
      case "file":
        return await this.file(step.matter, inTurn([...outcomes], step.outcome));
      case "switch":
        this.enabled = step.enabled;
        return await this.write({ suspends_overdue_attorneys: step.enabled });
      case "grace":
        this.threshold = step.threshold;
        return await this.write({ overdue_periods_suspension_threshold: step.threshold });
      case "review":
        return await this.review();
    }
  }

  async review(): Promise<void> {
    const author = { networkId: this.network.id, userId: null, name: "Daily review" };
    await inTransaction(this.db, (tx) => reviewNetwork(tx, author, this.today));
  }

  async write(change: Parameters<typeof writeSettings>[2]): Promise<void> {
    await inTransaction(this.db, (tx) => writeSettings(tx, this.network.admin, change, this.today));
  }

  /** Only attorneys who are not suspended receive a referral. */
  async refer(attorney: AttorneyActor): Promise<void> {
    const isRefused = this.must(attorney);
    try {
      const { id } = await inTransaction(this.db, (tx) =>
        recordMatter(tx, this.network.admin, aClient(attorney.attorneyId), this.today),
      );
      assert.ok(!isRefused, "a suspended attorney received a referral");
      this.open.push({ id, attorney, dueOn: this.today.add({ days: this.periodInDays }) });
    } catch (problem) {
      assert.ok(problem instanceof Refusal && problem.status === 409 && isRefused, String(problem));
    }
  }

  async importOne(attorney: AttorneyActor, dueDaysAgo: number): Promise<void> {
    const dueOn = this.today.subtract({ days: dueDaysAgo });
    const owner = { id: attorney.attorneyId };
    const id = await makeMatter(this.db, this.network, {
      attorney: owner,
      dueOn: dueOn.toString(),
    });
    this.open.push({ id, attorney, dueOn });
    await this.review();
  }

  async file(choice: number, outcome: Outcome): Promise<void> {
    if (this.open.length === 0) return;
    const matter = inTurn(this.open, choice);
    const report = { outcome, note: "" };
    await inTransaction(this.db, (tx) =>
      fileReport(tx, matter.attorney, matter.id, report, this.today),
    );
    this.noteFiled(matter, outcome);
  }

  noteFiled(matter: Open, outcome: Outcome): void {
    if (closing.includes(outcome)) this.open = this.open.filter((one) => one !== matter);
    else matter.dueOn = this.today.add({ days: this.periodInDays });
  }

  must(attorney: AttorneyActor): boolean {
    const due = this.open.filter((one) => one.attorney === attorney).map(({ dueOn }) => dueOn);
    const { enabled, threshold, periodInDays } = this;
    return mustSuspend(due, { enabled, threshold, periodInDays }, this.today);
  }

  /** Check that the rule holds for everybody, and that every change left its record and its email. */
  async compare(): Promise<void> {
    const { rows } = await sql<Standing>`
      select id, suspension_reason as reason, array(
        select action from audit_entries e
        where e.network_id = a.network_id and record_type = 'attorney' and record_id = a.id
        order by e.id) as traces,
        (select count(*) from mails m where m.network_id = a.network_id and recipient = a.email
          and occasion like 'suspen%') as mails
      from attorneys a where network_id = ${this.network.id}`.execute(this.db);
    for (const attorney of this.attorneys) {
      const stands = rows.find(({ id }) => id === attorney.attorneyId);
      assert.ok(stands);
      const { reason, traces, mails } = stands;
      assert.equal(reason !== null, this.must(attorney), "suspended if and only if");
      if (reason) this.compareReason(attorney, reason);
      // Each suspension is followed by its end, and the last one is open if the rule says so.
      const expected = traces.map((_, index) => (index % 2 ? "lifted suspension" : "suspended"));
      assert.deepEqual(traces, expected);
      assert.equal(traces.length % 2 === 1, this.must(attorney));
      assert.equal(mails, traces.length);
    }
  }

  compareReason(attorney: AttorneyActor, reason: string): void {
    const tolerated = this.threshold * this.periodInDays;
    const late = this.open.filter(
      (one) => one.attorney === attorney && one.dueOn.until(this.today).days > tolerated,
    );
    assert.ok(reason.startsWith(`${late.length} status report`), reason);
  }
}

export function aClient(attorneyId?: number) {
  return {
    first_name: "Jane",
    last_name: "Doe",
    phone: "",
    email: "",
    address_line_1: "",
    address_line_2: "",
    address_city: "",
    address_region: "",
    address_zip: "",
    contact_preference: "either" as const,
    followup_consent: false,
    attorney_id: attorneyId,
    note: "",
  };
}

/** Three attorneys without a referral, overdue suspensions off, on 1 March 2026. */
export async function aSuspensionWorld(db: Db, periodInDays = 5): Promise<SuspensionWorld> {
  const network = await makeNetwork(db, { timeZone: "UTC" });
  await db
    .updateTable("networks")
    .set({ overduePeriodInDays: periodInDays })
    .where("id", "=", network.id)
    .execute();
  const attorneys: AttorneyActor[] = [];
  for (const lastName of ["Abbott", "Baker", "Chen"])
    attorneys.push(await makeAccount(db, network, await makeAttorney(db, network, { lastName })));
  return new SuspensionWorld(db, network, periodInDays, attorneys);
}
