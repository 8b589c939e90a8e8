import type { Config } from "#kit/ops/config.ts";
import type { Db } from "#kit/db/database.ts";

/** What to do next in a database without networks, line by line; empty once there is one. */
export async function firstSteps(db: Db, config: Config): Promise<string[]> {
  const known = await db.selectFrom("networks").select("id").limit(1).executeTakeFirst();
  if (known) return [];
  const demo =
    config.reachedBy === null || config.databaseUrl
      ? []
      : [
          `Or start with DEMO=1 for the demo network, with a random password, since ${config.reachedBy} can be reached from elsewhere.`,
        ];
  return [
    "There is no network yet. Create one with its administrator in another terminal, with the same environment:",
    '  npm run cli -- create-network --name "Your Referral Service" --time-zone America/New_York',
    '  npm run cli -- create-admin --email you@example.org --name "Your Name"',
    ...demo,
  ];
}
