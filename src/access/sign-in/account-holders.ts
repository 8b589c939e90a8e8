import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";

/** Whose account it is. */
export interface AccountHolder {
  networkId: number;
  userId: number;
  attorneyId: number | null;
  name: string;
  email: string;
  hasSecondFactor: boolean;
}

/**
 * Until the transaction ends, nobody else chooses a password for the account, sets an authenticator app up, or signs in to
 * it. Taken before a row of its links.
 */
export async function lockSignIn(tx: Db, userId: number): Promise<void> {
  await sql`select id from users where id = ${userId} for no key update`.execute(tx);
}

/** An administrator of the network, the account locked. Throws 404 for who is none. */
export async function lockAdmin(tx: Db, networkId: number, userId: number): Promise<AccountHolder> {
  const admin = await people(tx, networkId)
    .where("u.id", "=", userId)
    .where("u.role", "=", "admin")
    .executeTakeFirst();
  if (!admin) throw notFound("administrator");
  return admin;
}

/** An attorney's account, locked. Throws 404 for who is none of the network's, 409 for one without an account. */
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
  throw new Refusal(409, `This attorney has no account, and so ${lacks}.`);
}

/** For an operator, who knows the person by the email address. Throws 404. */
export async function lockAccountOf(tx: Db, email: string): Promise<AccountHolder> {
  const person = await accounts(tx).where("u.email", "=", email).executeTakeFirst();
  if (!person) throw new Refusal(404, `There is no account with the email address ${email}.`);
  return person;
}

const accounts = (tx: Db) =>
  tx
    .selectFrom("users as u")
    .select(["u.networkId", "u.id as userId", "u.attorneyId", "u.name", "u.email"])
    .select("u.twoFactorEnabled as hasSecondFactor")
    .forUpdate();

const people = (tx: Db, networkId: number) => accounts(tx).where("u.networkId", "=", networkId);
