import { sql } from "kysely";
import type pg from "pg";
import type { PlainDate } from "#domain/calendar.ts";
import type { Day } from "#domain/day.ts";
import { type Cents, sum, zero } from "#domain/money.ts";
import type { Doer } from "#domain/actor.ts";
import { audit } from "#db/audit.ts";
import { notifyOnCommit } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { isLostConnection } from "#db/lost-connection.ts";
import { notFound } from "#contract/refusal.ts";
import { inTransaction } from "#db/transaction.ts";
import { analyzeAfterBulkInsert, withoutNestedLoops } from "#db/planner-settings.ts";
import { hasMissingDebit } from "#features/ledger/billing-runs.ts";
import { createDueDebits, countDueDebits, lockEnrolling } from "#features/ledger/billing.ts";
import { type BillingRunLock, openBillingRunLock } from "#features/ledger/billing-run-lock.ts";

export interface BillingRunResult {
  asOf: Day;
  debits: number;
  amountCents: Cents;
  failures: number;
  failureReason: string | null;
}

interface RunOptions {
  /** Past any pooler: one shows for as long as the run goes on that it is not interrupted. */
  sessions?: pg.Pool;
  /** Hears the share done, 0 to 1. */
  onProgress?: (share: number) => void;
}

interface OpenRun {
  id: number;
  doer: Doer;
  asOf: PlainDate;
  billedThrough: Day | null;
  /** What the database has counted before this run, noted when it closes; null leaves what stands. */
  seal: string | null;
  /** Where the walk over enrolments begins and ends; nothing to walk when the day is billed already. */
  firstAfter: number;
  lastEnrolmentId: number;
}

/** Enrolments looked at in one committed step: about a second of work, so a kill loses little. */
const chunkSize = 10_000;

/**
 * Bill everything due through a day, in committed chunks walked by primary key. It can be killed
 * anywhere and run again, or twice at once: each period is billed once. A chunk that fails is
 * recorded, the others go on, and whatever stands under "due but not billed" the next run bills.
 * Throws when the database goes away: what was committed stays. Source: domain rules §3.
 */
export async function runBilling(
  db: Db,
  doer: Doer,
  asOf: PlainDate,
  { sessions, onProgress = () => undefined }: RunOptions = {},
): Promise<BillingRunResult> {
  const lock = await openBillingRunLock(sessions);
  try {
    return await billThrough(db, { doer, asOf }, lock, onProgress);
  } finally {
    await lock.release();
  }
}

async function billThrough(
  db: Db,
  { doer, asOf }: { doer: Doer; asOf: PlainDate },
  lock: BillingRunLock,
  onProgress: (share: number) => void,
): Promise<BillingRunResult> {
  const check = await checkForMissingDebits(db, doer.networkId, asOf);
  const run = await inTransaction(db, async (tx) => {
    const opened = await openRun(tx, { doer, asOf, ...check });
    await lock.acquire(opened.id);
    return opened;
  });
  const failures: string[] = [];
  let made = { debits: 0, amountCents: zero };
  for (let after = run.firstAfter; after < run.lastEnrolmentId;) {
    await lock.confirmHeld();
    const chunk = await billChunk(db, run, after, failures);
    made = {
      debits: made.debits + chunk.debits,
      amountCents: sum([made.amountCents, chunk.amountCents]),
    };
    after = chunk.lastEnrolmentId;
    onProgress(after / run.lastEnrolmentId);
  }
  const rest = await inTransaction(db, (tx) => closeRun(tx, run, failures, made.debits));
  await analyzeAfterBulkInsert(db, made.debits + rest.debits, ["debits", "ledgerEntries"]);
  return {
    asOf: asOf.toString(),
    debits: made.debits + rest.debits,
    amountCents: sum([made.amountCents, rest.amountCents]),
    failures: failures.length,
    failureReason: failures[0] ?? null,
  };
}

/** What a run would bill, with nothing written. */
export async function dryRunBilling(
  db: Db,
  networkId: number,
  asOf: PlainDate,
): Promise<BillingRunResult> {
  const due = await withoutNestedLoops(db, (tx) => countDueDebits(tx, { networkId, asOf }));
  return { asOf: asOf.toString(), ...due, failures: 0, failureReason: null };
}

/** The networks whose local day has turned since they were last billed, with that day. */
export async function networksToBill(db: Db, now: string): Promise<{ id: number; today: Day }[]> {
  const { rows } = await sql<{ id: number; today: Day }>`
    select id, today from (
      select id, billed_through, (${now}::timestamptz at time zone time_zone)::date as today from networks
    ) as days
    where billed_through is null or billed_through < today order by id`.execute(db);
  return rows;
}

interface BilledCheck {
  /** Nothing is missing through the day that the network is billed through. */
  isWhole: boolean;
  seal: string;
}

/**
 * Whether the day that the network is billed through can be believed. For a later day every
 * enrolment's debits are counted; a day that is billed is looked at only when PostgreSQL has counted
 * debits taken out or enrolments put in since the network was last known to be whole
 * (docs/decisions/012).
 */
async function checkForMissingDebits(
  db: Db,
  networkId: number,
  asOf: PlainDate,
): Promise<BilledCheck> {
  const { rows } = await sql<{ billedThrough: Day | null; isSealed: boolean; seal: string }>`
    select billed_through, billing_seal() as seal,
      coalesce(billed_through >= ${asOf.toString()}::date and billed_seal = billing_seal(), false) as is_sealed
    from networks where id = ${networkId}`.execute(db);
  const [network] = rows;
  if (!network) throw notFound("network");
  const { billedThrough, isSealed, seal } = network;
  const isWhole =
    isSealed || !billedThrough || !(await hasMissingDebit(db, networkId, billedThrough));
  return { isWhole, seal };
}

