import { sql } from "kysely";
import { Temporal } from "temporal-polyfill";
import type { Db } from "#kit/db/database.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { audit } from "#kit/db/audit.ts";
import { addUser, setPassword } from "#access/sign-in/accounts.ts";

export interface NewNetwork {
  name: string;
  /** An IANA name, such as America/New_York. */
  timeZone: string;
  permitsMatterEditing: boolean;
}

/**
 * Create a network, for an operator, and return its id. It requires second factors of its administrators. Throws 422
 * for an unknown time zone.
 */
export async function createNetwork(tx: Db, wanted: NewNetwork): Promise<number> {
  if (!isTimeZone(wanted.timeZone))
    throw new Refusal(
      422,
      `Time zone must be an IANA name such as America/New_York, not "${wanted.timeZone}".`,
    );
  const { id } = await tx
    .insertInto("networks")
    .values({ ...wanted, secondFactorRequiredSince: sql<string>`now()` })
    .returning("id")
    .executeTakeFirstOrThrow();
  await audit(tx, operator(id), {
    action: "created",
    recordType: "network",
    recordId: id,
    after: { ...wanted, secondFactorRequired: true },
  });
  return id;
}

export interface NewAdmin {
  networkId: number;
  name: string;
  email: string;
  /** Null: they choose one with a single-use link. */
  password: string | null;
}

/** Add an administrator, for an operator, and return the account's id. Throws 409 for a taken email. */
export async function createAdmin(tx: Db, wanted: NewAdmin): Promise<number> {
  const { networkId, name, email, password } = wanted;
  const userId = await addUser(tx, { networkId, name, email, role: "admin", attorneyId: null });
  if (password !== null) await setPassword(tx, { userId, email, name }, password);
  await audit(tx, operator(networkId), {
    action: "created",
    recordType: "user",
    recordId: userId,
    after: { name, email, role: "admin" },
  });
  return userId;
}

/** The operator at the command line, as named in the audit trail. */
export function operator(networkId: number) {
  return { networkId, userId: null, name: "Operator (command line)" };
}

/** Refuses offsets such as +05:00: they have no daylight saving, and PostgreSQL reverses their sign. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    Temporal.Now.zonedDateTimeISO(name);
    return true;
  } catch {
    return false; // unknown to this platform
  }
}
