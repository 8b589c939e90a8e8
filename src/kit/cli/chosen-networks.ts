import { z } from "zod";
import { folded } from "#kit/domain/folded.ts";
import type { Db } from "#kit/db/database.ts";
import { Refusal } from "#kit/contract/refusal.ts";

/** A network as commands know it. */
export interface ChosenNetwork {
  id: number;
  name: string;
  timeZone: string;
}

/** The option that names a network. The functions below find it. */
export function networkOption(unlessGiven: "the first one" | "all of them") {
  const help = `The network, by its id or name; ${unlessGiven} unless given`;
  return { value: "ID", help, schema: z.string().optional() };
}

/**
 * The network that an operator names by its id or name; by default the first one. Throws as `chooseNetworks`, and
 * 404 if there is none.
 */
export async function chooseNetwork(db: Db, named: string | undefined): Promise<ChosenNetwork> {
  const [first] = await chooseNetworks(db, named);
  if (!first) throw new Refusal(404, "There is no network yet. Create one with create-network.");
  return first;
}

/**
 * The networks that an operator names, or all by default, oldest first. Throws 404 for an unknown name and 409 for
 * a name that several networks have.
 */
export async function chooseNetworks(db: Db, named: string | undefined): Promise<ChosenNetwork[]> {
  const networks = await db
    .selectFrom("networks")
    .select(["id", "name", "timeZone"])
    .orderBy("id")
    .execute();
  if (named === undefined) return networks;
  const byId = networks.filter(({ id }) => String(id) === named);
  const byName = networks.filter(({ name }) => folded(name) === folded(named));
  const chosen = byId.length > 0 ? byId : byName;
  if (chosen.length === 0) {
    const known = networks.map(({ id, name }) => `${id} ${name}`).join("; ") || "none";
    throw new Refusal(404, `There is no network "${named}". Known networks: ${known}.`);
  }
  if (chosen.length > 1) {
    const ids = chosen.map(({ id }) => id).join(", ");
    throw new Refusal(
      409,
      `Several networks are called "${named}". Choose one by its id (${ids}).`,
    );
  }
  return chosen;
}
