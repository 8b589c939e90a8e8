import type pg from "pg";
import type { Config } from "#ops/config.ts";
import { openDatabase } from "#db/database.ts";
import { refuseKnownPasswords } from "#features/auth/demo-passwords.ts";
import { demoPart } from "#main/demo-part.ts";
import { isLoopback } from "#ops/loopback.ts";
import type { Clock } from "#http/serve.ts";

interface DemoContext {
  now: Clock;
  /** Print a line for the operator: what the demo's accounts are, on stdout. */
  print: (line: string) => void;
  /** The same for what is wrong, on stderr. */
  warn: (line: string) => void;
}

type Wanted = Pick<Config, "demo" | "host" | "isLoopback" | "publicUrl" | "roles">;

/**
 * The demo, where the environment wants one. Answers what to print beside the address; null where
 * there is none. Throws a StartupProblem where others would reach accounts with its known password.
 */
export async function openConfiguredDemo(
  config: Wanted,
  pool: pg.Pool,
  { now, print, warn }: DemoContext,
): Promise<string[] | null> {
  const elsewhere = isLoopback(new URL(config.publicUrl).hostname) ? null : config.publicUrl;
  if (!config.demo) {
    const reached = config.isLoopback
      ? elsewhere && { by: `PUBLIC_URL ${elsewhere}`, remedy: "remove PUBLIC_URL" }
      : { by: `HOST ${config.host}`, remedy: "set DEMO=1 to give them a random one" };
    if (reached && config.roles.web) await refuseKnownPasswords(openDatabase(pool), reached);
    return null;
  }
  const { openDemo } = await demoPart(import("#main/demo.ts"));
  const demo = await openDemo(pool, { now, isPublic: !config.isLoopback, print });
  if (demo && elsewhere && config.isLoopback)
    warn(
      `This is the demo, whose password everybody knows, and PUBLIC_URL ${elsewhere} leads here from elsewhere: set DATABASE_URL, or DEMO=0 on another DATA_DIR.`,
    );
  return demo;
}
