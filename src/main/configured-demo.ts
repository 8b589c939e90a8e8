import type pg from "pg";
import type { Config } from "#kit/ops/config.ts";
import { openDatabase } from "#kit/db/database.ts";
import { refuseKnownPasswords } from "#access/sign-in/demo-passwords.ts";
import { demoPart } from "#main/demo-part.ts";
import type { Clock } from "#kit/http/serve.ts";

interface DemoContext {
  now: Clock;
  /** Print a line for the operator: what the demo's accounts are. */
  print: (line: string) => void;
}

/**
 * The demo, where the environment wants one. Answers what to print beside the address; null where
 * there is none. Throws a StartupProblem where others would reach accounts with its known password.
 */
export async function openConfiguredDemo(
  config: Pick<Config, "demo" | "reachedBy" | "roles">,
  pool: pg.Pool,
  { now, print }: DemoContext,
): Promise<string[] | null> {
  const { demo, reachedBy, roles } = config;
  if (demo) {
    const { openDemo } = await demoPart(import("#main/demo.ts"));
    return await openDemo(pool, { now, isPublic: reachedBy !== null, print });
  }
  if (reachedBy !== null && roles.web) await refuseKnownPasswords(openDatabase(pool), reachedBy);
  return null;
}
