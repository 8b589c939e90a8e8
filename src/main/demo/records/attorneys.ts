import type { Insertable } from "kysely";
import type { AttorneyActor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import type { Attorneys } from "#kit/db/schema.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";

export interface MadeAttorney {
  id: number;
  networkId: number;
  firstName: string;
  lastName: string;
  email: string;
}

export type NewAttorney = Omit<Insertable<Attorneys>, "networkId">;

/** Put some hundreds of people on a panel, in one statement. Answers their ids in order. */
export async function makeAttorneys(
  tx: Db,
  { id: networkId }: Pick<MadeNetwork, "id">,
  people: NewAttorney[],
): Promise<number[]> {
  const rows = await tx
    .insertInto("attorneys")
    .values(people.map((person) => ({ networkId, ...person })))
    .returning("id")
    .execute();
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
}

/** An attorney's account for signing in, made if there is none. */
export async function makeAccount(
  tx: Db,
  { admin }: Pick<MadeNetwork, "admin">,
  { id: attorneyId, firstName, lastName, email }: Omit<MadeAttorney, "networkId">,
): Promise<AttorneyActor> {
  const account = {
    role: "attorney" as const,
    attorneyId,
    name: `${firstName} ${lastName}`,
    email,
  };
  const { id: userId } = await tx
    .insertInto("users")
    .values({ networkId: admin.networkId, ...account })
    .onConflict((conflict) =>
      conflict.columns(["networkId", "attorneyId"]).doUpdateSet({ name: account.name }),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  return { ...admin, ...account, userId };
}
