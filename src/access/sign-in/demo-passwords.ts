import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import { verifyPassword } from "#access/sign-in/password-hash.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/** The documented password of the demo's accounts, for use only on your own machine. */
export const demoPassword = "demo-password-1";

/**
 * Refuse to start if others can reach accounts with the demo's known password, perhaps made when only this machine
 * could. Throws a StartupProblem that names the setting that exposes them, such as `HOST 0.0.0.0`.
 */
export async function refuseKnownPasswords(db: Db, reachedBy: string): Promise<void> {
  if ((await knownPasswordHashes(db)).length === 0) return;
  throw new StartupProblem(
    `The demo accounts in this database have a publicly known password, and ${reachedBy} can be reached from other machines. Set DEMO=1 to give them a random password, or start with another DATA_DIR or DATABASE_URL.`,
  );
}

/**
 * The stored hashes of the demo's known password. Only demo accounts have their network's creation time, because they
 * are made in the same transaction. They share one hash until they change it.
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

/** Replace these stored password hashes with another one, and end the accounts' sessions. */
export async function replaceKnownPasswords(tx: Db, known: string[], hash: string): Promise<void> {
  await sql`
    with replaced as (
      update accounts set password = ${hash} where password = any(${known}::text[]) returning user_id
    )
    delete from sessions where user_id in (select user_id from replaced)`.execute(tx);
}
