import { hashPassword } from "better-auth/crypto";
import { sql } from "kysely";
import type pg from "pg";
import { type Db, openDatabase } from "#server/database.ts";
import { inTransaction } from "#server/transaction.ts";
import type { Clock } from "#server/serve.ts";
import { harborCounty, makeHarborCounty } from "#features/demo/harbor-county.ts";
import { makeLakeside } from "#features/demo/lakeside.ts";
import { lockOf } from "#server/locks.ts";

export const demoPassword = "demo-password-1";

/** What `npm start` prints beside the address. */
export const demoSignIns = [
  "Sign in to the demo with the password demo-password-1 as",
  "  admin@demo.test         administrator of Harbor County Lawyer Referral Service",
  "  attorney@demo.test      one of its attorneys",
  "  admin@lakeside.test     administrator of Lakeside Bar Referral Service",
  "  attorney@lakeside.test  one of its attorneys",
];

/** Make the demo networks, all or nothing, in a database without any network. Answers whether they are there. */
export async function makeDemo(pool: pg.Pool, now: Clock): Promise<boolean> {
  const db = openDatabase(pool);
  const known = await nameOfFirstNetwork(db);
  if (known) return known === harborCounty;
  const start = { now: now(), passwordHash: await hashPassword(demoPassword) };
  return await inTransaction(db, async (tx) => {
    // Two processes may start at once: the second one finds what the first one has made.
    await sql`select pg_advisory_xact_lock(${lockOf.demo}, 0)`.execute(tx);
    const made = await nameOfFirstNetwork(tx);
    if (made) return made === harborCounty;
    await makeHarborCounty(tx, start);
    await makeLakeside(tx, start);
    return true;
  });
}

async function nameOfFirstNetwork(db: Db): Promise<string | undefined> {
  const first = await db.selectFrom("networks").select("name").orderBy("id").executeTakeFirst();
  return first?.name;
}
