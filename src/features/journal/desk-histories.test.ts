import * as fc from "fast-check";
import { sql } from "kysely";
import { expect } from "vitest";
import { z } from "zod";
import { plainDate } from "#domain/calendar.ts";
import { cents, sum } from "#domain/money.ts";
import { daysAfter, type Day } from "#domain/day.ts";
import { inTransaction } from "#db/transaction.ts";
import { journalLines } from "#features/journal/journal.ts";
import { adjust } from "#features/ledger/adjustments.ts";
import { verifyLedger } from "#features/ledger/verify-ledger.ts";
import { receivablesAsOf } from "#features/receivables/receivables-as-of.ts";
import { Statement } from "#features/statements/contract.ts";
import { showStatementOf } from "#features/statements/statement.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";
import {
  aChargedDebit,
  aCheck,
  bounceCheck,
  decideCheck,
  spendCredit,
} from "#tests/support/desk.ts";
import { makeAttorney, type MadeAttorney } from "#features/demo/records/attorneys.ts";
import { makeNetwork, type MadeNetwork } from "#features/demo/records/networks.ts";
import { aFirm } from "#tests/support/received-checks.ts";
import { makeDebit } from "#features/demo/records/dues.ts";
import { rounds } from "#tests/support/rounds.ts";

/*
 * Random histories of the money desk, a day for each step: the journal balances and its receivables and credit are
 * those kept, what was owed at the end of each day is what was owed then, and statements lead from the one to the other.
 */

const test = databaseTest();

const firstDay = "2026-02-01";

const amount = fc.integer({ min: 1, max: 4_000 });
const pick = fc.nat({ max: 30 });
const steps = fc.oneof(
  fc.record({ kind: fc.constant("charge"), pick, amount }),
  fc.record({ kind: fc.constant("dues"), pick, amount }),
  fc.record({ kind: fc.constant("adjust"), pick, amount }),
  fc.record({ kind: fc.constant("check"), pick, amount }),
  fc.record({ kind: fc.constant("check"), pick, amount }),
  fc.record({ kind: fc.constant("decide"), pick, amount }),
  fc.record({ kind: fc.constant("decide"), pick, amount }),
  fc.record({ kind: fc.constant("bounce"), pick, amount }),
  fc.record({ kind: fc.constant("apply"), pick, amount }),
  fc.record({ kind: fc.constant("give back"), pick, amount }),
  fc.record({ kind: fc.constant("deposit"), pick, amount }),
);

interface Step {
  kind: string;
  pick: number;
  amount: number;
}

class Desk {
  readonly network: MadeNetwork;
  readonly attorneys: MadeAttorney[];
  readonly firm: number;

  constructor(network: MadeNetwork, attorneys: MadeAttorney[], firm: number) {
    this.network = network;
    this.attorneys = attorneys;
    this.firm = firm;
  }

  attorney(which: number): MadeAttorney {
    const found = this.attorneys[which % this.attorneys.length];
    if (!found) throw new Error("Nobody is there.");
    return found;
  }

  /** What is chosen is not there yet, or cannot be done: then nothing happens that day. */
  async take({ kind, pick: which, amount: sum }: Step): Promise<void> {
    const { network } = this;
    const attorney = this.attorney(which);
    const dueOn = daysAfter(firstDay, (which % 7) * 20 - 60);
    if (kind === "charge") await aChargedDebit(db, network, attorney, { amountCents: sum, dueOn });
    if (kind === "dues") await makeDebit(db, network, attorney, { amountCents: sum, dueOn });
    if (kind === "adjust") await this.adjust(attorney, which, sum);
    if (kind === "check") await this.check(which, sum);
    if (kind === "decide") await this.decide(which);
    if (kind === "bounce") {
      const check = await this.aCheckThat(sql`status in ('approved', 'mixed')`, which);
      if (check) await bounceCheck(db, network, check);
    }
    if (kind === "apply" || kind === "give back") await this.spend(attorney, sum, kind);
    if (kind === "deposit") await this.deposit(which);
  }

  async openDebits(attorney: MadeAttorney) {
    return await db
      .selectFrom("debits")
      .select(["id", "balanceCents", "pendingCents"])
      .where("attorneyId", "=", attorney.id)
      .whereRef("balanceCents", ">", "pendingCents")
      .orderBy("id")
      .execute();
  }

  async adjust(attorney: MadeAttorney, which: number, sum: number): Promise<void> {
    const [debit] = await this.openDebits(attorney);
    if (!debit) return;
    const isDecrease = which % 2 === 0;
    const most = debit.balanceCents - debit.pendingCents;
    await inTransaction(db, (tx) =>
      adjust(tx, this.network.admin, {
        debit_id: debit.id,
        direction: isDecrease ? "decrease" : "increase",
        amount: cents(isDecrease ? Math.min(sum, most) : sum),
        adjustment_note: "",
      }),
    );
  }

