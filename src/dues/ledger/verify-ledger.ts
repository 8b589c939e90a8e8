import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import { disableNestedLoops } from "#kit/db/planner-settings.ts";
import { cardLedgerChecks } from "#dues/ledger/card-ledger-checks.ts";
import { closedBooksCheck } from "#dues/ledger/closed-books-check.ts";
import { entryLedgerChecks } from "#dues/ledger/entry-ledger-checks.ts";
import { recordLedgerChecks } from "#dues/ledger/record-ledger-checks.ts";
import { type LedgerCheck, ledgerChecks } from "#dues/ledger/ledger-checks.ts";

export interface Offender {
  networkId: number;
  offence: string;
}

export interface CheckResult {
  name: string;
  rule: string;
  offenders: number;
  /** The first hundred. */
  examples: Offender[];
}

const maxExamples = 100;

/** All checks, in the order of the report. */
export const allChecks: LedgerCheck[] = [
  ...ledgerChecks,
  ...cardLedgerChecks,
  ...recordLedgerChecks,
  ...entryLedgerChecks,
  closedBooksCheck,
];

/**
 * Check every rule of the ledger, for one network or all, in one snapshot without blocking others.
 * Relies on neither triggers nor constraints. Source: domain rules §2.
 */
export async function verifyLedger(
  db: Db,
  networkId: number | null,
  onProgress: (rule: string, share: number) => void = () => undefined,
): Promise<CheckResult[]> {
  return await db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (tx) => {
      await disableNestedLoops(tx);
      await sql`set local work_mem = '128MB'`.execute(tx); // whole tables are grouped, once
      const results: CheckResult[] = [];
      for (const [index, check] of allChecks.entries()) {
        onProgress(check.rule, index / allChecks.length);
        results.push(await run(tx, check, networkId));
      }
      return results;
    });
}

async function run(tx: Db, check: LedgerCheck, networkId: number | null): Promise<CheckResult> {
  const { rows } = await sql<Offender & { total: number }>`
    select network_id, offence, count(*) over () as total from (${check.offenders}) as found
    where ${networkId}::bigint is null or network_id = ${networkId}
    order by network_id, offence limit ${maxExamples}`.execute(tx);
  const { name, rule } = check;
  const examples = rows.map(({ networkId: id, offence }) => ({ networkId: id, offence }));
  return { name, rule, offenders: rows[0]?.total ?? 0, examples };
}
