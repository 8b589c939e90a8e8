import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";

/** The person who has an account. */
export interface AccountHolder {
  networkId: number;
  userId: number;
  attorneyId: number | null;
  name: string;
  email: string;
  hasSecondFactor: boolean;
}

/**
 * Lock the account until the transaction ends: nobody else can choose its password, set up an authenticator app or
 * sign in. Lock it before rows of its links.
 */
export async function lockSignIn(tx: Db, userId: number): Promise<void> {
  await sql`select id from users where id = ${userId} for no key update`.execute(tx);
}

/** Lock the account of an administrator of the network. Throws 404 for anyone else. */
export async function lockAdmin(tx: Db, networkId: number, userId: number): Promise<AccountHolder> {
  const admin = await people(tx, networkId)
    .where("u.id", "=", userId)
    .where("u.role", "=", "admin")
    .executeTakeFirst();
  if (!admin) throw notFound("administrator");
  return admin;
}

/** Lock an attorney's account. Throws 404 for an attorney of another network, 409 for one without an account. */
export async function lockAttorney(
  tx: Db,
  networkId: number,
  attorneyId: number,
  lacks: string,
): Promise<AccountHolder> {
  const person = await people(tx, networkId)
    .where("u.attorneyId", "=", attorneyId)
    .executeTakeFirst();
  if (person) return person;
  const attorney = await tx
    .selectFrom("attorneys")
    .select("id")
    .where("networkId", "=", networkId)
    .where("id", "=", attorneyId)
    .executeTakeFirst();
  if (!attorney) throw notFound("attorney");
  throw new Refusal(409, `This attorney has no account and ${lacks}.`);
}

/** Lock an account by email address, for an operator. Throws 404. */
export async function lockAccountOf(tx: Db, email: string): Promise<AccountHolder> {
  const person = await accounts(tx).where("u.email", "=", email).executeTakeFirst();
  if (!person) throw new Refusal(404, `No account has the email address ${email}.`);
  return person;
}

const accounts = (tx: Db) =>
  tx
    .selectFrom("users as u")
    .select(["u.networkId", "u.id as userId", "u.attorneyId", "u.name", "u.email"])
    .select("u.twoFactorEnabled as hasSecondFactor")
    .forUpdate();

const people = (tx: Db, networkId: number) => accounts(tx).where("u.networkId", "=", networkId);
