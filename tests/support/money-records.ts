import { sql } from "kysely";
import { z } from "zod";
import { plainDate } from "#kit/domain/calendar.ts";
import { type Day, daysAfter } from "#kit/domain/day.ts";
import { cents, sum } from "#kit/domain/money.ts";
import { showAttorney } from "#people/contract.ts";
import { listChecks } from "#payments/checks/contract.ts";
import { journalLines } from "#dues/ledger/journal/journal.ts";
import { receivablesAsOf } from "#dues/ledger/receivables/receivables-as-of.ts";
import { Statement, type StatementLine } from "#dues/ledger/statements/contract.ts";
import { readStatement } from "#dues/ledger/statements/statement.ts";
import { sumOf, waitingOf } from "#tests/support/money-model.ts";
import { dollars, type MoneyWorld } from "#tests/support/money-world.ts";
import type { RunningApp } from "#tests/support/running-app.ts";

/* The product's records of a network's money, each compared with the model. */

/** The model's value, and the product's. */
interface Compared {
  foreseen: unknown;
  found: unknown;
}

/** Balances, pending amounts, credit, checks, card payments, and the journal's accounts, all to the cent. */
export async function compareMoney({ app, network, model }: MoneyWorld): Promise<Compared> {
  const listed = (table: string, ...columns: [string, ...string[]]) => sql`(
    select coalesce(json_agg(json_build_array(${sql.join(columns.map((column) => sql.ref(column)))})
      order by ${sql.ref(columns[0])}), '[]')
    from ${sql.table(table)} where network_id = ${network.id})`;
  const { rows } = await sql<object>`
    with lines as materialized (select * from (${journalLines}) as j where network_id = ${network.id})
    select ${listed("debits", "id", "balance_cents", "pending_cents")} as debits,
      ${listed("credits", "id", "attorney_id", "amount_cents", "left_cents")} as credits,
      ${listed("received_checks", "id", "status", "deposit_id")} as checks,
      ${listed("card_payments", "payment_id", "state", "received_cents")} as cards,
      (select coalesce(json_object_agg(account, cents), '{}') from (
        select account, sum(amount_cents) as cents from lines group by account having sum(amount_cents) <> 0
      ) as sums) as accounts,
      (select coalesce(json_agg(entry), '[]') from (
        select entry from lines group by entry having sum(amount_cents) <> 0 or count(*) <> 2
      ) as one) as unbalanced`.execute(app.db);
  return {
    foreseen: {
      debits: model.debits
        .map((debit) => [debit.id, debit.owed, model.pendingOn(debit)])
        .toSorted(byId),
      credits: model.receipts.map(({ id, attorneyId, amount, left }) => [
        id,
        attorneyId,
        amount,
        left,
      ]),
      checks: model.checks
        .map(({ id, status, deposit }) => [id, status, deposit?.id ?? null] as const)
        .toSorted(byId),
      cards: model.cards
        .map(({ id, state, received }) => [id, state, received] as const)
        .toSorted(byId),
      accounts: Object.fromEntries([...model.accounts].filter(([, cents]) => cents !== 0)),
      unbalanced: [],
    },
    found: rows[0],
  };
}

const byId = ([a]: readonly unknown[], [b]: readonly unknown[]) => Number(a) - Number(b);

/** The checks as an administrator sees them, and each lawyer's own balances and payments. */
export async function compareScreens(world: MoneyWorld): Promise<Compared> {
  const { model, admin, attorneys, lawyers } = world;
  const list = await admin.call(listChecks, { query: { per_page: 200 } });
  const pending = model.checks.filter(({ status }) => status === "pending");
  const seen = [];
  for (const [index, id] of attorneys.entries()) {
    const record = await lawyers[index]?.ask(showAttorney, { params: { id } });
    const object = record?.object;
    seen.push({
      balance: object?.balance,
      debits: object?.debits.map((debit) => [debit.id, debit.balance]).toSorted(byId),
      checks: object?.checkPayments
        .map((share) => [share.id, share.quantity, share.status])
        .toSorted(byId),
    });
  }
  const owners = attorneys.map((id) => {
    const debits = model.debits.filter(({ attorneyId }) => attorneyId === id);
    return {
      balance: dollars(sumOf(debits.map(({ owed }) => owed))),
      debits: debits
        .filter(({ owed }) => owed > 0)
        .map((debit) => [debit.id, dollars(debit.owed)] as const)
        .toSorted(byId),
      checks: model.checks
        .flatMap(({ shares }) => shares)
        .filter(({ debit }) => debit.attorneyId === id)
        .map((share) => [share.id, dollars(share.cents), share.status] as const)
        .toSorted(byId),
    };
  });
  return {
    foreseen: {
      checks: model.checks
        .map((check) => [
          check.id,
          check.status,
          check.deposit?.id ?? null,
          check.shares.map(({ debit, status }) => [debit.id, status] as const).toSorted(byId),
        ])
        .toReversed(),
      pending: { count: pending.length, amount: sumOf(pending.map(waitingOf)) },
      owners,
    },
    found: {
      checks: list.items.map(({ id, status, depositId, shares }) => [
        id,
        status,
        depositId,
        shares.map((share) => [share.debitId, share.status] as const).toSorted(byId),
      ]),
      pending: list.pending,
      owners: seen,
    },
  };
}