  /** Of one attorney or the firm: half of what is open is paid, and some is credit. */
  async check(which: number, sum: number): Promise<void> {
    const payers = which % 3 === 0 ? this.attorneys : [this.attorney(which)];
    const parts = [];
    for (const attorney of payers) {
      const debits = await this.openDebits(attorney);
      const shares = debits.map(
        (debit) => [debit.id, Math.ceil((debit.balanceCents - debit.pendingCents) / 2)] as const,
      );
      const creditCents = (which + payers.length) % 2 === 0 || shares.length === 0 ? sum : 0;
      parts.push({ attorneyId: attorney.id, shares: Object.fromEntries(shares), creditCents });
    }
    await aCheck(db, this.network, { parts, ...(payers.length > 1 && { firmId: this.firm }) });
  }

  async aCheckThat(condition: ReturnType<typeof sql>, which: number): Promise<number | undefined> {
    const { rows } = await sql<{ id: number }>`select id from received_checks
      where network_id = ${this.network.id} and ${condition} order by id`.execute(db);
    return rows[which % Math.max(rows.length, 1)]?.id;
  }

  async decide(which: number): Promise<void> {
    const check = await this.aCheckThat(sql`status = 'pending'`, which);
    if (!check) return;
    const { rows } = await sql<{ debitId: number }>`select s.debit_id from payment_allocations s
      join payments y on y.network_id = s.network_id and y.id = s.payment_id
      where y.network_id = ${this.network.id} and y.received_check_id = ${check} order by s.id`.execute(
      db,
    );
    const isDenied = which % 5 === 0;
    const denied = which % 4 === 0 ? rows.slice(0, 1).map(({ debitId }) => debitId) : [];
    await decideCheck(db, this.network, check, isDenied ? "denied" : "approved", denied);
  }

  async spend(attorney: MadeAttorney, sum: number, kind: string): Promise<void> {
    const [debit] = await this.openDebits(attorney);
    const { rows } = await sql<{ left: number }>`select coalesce(sum(left_cents), 0)::bigint as left
      from credits where attorney_id = ${attorney.id}`.execute(db);
    const open = debit ? debit.balanceCents - debit.pendingCents : 0;
    const most = Math.min(rows[0]?.left ?? 0, sum, kind === "apply" ? open : sum);
    if (most === 0) return;
    await spendCredit(db, this.network, attorney.id, {
      amountCents: most,
      ...(kind === "apply" && { debitId: debit?.id }),
    });
  }

  /** All that is in hand goes to the bank, at once or some day. */
  async deposit(which: number): Promise<void> {
    const networkId = this.network.id;
    if (which % 3 === 0) {
      await sql`update deposits set banked_at = now()
        where network_id = ${networkId} and banked_at is null`.execute(db);
      return;
    }
    await sql`with made as (
        insert into deposits (network_id, number, deposited_on, account_name)
        select ${networkId}, count(*) + 1, '2026-05-01', 'Bank ' || count(*) from deposits
        where network_id = ${networkId} returning *
      ) update received_checks k set deposit_id = made.id from made
      where k.network_id = made.network_id and k.status in ('approved', 'mixed') and k.deposit_id is null`.execute(
      db,
    );
  }

  /** Entries made now become those of a day. */
  async recordOn(day: Day): Promise<void> {
    await inTransaction(db, async (tx) => {
      for (const table of ["ledger_entries", "credit_entries"]) {
        await sql.raw(`alter table ${table} disable trigger user`).execute(tx);
        await sql`update ${sql.table(table)} set created_at = ${`${day}T20:00:00-05:00`}
          where network_id = ${this.network.id} and created_at > now() - interval '1 hour'`.execute(
          tx,
        );
        await sql.raw(`alter table ${table} enable trigger user`).execute(tx);
      }
    });
  }

  /** What is owed now by days overdue on a day, and the credit, from what is kept beside the entries. */
  async kept(day: Day): Promise<unknown[]> {
    const { rows } = await sql`
      select attorney_id, sum(cents) filter (where days <= 0)::bigint as current,
        sum(cents) filter (where days between 1 and 30)::bigint as to_30,
        sum(cents) filter (where days between 31 and 60)::bigint as to_60,
        sum(cents) filter (where days between 61 and 90)::bigint as to_90,
        sum(cents) filter (where days > 90)::bigint as over_90,
        sum(cents)::bigint as total, sum(credit)::bigint as credit
      from (
        select attorney_id, ${day}::date - due_on as days, balance_cents as cents, 0 as credit from debits
        where network_id = ${this.network.id}
        union all select attorney_id, null, 0, left_cents from credits where network_id = ${this.network.id}
      ) as one group by attorney_id having sum(cents) > 0 or sum(credit) > 0 order by attorney_id`.execute(
      db,
    );
    return rows.map((row) => Object.values(row as object).map(Number));
  }

  async asOf(day: Day): Promise<unknown[]> {
    const { rows } = await sql`select * from (${receivablesAsOf(this.network, day)}) as r
      order by attorney_id`.execute(db);
    return rows.map((row) => Object.values(row as object).map(Number));
  }
}

