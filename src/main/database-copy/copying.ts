import pg from "pg";
import type { StandaloneContext } from "#kit/cli/command.ts";
import { type Config, readConfig } from "#kit/ops/config.ts";
import { copyDatabase, type CopyOptions } from "#kit/db/copy-database.ts";
import { openDatabase, openPool } from "#kit/db/database.ts";
import { knownPasswordHashes } from "#access/sign-in/demo-passwords.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { countSecrets } from "#main/app-secret/secret-rotation.ts";
import type { Copy } from "#main/database-copy/outcome.ts";

/** The embedded installation's configuration, even if the environment names another database. */
export function embeddedConfig(environment: StandaloneContext["environment"]): Config {
  return readConfig({
    ...environment,
    DATABASE_URL: undefined,
    DATABASE_DIRECT_URL: undefined,
    MIGRATE_DATABASE_URL: undefined,
    DATABASE_READ_URL: undefined,
  });
}

/** A database's address for people, without the password. */
export function placeOf(connectionString: string): string {
  const url = new URL(connectionString);
  const host = url.searchParams.get("host") ?? url.host;
  return `${decodeURIComponent(host || "localhost")}${url.pathname}`;
}

/** `secret` opens the copy, to check that its stored secrets decrypt; null skips that. */
export async function copyAndVerify(
  { progress }: Pick<StandaloneContext, "progress">,
  { secret, ...copying }: Omit<CopyOptions, "onProgress"> & { secret: string | null },
): Promise<Omit<Copy, "from" | "into">> {
  const begun = performance.now();
  const rows = await copyOrExplain({ ...copying, onProgress: progress });
  const seconds = Math.round(performance.now() - begun) / 1000;
  const pool = openPool({
    connectionString: copying.target,
    connections: 2,
    statementTimeoutMs: 60 * 60_000,
  });
  try {
    const db = openDatabase(pool);
    const checks = await verifyLedger(db, null, progress);
    return {
      rows,
      seconds,
      checks,
      secrets: secret === null ? null : await countSecrets(db, secret),
      hasDemo: (await knownPasswordHashes(db)).length > 0,
    };
  } finally {
    await pool.end();
  }
}

/** Turns the database's errors into a reason for people. */
async function copyOrExplain(copying: CopyOptions): Promise<Copy["rows"]> {
  try {
    return await copyDatabase(copying);
  } catch (problem) {
    if (problem instanceof Refusal || problem instanceof StartupProblem) throw problem;
    if (!(problem instanceof Error)) throw problem;
    throw new Refusal(500, `The copy failed and was undone: ${sentenceOf(problem)}`);
  }
}

/** Turns missing rights of a role into a sentence; other errors pass through. */
export async function explainRights<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (problem) {
    if (!isAboutRights(problem)) throw problem;
    throw new Refusal(403, `Nothing was copied: ${sentenceOf(problem)}`);
  }
}

const isAboutRights = (problem: unknown): problem is pg.DatabaseError =>
  problem instanceof pg.DatabaseError && problem.code === "42501";

function sentenceOf(problem: Error): string {
  const hint = isAboutRights(problem)
    ? " The role must own the target database, and be allowed to read all of the copied one."
    : "";
  return `${problem.message.replace(/\.$/, "")}.${hint}`;
}