/** The day billed through shortens the run, unless a debit that it vouches for is not there. */
async function openRun(
  tx: Db,
  { doer, asOf, isWhole, seal }: BilledCheck & { doer: Doer; asOf: PlainDate },
): Promise<OpenRun> {
  await lockEnrolling(tx, doer.networkId);
  const network = await tx
    .selectFrom("networks")
    .select("billedThrough")
    .where("id", "=", doer.networkId)
    .executeTakeFirst();
  if (!network) throw notFound("network");
  const last = await tx
    .selectFrom("enrolments")
    .select("id")
    .where("networkId", "=", doer.networkId)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  const { id } = await tx
    .insertInto("billingRuns")
    .values({ networkId: doer.networkId, asOf: asOf.toString(), startedBy: doer.name })
    .returning("id")
    .executeTakeFirstOrThrow();
  const billedThrough = isWhole ? network.billedThrough : null;
  const lastEnrolmentId = last?.id ?? 0;
  const isBilled = billedThrough !== null && billedThrough >= asOf.toString();
  // Holes after the day of this run stay: then the network is not whole when it closes.
  const isCompleteAfter = isWhole || (network.billedThrough ?? "") <= asOf.toString();
  return {
    id,
    doer,
    asOf,
    billedThrough,
    seal: isCompleteAfter ? seal : null,
    firstAfter: isBilled ? lastEnrolmentId : 0,
    lastEnrolmentId,
  };
}

async function billChunk(db: Db, run: OpenRun, after: number, failures: string[]) {
  const { networkId } = run.doer;
  const bounds = { networkId, after, upTo: run.lastEnrolmentId, atMost: chunkSize };
  try {
    return await inTransaction(db, async (tx) => {
      const chunk = await createDueDebits(tx, {
        ...bounds,
        asOf: run.asOf,
        billedThrough: run.billedThrough,
        billingRunId: run.id,
      });
      await addToRunTotals(tx, run, chunk);
      return { ...chunk, lastEnrolmentId: chunk.lastEnrolmentId ?? run.lastEnrolmentId };
    });
  } catch (problem) {
    // Nothing can be said of the chunk, nor done for the others: whoever bills begins again.
    if (isLostConnection(problem)) throw problem;
    // The chunk was undone as a whole: say so, leave it for the next run, and bill the others.
    failures.push(problem instanceof Error ? problem.message : String(problem));
    const lastEnrolmentId = await endOfChunk(db, run, after);
    return { debits: 0, amountCents: zero, lastEnrolmentId };
  }
}

async function endOfChunk(db: Db, run: OpenRun, after: number): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`
    select max(id) as id from (
      select id from enrolments where network_id = ${run.doer.networkId} and id > ${after}
        and id <= ${run.lastEnrolmentId} order by id limit ${chunkSize}
    ) as chunk`.execute(db);
  return rows[0]?.id ?? run.lastEnrolmentId;
}

/**
 * Bill whoever was enrolled while the run went on, then note the day: with enrolling held off,
 * nothing can slip in between. A run with failures does not move the day.
 */
async function closeRun(tx: Db, run: OpenRun, failures: string[], madeBefore: number) {
  const { networkId } = run.doer;
  await lockEnrolling(tx, networkId);
  const rest = await createDueDebits(tx, {
    networkId,
    asOf: run.asOf,
    after: run.lastEnrolmentId,
    billingRunId: run.id,
  });
  await addToRunTotals(tx, run, rest);
  if (failures.length === 0) await saveBilledThrough(tx, run);
  await tx
    .updateTable("billingRuns")
    .set({
      finishedAt: sql<string>`clock_timestamp()`,
      failures: failures.length,
      failureReason: failures[0] ?? null,
    })
    .where("networkId", "=", networkId)
    .where("id", "=", run.id)
    .execute();
  await audit(tx, run.doer, {
    action: "billed",
    recordType: "billing run",
    recordId: run.id,
    after: {
      asOf: run.asOf.toString(),
      debits: madeBefore + rest.debits,
      failures: failures.length,
    },
  });
  if (madeBefore + rest.debits > 0) notifyOnCommit(tx, networkId, null);
  return rest;
}

/** The day moves forward only; enrolling moves it back. */
async function saveBilledThrough(tx: Db, { doer, asOf, seal }: OpenRun): Promise<void> {
  await sql`
    update networks
    set billed_through = greatest(billed_through, ${asOf.toString()}::date),
      billed_seal = coalesce(${seal}, billed_seal)
    where id = ${doer.networkId} and (
      billed_through is null or billed_through < ${asOf.toString()}::date
      or billed_seal is distinct from coalesce(${seal}, billed_seal))`.execute(tx);
}

async function addToRunTotals(
  tx: Db,
  run: OpenRun,
  made: { debits: number; amountCents: Cents },
): Promise<void> {
  if (made.debits === 0) return;
  await tx
    .updateTable("billingRuns")
    .set((is) => ({
      debits: is("debits", "+", made.debits),
      amountCents: sql<Cents>`amount_cents + ${made.amountCents}`,
    }))
    .where("networkId", "=", run.doer.networkId)
    .where("id", "=", run.id)
    .execute();
}
