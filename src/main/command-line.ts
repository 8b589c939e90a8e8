import "#main/reports.ts";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { CommanderError } from "commander";
import { Temporal } from "temporal-polyfill";
import { attorneyCommands } from "#people/commands.ts";
import { ledgerCommands } from "#dues/ledger/commands.ts";
import { databaseCopyCommands } from "#main/database-copy/commands.ts";
import { networkCopyCommands } from "#main/database-copy/network-commands.ts";
import { broadcastChanges } from "#outgoing/realtime/broadcast-changes.ts";
import { exportCommands } from "#office/reports/commands.ts";
import { matterCommands } from "#referrals/matters/commands.ts";
import { cardCommands } from "#main/app-secret/rotate-secret-command.ts";
import { networkCommands } from "#access/networks/commands.ts";
import { appSecret, replaceAppSecret } from "#kit/ops/app-secret.ts";
import { UsageProblem } from "#kit/cli/command-arguments.ts";
import type {
  StandaloneContext,
  Command,
  CommandContext,
  Outcome,
  Work,
} from "#kit/cli/command.ts";
import { commandLine } from "#kit/cli/program.ts";
import { refusedWithoutIds } from "#kit/db/id-range.ts";
import { readConfig } from "#kit/ops/config.ts";
import { openDatabase, openPool } from "#kit/db/database.ts";
import { jobCommands } from "#kit/jobs/commands.ts";
import { migrateAsOwner } from "#kit/db/migrate.ts";
import { migrateCommand } from "#kit/cli/migrate-command.ts";
import { skipIdsCommand } from "#kit/cli/skip-ids-command.ts";
import { openConfiguredDatabase } from "#kit/db/configured-database.ts";
import { seedCommand } from "#main/seed-command.ts";
import { suspensionCommands } from "#referrals/suspension/commands.ts";
import { showProgress } from "#kit/cli/progress.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/** Every command, in the order of --help. */
const commands: Command[] = [
  ...ledgerCommands,
  ...attorneyCommands,
  ...suspensionCommands,
  ...exportCommands,
  ...matterCommands,
  ...networkCommands,
  ...cardCommands,
  ...jobCommands,
  migrateCommand,
  skipIdsCommand,
  ...databaseCopyCommands,
  ...networkCopyCommands,
  seedCommand,
];

/** Operators can wait; anything longer than this is stuck. */
const hourMs = 60 * 60_000;

/** The process's surroundings that a command uses. */
export interface Terminal {
  env: Record<string, string | undefined>;
  stdin: Readable;
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean };
}

/**
 * Run one command line: the outcome goes to stdout, progress and problems to stderr. Returns the exit code: 0 done,
 * 1 something is wrong, 2 invalid command line.
 */
export async function runCommandLine(args: string[], terminal: Terminal): Promise<number> {
  const wantsJson = args.includes("--json");
  let exitCode = 0;
  const run = async (work: Work): Promise<void> => {
    const outcome = await ("standalone" in work
      ? runStandalone(work.standalone, terminal)
      : runOnDatabase(work.onDatabase, terminal));
    const { text: forPeople, json, hasFailed } = outcome;
    if (forPeople !== "")
      terminal.stdout.write(`${wantsJson ? JSON.stringify(json) : forPeople}\n`);
    exitCode = hasFailed ? 1 : 0;
  };
  try {
    await commandLine(commands, run).parseAsync(args, { from: "user" });
    return exitCode;
  } catch (problem) {
    return report(problem, terminal, wantsJson);
  }
}

/** Open the environment's database, migrate it, run the command. */
function runOnDatabase(
  work: (context: CommandContext) => Promise<Outcome>,
  terminal: Terminal,
): Promise<Outcome> {
  return runStandalone(async ({ environment, now, progress, log, closeAfter }) => {
    const config = readConfig(environment);
    const database = await openConfiguredDatabase(config, log);
    closeAfter(() => database.close());
    const connectionString = database.directConnectionString; // no pooler: statements may take long
    const migrated = await migrateAsOwner(database, config.idRange, log);
    const pool = openPool({ connectionString, connections: 4, statementTimeoutMs: hourMs });
    const db = openDatabase(pool);
    const sender = broadcastChanges(db, log);
    try {
      return await work({
        db,
        pool,
        now,
        publicUrl: config.publicUrl,
        secret: {
          read: () => appSecret(config),
          replaceWith: (secret) => replaceAppSecret(config, secret),
        },
        migrated,
        progress,
        closeAfter,
        readInput: () => text(terminal.stdin),
      });
    } finally {
      await sender.close();
      await pool.end();
    }
  }, terminal);
}

/**
 * Run a command, then close what it opened: an embedded database stops if nobody else uses it. Ctrl-C also closes it,
 * and uncommitted work is rolled back.
 */
async function runStandalone(
  work: (context: StandaloneContext) => Promise<Outcome>,
  { env, stderr }: Terminal,
): Promise<Outcome> {
  const progress = showProgress(stderr);
  const opened: (() => Promise<void>)[] = [];
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= closeAll());
  const closeAll = async () => {
    progress.end();
    for (const closeOne of opened.toReversed()) await closeOne();
  };
  const heedNoInterrupts = endWhenInterrupted(close);
  try {
    return await work({
      environment: env,
      now: () => Temporal.Now.instant(),
      progress: progress.show,
      log: (line) => void stderr.write(`${line}\n`),
      closeAfter: (closeOne) => void opened.push(closeOne),
    });
  } finally {
    await close();
    heedNoInterrupts();
  }
}

/** Returns a function that undoes it. */
function endWhenInterrupted(close: () => Promise<void>): () => void {
  const end = (signal: "SIGINT" | "SIGTERM") =>
    void close().finally(() => process.exit(128 + constants.signals[signal]));
  process.once("SIGINT", end).once("SIGTERM", end);
  return () => void process.off("SIGINT", end).off("SIGTERM", end);
}

/** Print a problem, in one sentence if it is meant for people. Returns the exit code. */
function report(thrown: unknown, { stdout, stderr }: Terminal, wantsJson: boolean): number {
  const problem = refusedWithoutIds(thrown) ?? thrown;
  if (problem instanceof CommanderError) return problem.exitCode === 0 ? 0 : 2; // it printed help
  const isExpected =
    problem instanceof Refusal ||
    problem instanceof StartupProblem ||
    problem instanceof UsageProblem;
  const message = problem instanceof Error ? problem.message : String(problem);
  if (wantsJson) stdout.write(`${JSON.stringify({ error: message })}\n`);
  const details = isExpected || !(problem instanceof Error) ? message : (problem.stack ?? message);
  stderr.write(`${details}\n`);
  return problem instanceof UsageProblem ? 2 : 1;
}
