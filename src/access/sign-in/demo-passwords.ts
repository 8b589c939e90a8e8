import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import { verifyPassword } from "#access/sign-in/password-hash.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/** The documented password of the demo's accounts, for use on one's own machine only. */
export const demoPassword = "demo-password-1";

/**
 * Refuse to serve accounts with the demo's known password where others can reach them; they may have
 * been made when only this machine could. Throws a StartupProblem that names the setting by which they
 * can be reached, such as `HOST 0.0.0.0`.
 */
export async function refuseKnownPasswords(db: Db, reachedBy: string): Promise<void> {
  if ((await knownPasswordHashes(db)).length === 0) return;
  throw new StartupProblem(
    `The demo's accounts in this database have a password that everybody knows, and ${reachedBy} can be reached from elsewhere: set DEMO=1 to give them a random one, or start on another DATA_DIR or DATABASE_URL.`,
  );
}

/**
 * The stored hashes of the demo's known password. The demo's accounts are made in the transaction of
 * their network, so only they have its creation time; all share one hash until they change it.
 */
export async function knownPasswordHashes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ hash: string }>`
    select distinct a.password as hash from accounts a join networks n on n.id = a.network_id
    where a.created_at = n.created_at and a.password is not null`.execute(db);
  if (rows.length === 0) return [];
  const known: string[] = [];
  for (const { hash } of rows)
    if (await verifyPassword({ hash, password: demoPassword })) known.push(hash);
  return known;
}

/** Give the accounts with these stored passwords another one, and end their sessions. */
export async function replaceKnownPasswords(tx: Db, known: string[], hash: string): Promise<void> {
  await sql`
    with replaced as (
      update accounts set password = ${hash} where password = any(${known}::text[]) returning user_id
    )
    delete from sessions where user_id in (select user_id from replaced)`.execute(tx);
}
