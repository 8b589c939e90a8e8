import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { StartupProblem } from "#ops/startup-problem.ts";

/** What the demo's accounts have on one's own machine, as the documents say to everybody. */
export const demoPassword = "demo-password-1";

/**
 * Refuse to serve accounts with the demo's known password where others reach them: they may have been
 * made while only this machine did. Throws a StartupProblem that says by what they are reached, and
 * what to do.
 */
export async function refuseKnownPasswords(
  db: Db,
  reached: { by: string; cure: string },
): Promise<void> {
  if ((await knownPasswordHashes(db)).length === 0) return;
  throw new StartupProblem(
    `The demo's accounts in this database have a password that everybody knows, and ${reached.by} can be reached from elsewhere: ${reached.cure}, or start on another DATA_DIR or DATABASE_URL.`,
  );
}

/**
 * The stored passwords that are the demo's known one. The demo's accounts are made in the transaction
 * of their network, so nobody else's have its time; all of them share one hash until they change it.
 */
export async function knownPasswordHashes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ hash: string }>`
    select distinct a.password as hash from accounts a join networks n on n.id = a.network_id
    where a.created_at = n.created_at and a.password is not null`.execute(db);
  if (rows.length === 0) return [];
  const { verifyPassword } = await import("better-auth/crypto");
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
