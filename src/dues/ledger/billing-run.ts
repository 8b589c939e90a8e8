import { sql } from "kysely";
import type pg from "pg";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Day } from "#kit/domain/day.ts";
import { type Cents, dollarsText, sum, zero } from "#kit/domain/money.ts";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { isLostConnection } from "#kit/db/lost-connection.ts";
import { notFound } from "#kit/contract/refusal.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { analyzeAfterBulkInsert, withoutNestedLoops } from "#kit/db/planner-settings.ts";
import {
  clearBillingFailure,
  isKnownToBeBilled,
  saveBilledThrough,
} from "#dues/ledger/billing-progress.ts";
import { hasMissingDebit } from "#dues/ledger/billing-runs.ts";
import {
  type BillingScope,
  createDueDebits,
  countDueDebits,
  isBilledTwice,
  lockBilling,
  lockEnrolling,
} from "#dues/ledger/billing.ts";
import { auditInterruptedRuns } from "#dues/ledger/interrupted-runs.ts";
import { type BillingRunLock, openBillingRunLock } from "#dues/ledger/billing-run-lock.ts";

export interface BillingRunResult {
  asOf: Day;
  debits: number;
  amountCents: Cents;
  failures: number;
  failureReason: string | null;
}

interface RunOptions {
  /** Connections without a pooler; one holds the run's lock. */
  sessions?: pg.Pool;
  /** Called with the share done, 0 to 1. */
  onProgress?: (share: number) => void;
}

interface OpenRun {
  id: number;
  author: ChangeAuthor;
  asOf: PlainDate;
  billedThrough: Day | null;
  /** billing_checksum() before this run, stored when it closes; null leaves the stored one. */
  checksum: string | null;
  /** The range of enrolment ids to bill; empty when the day is billed already. */
  firstAfter: number;
  lastEnrolmentId: number;
  /**
   * Throws when the run's lock is lost. Call it inside the billing or enrolling lock, so that no other run
   * opens in between and counts this one as interrupted.
   */
  confirmHeld: () => Promise<void>;
}

/** Enrolments in one committed chunk: about a second of work, so a kill loses little. */
const chunkSize = 10_000;

/**
 * Bill everything due through a day, in committed chunks by primary key. Each period is billed once, even
 * if the run is killed, repeated or run twice at the same time. A failed chunk is recorded and left for the
 * next run ("due but not billed"). Throws when the database is lost: committed chunks stay.
 * Source: domain rules §3.
 */
export async function runBilling(
  db: Db,
  author: ChangeAuthor,
  asOf: PlainDate,
  { sessions, onProgress = () => undefined }: RunOptions = {},
): Promise<BillingRunResult> {
  const lock = await openBillingRunLock(sessions);
  try {
    return await billThrough(db, { author, asOf }, lock, onProgress);
  } finally {
    await lock.release();
  }
}

async function billThrough(
  db: Db,
  { author, asOf }: { author: ChangeAuthor; asOf: PlainDate },
  lock: BillingRunLock,
  onProgress: (share: number) => void,
): Promise<BillingRunResult> {
  const check = await checkForMissingDebits(db, author.networkId, asOf);
  const run = await inTransaction(db, async (tx) => {
    const opened = await openRun(tx, { author, asOf, ...check });
    await lock.acquire(author.networkId, opened.id);
    return { ...opened, confirmHeld: () => lock.confirmHeld() };
  });
  const failures: string[] = [];
  let made = { debits: 0, amountCents: zero, fromCreditCents: zero };
  for (let after = run.firstAfter; after < run.lastEnrolmentId;) {
    const chunk = await billChunk(db, run, after, failures);
    made = {
      debits: made.debits + chunk.debits,
      amountCents: sum([made.amountCents, chunk.amountCents]),
      fromCreditCents: sum([made.fromCreditCents, chunk.fromCreditCents]),
    };
    after = chunk.lastEnrolmentId;
    onProgress(after / run.lastEnrolmentId);
  }
  const rest = await inTransaction(db, (tx) => closeRun(tx, run, failures, made));
  await analyzeAfterBulkInsert(db, made.debits + rest.debits, ["debits", "entries"]);
  return {
    asOf: asOf.toString(),
    debits: made.debits + rest.debits,
    amountCents: sum([made.amountCents, rest.amountCents]),
    failures: failures.length,
    failureReason: failures[0] ?? null,
  };
}

/** Count what a run would bill, without writing anything. */
export async function dryRunBilling(
  db: Db,
  networkId: number,
  asOf: PlainDate,
): Promise<BillingRunResult> {
  const due = await withoutNestedLoops(db, (tx) => countDueDebits(tx, { networkId, asOf }));
  return { asOf: asOf.toString(), ...due, failures: 0, failureReason: null };
}

interface BilledCheck {
  /** No debit is missing through the day that the network is billed through. */
  isComplete: boolean;
  checksum: string;
}

/**
 * Check that no debit is missing through the network's billed-through day. A run through a later day
 * counts every enrolment's debits. A run through a billed day counts them only if billing_checksum(),
 * PostgreSQL's counts of deleted debits and inserted enrolments, has changed since the network was last
 * known to be complete (docs/decisions/012).
 */
async function checkForMissingDebits(
  db: Db,
  networkId: number,
  asOf: PlainDate,
): Promise<BilledCheck> {
  const { rows } = await sql<{ billedThrough: Day | null; isUnchanged: boolean; checksum: string }>`
    select billed_through, billing_checksum() as checksum,
      ${isKnownToBeBilled(asOf.toString())} as is_unchanged
    from networks n left join billing_progress p on p.network_id = n.id
    where n.id = ${networkId}`.execute(db);
  const [network] = rows;
  if (!network) throw notFound("network");
  const { billedThrough, isUnchanged, checksum } = network;
  const isComplete =
    isUnchanged || !billedThrough || !(await hasMissingDebit(db, networkId, billedThrough));
  return { isComplete, checksum };
}

