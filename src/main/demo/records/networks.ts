import type { AdminPerson } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { addUser } from "#access/sign-in/accounts.ts";

/*
 * Records of the demo, inserted in their final state: the product's functions would write activity and email that
 * nobody caused. Tests use these too (tests/support/records).
 */

/** A network with an administrator of its own. */
export interface MadeNetwork {
  id: number;
  name: string;
  timeZone: string;
  admin: AdminPerson;
}

export interface Person {
  name: string;
  email: string;
}

export async function makeNetwork(
  tx: Db,
  wanted: {
    name: string;
    timeZone: string;
    permitsMatterEditing?: boolean;
    postalAddress?: string;
    phone?: string;
    email?: string;
    admin: Person;
  },
): Promise<MadeNetwork> {
  const { permitsMatterEditing, ...network } = await tx
    .insertInto("networks")
    .values({
      name: wanted.name,
      timeZone: wanted.timeZone,
      permitsMatterEditing: wanted.permitsMatterEditing ?? false,
      postalAddress: wanted.postalAddress,
      phone: wanted.phone,
      email: wanted.email,
    })
    .returning(["id", "name", "timeZone", "permitsMatterEditing"])
    .executeTakeFirstOrThrow();
  const { name, email } = wanted.admin;
  const admin: AdminPerson = {
    role: "admin",
    attorneyId: null,
    networkId: network.id,
    networkName: network.name,
    timeZone: network.timeZone,
    permitsMatterEditing,
    userId: await addUser(tx, {
      networkId: network.id,
      role: "admin",
      attorneyId: null,
      name,
      email,
    }),
    name,
    email,
    sessionId: 0,
    isConfirmed: true, // nobody has signed in
    secondFactorDueAt: null,
    lacksSecondFactor: false,
  };
  return { ...network, admin };
}

/** Let accounts sign in with one password. The hash is given, since hashing is slow on purpose. */
export async function givePasswords(tx: Db, userIds: number[], password: string): Promise<void> {
  const account = (userId: number) => ({ userId, accountId: String(userId), password });
  await tx
    .insertInto("accounts")
    .values(userIds.map((userId) => ({ ...account(userId), providerId: "credential" })))
    .execute();
}