/** What was owed at the end of a date, from the entries only, in the model's rows. */
export async function receivablesOn({ app, network }: MoneyWorld, day: Day): Promise<number[][]> {
  const { rows } = await sql<object>`
    select * from (${receivablesAsOf(network, day)}) as r order by attorney_id`.execute(app.db);
  return rows.map((row) => Object.values(row).map(Number));
}

/** Each attorney's opening and closing balance of the statement between two dates; it must add up. */
export async function compareStatements(
  world: MoneyWorld,
  { from, to }: { from: Day; to: Day },
): Promise<Compared> {
  const { app, network, attorneys } = world;
  const [before, after] = [
    await receivablesOn(world, daysAfter(from, -1)),
    await receivablesOn(world, to),
  ];
  const kept = (rows: number[][], id: number) => {
    const row = rows.find(([attorneyId]) => attorneyId === id);
    return { total: row?.[6] ?? 0, credit: row?.[7] ?? 0 };
  };
  const compared: { foreseen: object[]; found: object[] } = { foreseen: [], found: [] };
  for (const id of attorneys) {
    const wanted = { attorneyId: id, between: { from, to } };
    const answer = await readStatement(app.db, network.admin, wanted, plainDate(world.today));
    const { opening, lines, charged, paid, takenBack, adjusted, closing, credit } = z.decode(
      Statement,
      JSON.parse(answer.text),
    );
    const [begun, ended] = [kept(before, id), kept(after, id)];
    let balance = opening;
    const movedBy = (...kinds: StatementLine["kind"][]) =>
      sum(
        lines
          .filter(({ kind }) => kinds.includes(kind))
          .map(({ charge, payment }) => cents(charge - payment)),
      );
    const balances = lines.map(({ charge, payment }) => {
      balance = cents(balance + charge - payment);
      return balance;
    });
    compared.foreseen.push({
      id,
      opening: begun.total,
      closing: ended.total,
      credit: ended.credit,
      balances,
      charged: movedBy("charge"),
      paid: movedBy("payment", "reversal", "credit"),
      adjusted: movedBy("adjustment"),
      ends: closing,
    });
    compared.found.push({
      id,
      opening,
      closing,
      credit,
      balances: lines.map((line) => line.balance),
      charged,
      paid: cents(takenBack - paid),
      adjusted,
      ends: balance,
    });
  }
  return compared;
}

/** The journal of a date, line by line. */
export async function journalOn({ app, network }: MoneyWorld, day: Day): Promise<unknown[]> {
  const { rows } = await sql<object>`
    select entry, account, detail, amount_cents, attorney_id, reference, memo from (${journalLines}) as j
    where network_id = ${network.id} and day = ${day} order by id, amount_cents`.execute(app.db);
  return rows.map((row) => Object.values(row));
}

/** Allow changes of the time and date of this database's entries, and of nothing else in them. */
export async function unlockRecordingTimes({ db }: Pick<RunningApp, "db">): Promise<void> {
  await sql`drop trigger append_only on entries`.execute(db);
  await sql`drop trigger keep on deposits`.execute(db);
  for (const [name, change] of [
    ["append_only_delete", "delete on entries for each row execute function refuse_change()"],
    [
      "append_only_update",
      `update on entries for each row when (old.created_at = new.created_at)
        execute function refuse_change()`,
    ],
    [
      "keep",
      `update on deposits for each row when (old.banked_on is null or old.banked_on = new.banked_on)
        execute function keep_deposit()`,
    ],
  ])
    await sql.raw(`create trigger ${name} before ${change}`).execute(db);
}

/** The last entry that already has the simulated time. */
export class Recorded {
  private last = 0;
  private steps = 0;

  /**
   * Entries are recorded now, but the simulated date is another one. The last step's entries get a second of
   * that date.
   */
  async today({ app, network, today, undone }: MoneyWorld): Promise<void> {
    this.steps += 1;
    const now = sql`((${today}::date + make_interval(hours => 12, secs => ${this.steps}))::timestamp
      at time zone ${network.timeZone})`;
    const { rows } = await sql<{ id: number }>`
      with recorded as (
        update entries set created_at = ${now}, day = ${today}
        where network_id = ${network.id} and id > ${this.last}::bigint returning id, deposit_id
      ), banked as (
        update deposits set banked_on = ${today}
        where network_id = ${network.id} and id in (select deposit_id from recorded) and banked_on <> ${today}
      ) select coalesce(max(id), ${this.last}::bigint) as id from recorded`.execute(app.db);
    this.last = rows[0]?.id ?? this.last;
    await sql`update enrolment_batches set undone_at = ${now}
      where network_id = ${network.id} and id = any(${undone.splice(0)}::bigint[])`.execute(app.db);
  }
}
