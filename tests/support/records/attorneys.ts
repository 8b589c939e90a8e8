import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import {
  type MadeAttorney,
  makeAttorneys,
  type NewAttorney,
} from "#main/demo/records/attorneys.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";
import { unique } from "#tests/support/records/unique.ts";

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

/** A panel of any size, whose members differ only in their number. Returns their ids in order. */
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
