import { randomBytes } from "node:crypto";
import { hashPassword } from "better-auth/crypto";
import type { Admin, AttorneyActor } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";

/** A network with an administrator of its own, who does what tests have done by hand. */
export interface TestNetwork {
  id: number;
  name: string;
  timeZone: string;
  admin: Admin;
}

export interface TestAttorney {
  id: number;
  networkId: number;
  firstName: string;
  lastName: string;
  email: string;
}

let made = 0;

/** What no other record of this test file has, for names and addresses; no word is ever found in it. */
const another = () => `${(made += 1)}-${randomBytes(3).toString("hex").replaceAll(/[ae]/g, "z")}`;

export async function aNetwork(
  db: Db,
  wanted: { name?: string; timeZone?: string; permitsMatterEditing?: boolean } = {},
): Promise<TestNetwork> {
  const network = await db
    .insertInto("networks")
    .values({
      name: wanted.name ?? `Network ${another()}`,
      timeZone: wanted.timeZone ?? "America/New_York",
      permitsMatterEditing: wanted.permitsMatterEditing ?? false,
    })
    .returning(["id", "name", "timeZone", "permitsMatterEditing"])
    .executeTakeFirstOrThrow();
  const email = `admin-${another()}@example.test`;
  const { id: userId } = await db
    .insertInto("users")
    .values({ networkId: network.id, role: "admin", name: "Ada Min", email })
    .returning("id")
    .executeTakeFirstOrThrow();
  const admin: Admin = {
    role: "admin",
    attorneyId: null,
    networkId: network.id,
    networkName: network.name,
    timeZone: network.timeZone,
    permitsMatterEditing: network.permitsMatterEditing,
    userId,
    name: "Ada Min",
    email,
    sessionId: 0, // nobody has signed in
  };
  return { id: network.id, name: network.name, timeZone: network.timeZone, admin };
}

/** Another administrator, who has no password unless one is given. Answers the account's id. */
export async function aColleague(
  db: Db,
  network: TestNetwork,
  wanted: { name?: string; canSignIn?: boolean } = {},
): Promise<number> {
  const name = wanted.name ?? "Colette Ague";
  const email = `colleague-${another()}@example.test`;
  const { id } = await db
    .insertInto("users")
    .values({ networkId: network.id, role: "admin", name, email })
    .returning("id")
    .executeTakeFirstOrThrow();
  if (wanted.canSignIn) await givePassword(db, id);
  return id;
}

export async function anAttorney(
  db: Db,
  network: TestNetwork,
  wanted: Partial<{ firstName: string; lastName: string; email: string; barNumber: string }> = {},
): Promise<TestAttorney> {
  return await db
    .insertInto("attorneys")
    .values({
      networkId: network.id,
      firstName: "Grace",
      lastName: `Hopper ${another()}`,
      email: `attorney-${another()}@example.test`,
      ...wanted,
    })
    .returning(["id", "networkId", "firstName", "lastName", "email"])
    .executeTakeFirstOrThrow();
}

/** As many attorneys as asked for, in one statement. Answers their ids in order. */
export async function aPanel(db: Db, network: TestNetwork, count: number): Promise<number[]> {
  const tag = another();
  const rows = await db
    .insertInto("attorneys")
    .values(
      Array.from({ length: count }, (_, index) => ({
        networkId: network.id,
        firstName: "Panel",
        lastName: `Member ${index}`,
        email: `panel-${index}-${tag}@example.test`,
      })),
    )
    .returning("id")
    .execute();
  return rows.map((row) => row.id).toSorted((a, b) => a - b);
}

/** The account with which an attorney signs in, made when there is none. */
export async function anAccount(
  db: Db,
  network: TestNetwork,
  attorney: TestAttorney,
): Promise<AttorneyActor> {
  const name = `${attorney.firstName} ${attorney.lastName}`;
  const user = await db
    .insertInto("users")
    .values({
      networkId: network.id,
      role: "attorney",
      attorneyId: attorney.id,
      name,
      email: attorney.email,
    })
    .onConflict((conflict) => conflict.columns(["networkId", "attorneyId"]).doUpdateSet({ name }))
    .returning("id")
    .executeTakeFirstOrThrow();
  return {
    ...network.admin,
    role: "attorney",
    attorneyId: attorney.id,
    userId: user.id,
    name,
    email: attorney.email,
  };
}

export const testPassword = "correct horse battery";

let hashed: Promise<string> | undefined;

/** Let someone sign in by email and `testPassword`; hashing is slow on purpose, so it is done once. */
export async function givePassword(db: Db, userId: number): Promise<void> {
  hashed ??= hashPassword(testPassword);
  const password = await hashed;
  await db
    .insertInto("accounts")
    .values({ userId, accountId: String(userId), providerId: "credential", password })
    .execute();
}
