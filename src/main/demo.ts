import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type pg from "pg";
import { type Db, openDatabase } from "#kit/db/database.ts";
import {
  demoPassword,
  knownPasswordHashes,
  replaceKnownPasswords,
} from "#access/sign-in/demo-passwords.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import type { Clock } from "#kit/domain/clock.ts";
import { hashPassword } from "#access/sign-in/password-hash.ts";
import { makeHarborCounty } from "#main/demo/harbor-county.ts";
import { givePasswords } from "#main/demo/records/networks.ts";
import { makeLakeside } from "#main/demo/lakeside.ts";
import { lockOf } from "#kit/db/locks.ts";

/**
 * Make the demo, or find it. If others can reach it, its accounts get a random password, which `print` prints once and
 * immediately, in case the start fails later. Returns what to print with the address; null in a database with other
 * networks.
 */
export async function openDemo(
  pool: pg.Pool,
  { now, isPublic, print }: { now: Clock; isPublic: boolean; print: (line: string) => void },
): Promise<string[] | null> {
  const password = isPublic ? randomBytes(18).toString("base64url") : demoPassword;
  const found = await makeDemo(pool, now, password);
  const isNew = found === "made" || (isPublic && (await replaceKnownPassword(pool, password)));
  if (isPublic && isNew) {
    for (const line of signInLines(`the password ${password}`)) print(line);
    print("Save it: it is not printed again.");
  }
  if (found === "another") return null;
  if (isPublic && isNew) return [];
  const isKnown = isNew || (await knownPasswordHashes(openDatabase(pool))).length > 0;
  return signInLines(
    isKnown ? `the password ${demoPassword}` : "the password that was printed when it was made",
  );
}

const signInLines = (password: string) => [
  `Sign in to the demo with ${password} as`,
  "  admin@demo.test         administrator of Harbor County Lawyer Referral Service",
  "  attorney@demo.test      one of its attorneys",
  "  admin@lakeside.test     administrator of Lakeside Bar Referral Service",
  "  attorney@lakeside.test  one of its attorneys",
];

/**
 * Make the demo networks, all or nothing, in a database without networks. Returns whether it made them, found them, or
 * found another network.
 */
export async function makeDemo(
  pool: pg.Pool,
  now: Clock,
  password = demoPassword,
): Promise<"made" | "there" | "another"> {
  const db = openDatabase(pool);
  const known = await firstNetwork(db);
  if (known) return known;
  const hashing = hashPassword(password); // in parallel: it is slow on purpose
  return await inTransaction(db, async (tx) => {
    // Of two processes starting together, the second finds what the first one made.
    await sql`select pg_advisory_xact_lock(${lockOf.demo}, 0)`.execute(tx);
    const made = await firstNetwork(tx);
    if (made) return made;
    await makeHarborCounty(tx, now());
    await makeLakeside(tx, now());
    const users = await tx.selectFrom("users").select("id").execute();
    await givePasswords(
      tx,
      users.map(({ id }) => id),
      await hashing,
    );
    return "made";
  });
}

/** Replace the public password of a demo made for this machine only. Returns whether it had it. */
async function replaceKnownPassword(pool: pg.Pool, password: string): Promise<boolean> {
  const hash = await hashPassword(password);
  return await inTransaction(openDatabase(pool), async (tx) => {
    await sql`select pg_advisory_xact_lock(${lockOf.demo}, 0)`.execute(tx);
    const known = await knownPasswordHashes(tx);
    if (known.length > 0) await replaceKnownPasswords(tx, known, hash);
    return known.length > 0;
  });
}

/**
 * Whether the first network is the demo, whatever its name: only the demo was made with accounts in one transaction (see
 * `knownPasswordHashes`). Null without networks.
 */
async function firstNetwork(db: Db): Promise<"there" | "another" | null> {
  const { rows } = await sql<{ isDemo: boolean }>`
    select exists (
      select from accounts a where a.network_id = n.id and a.created_at = n.created_at) as is_demo
    from networks n order by n.id limit 1`.execute(db);
  const [first] = rows;
  return first ? (first.isDemo ? "there" : "another") : null;
}
