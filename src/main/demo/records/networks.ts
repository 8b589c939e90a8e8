import { randomBytes } from "node:crypto";
import type { AdminPerson } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { addUser } from "#access/sign-in/accounts.ts";

/*
 * This folder makes records for tests, faults, fuzz and the bench, and the demo's networks, people and referrals. They
 * are inserted in their final state, since the product's functions would write activity and email about things that
 * nobody did. Functions that write neither are used.
 */

/** A network with its own administrator. */
export interface MadeNetwork {
  id: number;
  name: string;
  timeZone: string;
  admin: AdminPerson;
}

let made = 0;

/** A unique text for names and addresses that no search for a word or number finds. */
export const unique = () =>
  `${(made += 1).toString(16)}-${randomBytes(3).toString("hex")}`.replaceAll(/[0-9a-f]/g, (digit) =>
    consonants.charAt(Number.parseInt(digit, 16)),
  );

const consonants = "bcdfghjkmnpqrstv";

interface Person {
  name?: string;
  email?: string;
}

export async function makeNetwork(
  tx: Db,
  wanted: {
    name?: string;
    timeZone?: string;
    permitsMatterEditing?: boolean;
    postalAddress?: string;
    phone?: string;
    email?: string;
    admin?: Person;
  } = {},
): Promise<MadeNetwork> {
  const { permitsMatterEditing, ...network } = await tx
    .insertInto("networks")
    .values({
      name: wanted.name ?? `Network ${unique()}`,
      timeZone: wanted.timeZone ?? "America/New_York",
      permitsMatterEditing: wanted.permitsMatterEditing ?? false,
      postalAddress: wanted.postalAddress,
      phone: wanted.phone,
      email: wanted.email,
    })
    .returning(["id", "name", "timeZone", "permitsMatterEditing"])
    .executeTakeFirstOrThrow();
  const { name = "Ada Min", email = `admin-${unique()}@example.test` } = wanted.admin ?? {};
  const admin: AdminPerson = {
    role: "admin",
    attorneyId: null,
    networkId: network.id,
    networkName: network.name,
    timeZone: network.timeZone,
    permitsMatterEditing,
    userId: await makeAdmin(tx, network, { name, email }),
    name,
    email,
    sessionId: 0,
    isConfirmed: true, // no sign-in has happened
    secondFactorDueAt: null,
    lacksSecondFactor: false,
  };
  return { ...network, admin };
}

/** Another administrator. Returns the account's id. */
export async function makeAdmin(
  tx: Db,
  { id: networkId }: Pick<MadeNetwork, "id">,
  { name = "Colette Ague", email = `colleague-${unique()}@example.test` }: Person = {},
): Promise<number> {
  return await addUser(tx, { networkId, role: "admin", attorneyId: null, name, email });
}

/** Let accounts sign in with one password. The hash is given, since hashing is slow on purpose. */
export async function givePasswords(tx: Db, userIds: number[], password: string): Promise<void> {
  const account = (userId: number) => ({ userId, accountId: String(userId), password });
  await tx
    .insertInto("accounts")
    .values(userIds.map((userId) => ({ ...account(userId), providerId: "credential" })))
    .execute();
}
