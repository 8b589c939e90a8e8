import { sql } from "kysely";
import { isAfter, type PlainDate } from "#domain/calendar.ts";
import type { Db } from "#db/database.ts";
import { type DemoNetwork, instantOn } from "#features/demo/demo-network.ts";

/** A check of the demo's history. */
export interface DemoCheck {
  attorneyId: number;
  /** Who recorded it. */
  userId: number;
  paidOn: PlainDate;
  shares: { debitId: number; amountCents: number }[];
  /** What the administrator decided, and when; null while it is pending. */
  decided: { status: "approved" | "denied"; on: PlainDate } | null;
}

/** An adjustment of the demo's history; an amount below zero decreased the balance. */
export interface DemoAdjustment {
  debitId: number;
  amountCents: number;
  note: string;
  on: PlainDate;
}

export async function makeAdjustments(
  tx: Db,
  network: DemoNetwork,
  adjustments: DemoAdjustment[],
): Promise<void> {
  const rows = adjustments.map(({ debitId, amountCents, note, on }) => ({
    debit_id: debitId,
    amount_cents: amountCents,
    note,
    created_at: instantOn(network, on, "11:15"),
  }));
  await sql`
    insert into ledger_entries
      (network_id, debit_id, kind, amount_cents, note, actor_user_id, created_at)
    select ${network.id}, debit_id, 'adjustment', amount_cents, note, ${network.adminUserId},
      least(created_at, now())
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as given (debit_id bigint, amount_cents bigint, note text, created_at timestamptz)
    order by created_at, debit_id`.execute(tx);
}

/** Record checks in the order of their days, and decide those that were decided. */
export async function makeChecks(tx: Db, network: DemoNetwork, checks: DemoCheck[]): Promise<void> {
  const inOrder = numbered(checks.toSorted((a, b) => (isAfter(a.paidOn, b.paidOn) ? 1 : -1)));
  for (let rest = inOrder; rest.length > 0;) {
    const until = rest[0]?.paidOn.add({ days: windowDays }) ?? network.today;
    const next = rest.findIndex(({ paidOn }) => !isAfter(until, paidOn));
    const window = next === -1 ? rest : rest.slice(0, next);
    await makeWindow(tx, network, window);
    rest = rest.slice(window.length);
  }
}

/** Nobody writes a second check for what a denied one left open within so many days. */
const windowDays = 10;

type Numbered = DemoCheck & { checkNumber: string };

/** Each attorney's checkbook begins at 1001. */
function numbered(checks: DemoCheck[]): Numbered[] {
  const last = new Map<number, number>();
  return checks.map((check) => {
    const number = (last.get(check.attorneyId) ?? 1000) + 1;
    last.set(check.attorneyId, number);
    return { ...check, checkNumber: String(number) };
  });
}

async function makeWindow(tx: Db, network: DemoNetwork, checks: Numbered[]): Promise<void> {
  const rows = checks.map(({ attorneyId, userId, checkNumber, paidOn, shares, decided }) => ({
    attorney_id: attorneyId,
    user_id: userId,
    check_number: checkNumber,
    paid_at: instantOn(network, paidOn, "14:05"),
    status: decided?.status ?? "pending",
    decided_at: decided && instantOn(network, decided.on, "10:40"),
    shares: shares.map(({ debitId, amountCents }) => ({
      debit_id: debitId,
      amount_cents: amountCents,
    })),
  }));
  const given = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (attorney_id bigint,
    user_id bigint, check_number text, paid_at timestamptz, status text, decided_at timestamptz, shares jsonb)`;
  await sql`
    with given as (
      select *, least(paid_at, now()) as created_at, (
        select sum((share ->> 'amount_cents')::bigint) from jsonb_array_elements(shares) as share
      ) as amount_cents
      from ${given}
    ), paid as (
      insert into payments
        (network_id, attorney_id, method, amount_cents, check_number, created_by, created_at)
      select ${network.id}::bigint, attorney_id, 'check', amount_cents, check_number, user_id, created_at
      from given order by created_at, attorney_id
      returning network_id, id, attorney_id, check_number, created_at
    )
    insert into payment_allocations
      (network_id, attorney_id, payment_id, debit_id, amount_cents, check_number, created_at)
    select p.network_id, p.attorney_id, p.id, s.debit_id, s.amount_cents, p.check_number, p.created_at
    from paid as p
    join given using (attorney_id, check_number)
    cross join jsonb_to_recordset(shares) as s (debit_id bigint, amount_cents bigint)
    order by p.id, s.debit_id`.execute(tx);
  await sql`
    update payment_allocations as s
    set status = given.status, decided_at = least(given.decided_at, now()),
      decided_by = ${network.adminUserId}
    from ${given}
    where s.network_id = ${network.id} and s.attorney_id = given.attorney_id
      and s.check_number = given.check_number and given.status <> 'pending'`.execute(tx);
}