/** Of each attorney, what the statement between two days begins and ends with; it must add up by itself. */
async function statements({ network, attorneys }: Desk, from: Day, to: Day) {
  const ends = [];
  for (const { id } of attorneys) {
    const wanted = { attorneyId: id, between: { from, to } };
    const answer = await showStatementOf(db, network.admin, wanted, plainDate("2026-06-01"));
    const { opening, lines, charged, paid, closing, credit } = z.decode(
      Statement,
      JSON.parse(answer.text),
    );
    let balance = opening;
    for (const line of lines) {
      balance = cents(balance + line.charge - line.payment);
      expect(line).toMatchObject({ balance, description: expect.stringMatching(/./) });
    }
    expect(balance).toBe(closing);
    expect(sum(lines.map((line) => line.charge))).toBe(charged);
    expect(sum(lines.map((line) => line.payment))).toBe(paid);
    ends.push({ id, opening, closing, credit });
  }
  return ends;
}

/** The same from the receivables as of the days. */
async function endsAsOf(desk: Desk, from: Day, to: Day) {
  const of = async (day: Day) => {
    const { rows } = await sql<{ attorneyId: number; totalCents: number; creditCents: number }>`
      select * from (${receivablesAsOf(desk.network, day)}) as r`.execute(db);
    return new Map(rows.map((row) => [row.attorneyId, row]));
  };
  const [before, after] = [await of(daysAfter(from, -1)), await of(to)];
  return desk.attorneys.map(({ id }) => ({
    id,
    opening: before.get(id)?.totalCents ?? 0,
    closing: after.get(id)?.totalCents ?? 0,
    credit: after.get(id)?.creditCents ?? 0,
  }));
}

async function trialBalance(network: MadeNetwork): Promise<unknown> {
  const of = (account: string) =>
    sql`coalesce(sum(amount_cents) filter (where account = ${account}), 0)::bigint`;
  const { rows } = await sql`
    select ${of("accounts_receivable")} as owed, -${of("attorneys_credit")} as credit, ${of("bank")} as bank,
      ${of("undeposited_checks")} as undeposited
    from (${journalLines}) as j where network_id = ${network.id}`.execute(db);
  return rows[0];
}

/** The same from what is kept: what the bank has is what was brought, less what it returned and what was given back. */
async function keptBalances(network: MadeNetwork): Promise<object> {
  const { rows } = await sql<object>`
    with checks as (
      select k.amount_cents, k.status, k.deposit_id, t.banked_at, (
        select coalesce(sum(s.amount_cents), 0) from payments y
        join payment_allocations s on s.network_id = y.network_id and s.payment_id = y.id and s.status = 'denied'
        where y.network_id = k.network_id and y.received_check_id = k.id) as denied_cents
      from received_checks k
      left join deposits t on t.network_id = k.network_id and t.id = k.deposit_id
      where k.network_id = ${network.id}
    ), sums as (
      select coalesce(sum(amount_cents) filter (where banked_at is not null), 0) as banked,
        coalesce(sum(amount_cents) filter (where status = 'returned' and deposit_id is not null), 0) as bounced,
        coalesce(sum(amount_cents - denied_cents) filter (where status in ('approved', 'mixed')), 0) as in_hand
      from checks
    )
    select (select coalesce(sum(balance_cents), 0) from debits where network_id = ${network.id})::bigint as owed,
      (select coalesce(sum(left_cents), 0) from credits where network_id = ${network.id})::bigint as credit,
      (banked - bounced + (
        select coalesce(sum(q.amount_cents), 0) from credit_entries q
        where q.network_id = ${network.id} and q.kind = 'given_back'
      ))::bigint as bank,
      (in_hand + bounced - banked)::bigint as undeposited
    from sums`.execute(db);
  return rows[0] ?? {};
}

test("whatever happens, the journal balances and each day can be looked up again", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 10, maxLength: 40 }), async (plan) => {
      const network = await makeNetwork(db);
      const attorneys = [await makeAttorney(db, network), await makeAttorney(db, network)];
      const desk = new Desk(network, attorneys, await aFirm(db, network, attorneys));
      const days: { day: Day; kept: unknown[] }[] = [];
      for (const [index, step] of plan.entries()) {
        const day = daysAfter(firstDay, index);
        await desk.take(step);
        await desk.recordOn(day);
        days.push({ day, kept: await desk.kept(day) });
      }
      for (const { day, kept } of days) expect([day, await desk.asOf(day)]).toEqual([day, kept]);
      expect(await desk.asOf(daysAfter(firstDay, -1))).toEqual([]);
      const [middle, last] = [daysAfter(firstDay, 6), daysAfter(firstDay, plan.length - 1)];
      for (const [from, to] of [
        [firstDay, last],
        [firstDay, middle],
        [daysAfter(middle, 1), last],
      ] as const)
        expect(await statements(desk, from, to)).toEqual(await endsAsOf(desk, from, to));

      const { rows: unbalanced } = await sql`select entry from (${journalLines}) as j
        where network_id = ${network.id} group by entry
        having sum(amount_cents) <> 0 or count(*) <> 2`.execute(db);
      expect(unbalanced).toEqual([]);
      expect(await trialBalance(network)).toMatchObject(await keptBalances(network));
      const offences = await verifyLedger(db, network.id);
      expect(offences.filter(({ offenders }) => offenders > 0)).toEqual([]);
    }),
    { numRuns: rounds(10, 60) },
  );
});
