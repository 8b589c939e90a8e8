import type { Outcome } from "#kit/cli/command.ts";
import type { CopiedRows } from "#kit/db/copy-database.ts";
import { ledgerOutcome } from "#dues/ledger/commands.ts";
import type { CheckResult } from "#dues/ledger/verify-ledger.ts";

/** What was copied, and the result of its checks. */
export interface Copy {
  from: string;
  into: string;
  rows: CopiedRows[];
  seconds: number;
  checks: CheckResult[];
  /** How many secrets are stored, and how many do not decrypt; null if not checked. */
  secrets: { stored: number; unreadable: number } | null;
  /** Whether it has accounts with the demo's password. */
  hasDemo: boolean;
}

/** `sentences`: what to do and know if all is well. */
export function outcomeOf(copy: Copy, sentences: string[]): Outcome {
  const { from, into, rows, seconds, secrets } = copy;
  const ledger = ledgerOutcome(copy.checks);
  return {
    text: [
      `Copied ${totalsOf(rows)} from ${from} into ${into} in ${seconds} s.`,
      ...tableOf(rows),
      ...(ledger.hasFailed
        ? [ledger.text, damagedSentence]
        : [
            `The ledger is correct: all ${copy.checks.length} checks of verify-ledger passed.`,
            ...sentences,
          ]),
    ].join("\n"),
    json: {
      copied: true,
      from,
      into,
      seconds,
      tables: rows,
      encrypted: secrets,
      ledger: ledger.json,
      sentences,
    },
    hasFailed: ledger.hasFailed,
  };
}

const damagedSentence =
  "Everything was copied, but the copy is damaged. Do not use it. Run verify-ledger on the original database to see whether it is damaged too.";

export function dryRunOutcome({ from, into, rows }: Pick<Copy, "from" | "into" | "rows">): Outcome {
  return {
    text: [`Would copy ${totalsOf(rows)} from ${from} into ${into}.`, ...tableOf(rows)].join("\n"),
    json: { copied: false, from, into, tables: rows },
  };
}

function totalsOf(rows: CopiedRows[]): string {
  const all = rows.reduce((total, one) => total + one.rows, 0);
  return `${rows.length} tables with ${all.toLocaleString("en-US")} rows`;
}

/** Tables with rows, aligned. */
function tableOf(rows: CopiedRows[]): string[] {
  const filled = rows.filter((one) => one.rows > 0);
  const width = Math.max(0, ...filled.map(({ table }) => table.length)) + 2;
  return filled.map((one) => `  ${one.table.padEnd(width)}${one.rows.toLocaleString("en-US")}`);
}
