import type pg from "pg";
import type { Config } from "#kit/ops/config.ts";
import { openDatabase } from "#kit/db/database.ts";
import { refuseKnownPasswords } from "#access/sign-in/demo-passwords.ts";
import { demoPart } from "#main/demo-part.ts";
import type { Clock } from "#kit/domain/clock.ts";

interface DemoContext {
  now: Clock;
  /** Print a line about the demo's accounts for the operator. */
  print: (line: string) => void;
}

/**
 * Make or open the demo if the environment asks for it. Returns what to print with the address; null without a demo.
 * Throws a StartupProblem if others could reach accounts with the public password.
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