/** Skips periods through the billed-through day, unless one of their debits is missing. */
async function openRun(
  tx: Db,
  { author, asOf, isComplete, checksum }: BilledCheck & { author: ChangeAuthor; asOf: PlainDate },
): Promise<Omit<OpenRun, "confirmHeld">> {
  await lockEnrolling(tx, author.networkId);
  await auditInterruptedRuns(tx, author.networkId);
  const progress = await tx
    .selectFrom("billingProgress")
    .select("billedThrough")
    .where("networkId", "=", author.networkId)
    .executeTakeFirst();
  const known = progress?.billedThrough ?? null;
  const last = await tx
    .selectFrom("enrolments")
    .select("id")
    .where("networkId", "=", author.networkId)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  const { id } = await tx
    .insertInto("billingRuns")
    .values({ networkId: author.networkId, asOf: asOf.toString(), startedBy: author.name })
    .returning("id")
    .executeTakeFirstOrThrow();
  const billedThrough = isComplete ? known : null;
  const lastEnrolmentId = last?.id ?? 0;
  const isBilled = billedThrough !== null && billedThrough >= asOf.toString();
  // This run does not create debits missing after its day, so the network is still incomplete when it closes.
  const isCompleteAfter = isComplete || (known ?? "") <= asOf.toString();
  return {
    id,
    author,
    asOf,
    billedThrough,
    checksum: isCompleteAfter ? checksum : null,
    firstAfter: isBilled ? lastEnrolmentId : 0,
    lastEnrolmentId,
  };
}

async function billChunk(db: Db, run: OpenRun, after: number, failures: string[]) {
  try {
    try {
      return await billChunkOnce(db, run, after, { throwsWhenBilledTwice: true });
    } catch (problem) {
      if (!isBilledTwice(problem)) throw problem;
      return await billChunkOnce(db, run, after, { throwsWhenBilledTwice: false });
    }
  } catch (problem) {
    // The chunk's outcome is unknown and no other chunk can be billed: the job or command is retried.
    if (isLostConnection(problem)) throw problem;
    // The chunk was rolled back: record it, leave it for the next run and bill the others.
    failures.push(problem instanceof Error ? problem.message : String(problem));
    const lastEnrolmentId = await endOfChunk(db, run, after);
    return { debits: 0, amountCents: zero, fromCreditCents: zero, lastEnrolmentId };
  }
}

async function billChunkOnce(
  db: Db,
  run: OpenRun,
  after: number,
  handling: Pick<BillingScope, "throwsWhenBilledTwice">,
) {
  const { networkId } = run.author;
  return await inTransaction(db, async (tx) => {
    await lockBilling(tx, networkId);
    await run.confirmHeld();
    const chunk = await createDueDebits(tx, {
      networkId,
      after,
      upTo: run.lastEnrolmentId,
      atMost: chunkSize,
      asOf: run.asOf,
      billedThrough: run.billedThrough,
      billingRunId: run.id,
      ...handling,
    });
    await addToRunTotals(tx, run, chunk);
    if (chunk.debits > 0) notifyOnCommit(tx, networkId, null);
    return { ...chunk, lastEnrolmentId: chunk.lastEnrolmentId ?? run.lastEnrolmentId };
  });
}

async function endOfChunk(db: Db, run: OpenRun, after: number): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`
    select max(id) as id from (
      select id from enrolments where network_id = ${run.author.networkId} and id > ${after}
        and id <= ${run.lastEnrolmentId} order by id limit ${chunkSize}
    ) as chunk`.execute(db);
  return rows[0]?.id ?? run.lastEnrolmentId;
}

/**
 * Bill attorneys enrolled during the run, then store the billed-through day. Enrolling is locked, so no
 * enrolment is missed. A run with failures does not move the day.
 */
async function closeRun(
  tx: Db,
  run: OpenRun,
  failures: string[],
  before: { debits: number; fromCreditCents: Cents },
) {
  const { networkId } = run.author;
  await lockEnrolling(tx, networkId);
  await run.confirmHeld();
  const rest = await createDueDebits(tx, {
    networkId,
    asOf: run.asOf,
    after: run.lastEnrolmentId,
    billingRunId: run.id,
  });
  await addToRunTotals(tx, run, rest);
  if (failures.length === 0)
    await saveBilledThrough(tx, networkId, { asOf: run.asOf.toString(), checksum: run.checksum });
  await clearBillingFailure(tx, networkId);
  await tx
    .updateTable("billingRuns")
    .set({
      finishedAt: sql<string>`clock() + (clock_timestamp() - now())`,
      failures: failures.length,
      failureReason: failures[0] ?? null,
    })
    .where("networkId", "=", networkId)
    .where("id", "=", run.id)
    .execute();
  const debits = before.debits + rest.debits;
  const fromCredit = sum([before.fromCreditCents, rest.fromCreditCents]);
  await audit(tx, run.author, {
    action: "billed",
    recordType: "billing run",
    recordId: run.id,
    after: {
      asOf: run.asOf.toString(),
      debits,
      ...(fromCredit > 0 && { paidFromCredit: dollarsText(fromCredit) }),
      failures: failures.length,
    },
  });
  if (debits > 0) notifyOnCommit(tx, networkId, null); // so lists of runs show that it ended
  return rest;
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
    .where("networkId", "=", run.author.networkId)
    .where("id", "=", run.id)
    .execute();
}
