import { addUser } from "#access/sign-in/accounts.ts";
import type { Db } from "#kit/db/database.ts";
import {
  type MadeNetwork,
  makeNetwork as insertNetwork,
  type Person,
} from "#main/demo/records/networks.ts";
import { unique } from "#tests/support/records/unique.ts";

type NewNetwork = Parameters<typeof insertNetwork>[1];

/** A network with an administrator of its own, under names that no other record has. */
export async function makeNetwork(
  tx: Db,
  { admin, ...wanted }: Partial<Omit<NewNetwork, "admin">> & { admin?: Partial<Person> } = {},
): Promise<MadeNetwork> {
  return await insertNetwork(tx, {
    name: `Network ${unique()}`,
    timeZone: "America/New_York",
    ...wanted,
    admin: { name: "Ada Min", email: `admin-${unique()}@example.test`, ...admin },
  });
}

/** Another administrator. Returns the account's id. */
export async function makeAdmin(
  tx: Db,
  { id: networkId }: Pick<MadeNetwork, "id">,
  { name = "Colette Ague", email = `colleague-${unique()}@example.test` }: Partial<Person> = {},
): Promise<number> {
  return await addUser(tx, { networkId, role: "admin", attorneyId: null, name, email });
}
