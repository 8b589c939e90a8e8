import { type Insertable, sql } from "kysely";
import type { AttorneyActor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import type { Attorneys } from "#kit/db/schema.ts";
import { type MadeNetwork, unique } from "#main/demo/records/networks.ts";

export interface MadeAttorney {
  id: number;
  networkId: number;
  firstName: string;
  lastName: string;
  email: string;
}

type NewAttorney = Omit<Insertable<Attorneys>, "networkId">;

export async function makeAttorney(
  tx: Db,
  network: Pick<MadeNetwork, "id">,
  wanted: Partial<NewAttorney> = {},
): Promise<MadeAttorney> {
  const attorney = {
    firstName: "Grace",
    lastName: `Hopper ${unique()}`,
    email: `attorney-${unique()}@example.test`,
    ...wanted,
  };
  const [id = 0] = await makeAttorneys(tx, network, [attorney]);
  return { id, networkId: network.id, ...attorney };
}

/** Put some hundreds of people on a panel in one statement. Returns their ids in order. */
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

/** A panel of any size whose members differ only in their number. Returns their ids in order. */
export async function makePanel(
  tx: Db,
  { id: networkId }: Pick<MadeNetwork, "id">,
  size: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    insert into attorneys (network_id, first_name, last_name, email)
    select ${networkId}::bigint, 'Panel', 'Member ' || k, 'panel-' || k || ${`-${unique()}@example.test`}
    from generate_series(0, ${size}::integer - 1) as k
    returning id`.execute(tx);
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
