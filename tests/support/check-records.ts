import { sql } from "kysely";
import type { Day } from "#kit/domain/day.ts";
import { cents } from "#kit/domain/money.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import type { MadeAttorney } from "#main/demo/records/attorneys.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";

/*
 * Records of checks, credit and deposits, written directly into the tables as the product's own functions do,
 * for tests of what reads them.
 */

let made = 0;

interface WantedCheck {
  /** The attorneys whose debits or credit it pays; more than one need a firm. */
  parts: { attorneyId: number; shares?: Record<number, number>; creditCents?: number }[];
  number?: string;
  firmId?: number;
  receivedOn?: Day;
}

/** A pending check of an attorney or a firm, in cents. Returns its id. */
export async function aCheck(db: Db, network: MadeNetwork, wanted: WantedCheck): Promise<number> {
  const number = wanted.number ?? `D${(made += 1)}`;
  const amountOf = ({ shares = {}, creditCents = 0 }: WantedCheck["parts"][number]) =>
    Object.values(shares).reduce((added, share) => added + share, creditCents);
  return await inTransaction(db, async (tx) => {
    const { id } = await tx
      .insertInto("receivedChecks")
      .values({
        networkId: network.id,
        attorneyId: wanted.firmId === undefined ? wanted.parts[0]?.attorneyId : null,
        firmId: wanted.firmId ?? null,
        checkNumber: number,
        amountCents: cents(wanted.parts.reduce((added, part) => added + amountOf(part), 0)),
        receivedOn: wanted.receivedOn ?? "2026-05-01",
        createdBy: network.admin.userId,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    for (const part of wanted.parts) {
      const of = { networkId: network.id, attorneyId: part.attorneyId, checkNumber: number };
      const payment = await tx
        .insertInto("payments")
        .values({
          ...of,
          method: "check",
          amountCents: cents(amountOf(part)),
          creditCents: cents(part.creditCents ?? 0),
          receivedCheckId: id,
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      for (const [debitId, amount] of Object.entries(part.shares ?? {}))
        await tx
          .insertInto("paymentAllocations")
          .values({
            ...of,
            paymentId: payment.id,
            debitId: Number(debitId),
            amountCents: cents(amount),
          })
          .execute();
    }
    return id;
  });
}

/** Decide a check's shares: all alike, or deny those on some debits. */
export async function decideCheck(
  db: Db,
  network: MadeNetwork,
  check: number,
  status: "approved" | "denied",
  exceptOnDebits: number[] = [],
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`
      update payment_allocations s
      set status = case when s.debit_id = any(${exceptOnDebits}::bigint[]) then 'denied' else ${status} end,
        decided_at = now(), decided_by = ${network.admin.userId}
      from payments y
      where y.network_id = ${network.id} and y.received_check_id = ${check}
        and s.network_id = y.network_id and s.payment_id = y.id`.execute(tx);
    await sql`
      update received_checks set status = ${status}, decided_at = now(), decided_by = ${network.admin.userId}
      where network_id = ${network.id} and id = ${check} and status = 'pending'`.execute(tx);
  });
}

/**
 * A deposited check with $5.00 approved and some cents denied: these are held for the payer. Returns its id.
 */
export async function aHeldCheck(
  db: Db,
  network: MadeNetwork,
  attorney: Pick<MadeAttorney, "id">,
  heldCents: number,
): Promise<number> {
  const [paid, denied] = [
    await aChargedDebit(db, network, attorney, { amountCents: 500 }),
    await aChargedDebit(db, network, attorney, { amountCents: heldCents }),
  ];
  const check = await aCheck(db, network, {
    parts: [{ attorneyId: attorney.id, shares: { [paid]: 500, [denied]: heldCents } }],
  });
  await decideCheck(db, network, check, "approved", [denied]);
  const { rows } = await sql<{ id: number }>`
    insert into deposits (network_id, number, deposited_on, account_name)
    select ${network.id}::bigint, count(*) + 1, '2026-05-01', 'Operating' from deposits
    where network_id = ${network.id} returning id`.execute(db);
  const deposit = rows[0]?.id ?? 0;
  await sql`update received_checks set deposit_id = ${deposit}
    where network_id = ${network.id} and id = ${check}`.execute(db);
  await sql`update deposits set banked_at = clock(), banked_on = network_day(network_id)
    where network_id = ${network.id} and id = ${deposit}`.execute(db);
  return check;
}

/** The bank returned a check: its shares and its credit are reversed, refunded credit is charged. */
export async function bounceCheck(db: Db, network: MadeNetwork, check: number): Promise<void> {
  const ofCheck = sql`select y.id from payments y
    where y.network_id = ${network.id} and y.received_check_id = ${check}`;
  await inTransaction(db, async (tx) => {
    await sql`update payment_allocations set status = 'returned', decided_at = now()
      where network_id = ${network.id} and payment_id in (${ofCheck}) and status = 'approved'`.execute(
      tx,
    );
    await sql`
      insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id, debit_id,
        received_check_id)
      select q.network_id, 'credit_taken_off', 'credit', 'receivable', -sum(q.credit_cents)::bigint,
        network_day(q.network_id), q.attorney_id, q.credit_id, q.debit_id, ${check}
      from entries q join credits r on r.network_id = q.network_id and r.id = q.credit_id
      where q.network_id = ${network.id} and r.payment_id in (${ofCheck}) and q.debit_id is not null
      group by q.network_id, q.attorney_id, q.credit_id, q.debit_id having sum(q.credit_cents) < 0`.execute(
      tx,
    );
    const { rows: given } = await sql<{ attorneyId: number; amountCents: number }>`
      select q.attorney_id, sum(q.amount_cents)::bigint as amount_cents
      from entries q join credits r on r.network_id = q.network_id and r.id = q.credit_id
      where q.network_id = ${network.id} and r.payment_id in (${ofCheck}) and q.cause = 'credit_given_back'
      group by q.attorney_id`.execute(tx);
    await sql`
      insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id,
        received_check_id)
      select network_id, 'credit_reversed', account_of_check(network_id, ${check}), 'credit', left_cents,
        network_day(network_id), attorney_id, id, ${check} from credits
      where network_id = ${network.id} and payment_id in (${ofCheck}) and left_cents > 0`.execute(
      tx,
    );
    for (const { attorneyId, amountCents } of given)
      await aChargedDebit(
        tx,
        network,
        { id: attorneyId },
        { amountCents, name: "Credit of a check" },
      );
    await sql`
      update received_checks set status = 'returned', returned_on = '2026-06-01', returned_at = now()
      where network_id = ${network.id} and id = ${check}`.execute(tx);
  });
}

/** A deposit of checks that was banked today. Returns its id. */
export async function aBankedDeposit(
  db: Db,
  network: MadeNetwork,
  checks: number[],
  accountName: string,
): Promise<number> {
  return await inTransaction(db, async (tx) => {
    const { rows } = await sql<{ id: number }>`
      insert into deposits (network_id, number, deposited_on, account_name)
      select ${network.id}::bigint, count(*) + 1, current_date, ${accountName} from deposits
      where network_id = ${network.id} returning id`.execute(tx);
    const id = rows[0]?.id ?? 0;
    await sql`update received_checks set deposit_id = ${id}
      where network_id = ${network.id} and id = any(${checks}::bigint[])`.execute(tx);
    await sql`update deposits set banked_at = now(), banked_on = network_day(network_id)
      where network_id = ${network.id} and id = ${id}`.execute(tx);
    return id;
  });
}

/** A debit without a plan. Returns its id. */
export async function aChargedDebit(
  db: Db,
  network: MadeNetwork,
  attorney: Pick<MadeAttorney, "id">,
  wanted: { amountCents?: number; name?: string; dueOn?: Day } = {},
): Promise<number> {
  const amountCents = cents(wanted.amountCents ?? 2500);
  const dueOn = wanted.dueOn ?? "2026-05-01";
  const charge = await db
    .insertInto("charges")
    .values({ networkId: network.id, name: wanted.name ?? "Late fee", amountCents, dueOn })
    .returning("id")
    .executeTakeFirstOrThrow();
  const debit = await db
    .insertInto("debits")
    .values({
      networkId: network.id,
      attorneyId: attorney.id,
      chargeId: charge.id,
      dueOn,
      amountCents,
      balanceCents: amountCents,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return debit.id;
}

/** Use credit, oldest first: on a debit, or refund it. */
export async function spendCredit(
  db: Db,
  network: MadeNetwork,
  attorneyId: number,
  wanted: { amountCents: number; debitId?: number },
): Promise<void> {
  const isApplied = wanted.debitId !== undefined;
  await sql`
    insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id, debit_id)
    select network_id, ${isApplied ? "credit_applied" : "credit_given_back"},
      ${
        isApplied
          ? sql`'receivable'`
          : sql`coalesce('bank:' || (
        select account_name from deposits t where t.network_id = ${network.id} order by id desc limit 1), 'bank')`
      },
      'credit', used, network_day(network_id), attorney_id, id, ${wanted.debitId ?? null}::bigint
    from (
      select *, least(left_cents, ${wanted.amountCents}
        - (sum(left_cents) over (order by id) - left_cents))::bigint as used
      from credits where network_id = ${network.id} and attorney_id = ${attorneyId} and left_cents > 0
    ) as oldest where used > 0 order by id`.execute(db);
}
