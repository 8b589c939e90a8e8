import { z } from "zod";
import { folded } from "#domain/folded.ts";
import type { Db } from "#db/database.ts";
import { isServedElsewhere, isServedHere } from "#db/served-here.ts";
import { Refusal } from "#contract/refusal.ts";

/** A network as commands know it. */
export interface ChosenNetwork {
  id: number;
  name: string;
  timeZone: string;
}

/** The option with which commands name a network; the functions below find it. */
export function networkOption(unlessGiven: "the first one" | "all of them") {
  const help = `The network, by its id or name; ${unlessGiven} unless given`;
  return { value: "ID", help, schema: z.string().optional() };
}

/**
 * The network that an operator names by its id or name; unnamed, the first one. Throws as below, 404 for none at
 * all, 409 for one that another cell serves, and for none that is named where networks have moved: which one is the
 * first would change under whatever runs every night.
 */
export async function chooseNetwork(db: Db, named: string | undefined): Promise<ChosenNetwork> {
  if (named === undefined) await refuseUnnamedAmongMoved(db);
  const [first] = await chooseNetworks(db, named);
  if (!first) throw new Refusal(404, "There is no network yet: make one with create-network.");
  await refuseServedElsewhere(db, first);
  return first;
}

async function refuseUnnamedAmongMoved(db: Db): Promise<void> {
  const step = await db.selectFrom("networkMoveSteps").select("id").limit(1).executeTakeFirst();
  if (step)
    throw new Refusal(
      409,
      "Networks have moved from or to this database: say with --network which one is meant.",
    );
}

async function refuseServedElsewhere(db: Db, { id, name }: ChosenNetwork): Promise<void> {
  const move = await db
    .selectFrom("networkMoves")
    .select(["state", "peer"])
    .where("networkId", "=", id)
    .where(isServedElsewhere("network_id"))
    .executeTakeFirst();
  if (!move) return;
  const is = {
    moved: `was moved to another database (${move.peer}): run this there.`,
    arriving: `is on its way here (from ${move.peer}): run this once it has arrived.`,
  }[move.state];
  throw new Refusal(
    409,
    `Network ${id}, "${name}", ${is ?? "is being removed from this database."}`,
  );
}

/**
 * The network that an operator names, or all that are served here when unnamed, oldest first. Throws 404 for a
 * name that none has and 409 for one that several have.
 */
export async function chooseNetworks(db: Db, named: string | undefined): Promise<ChosenNetwork[]> {
  const networks = await db
    .selectFrom("networks")
    .select(["id", "name", "timeZone"])
    .$if(named === undefined, (all) => all.where(isServedHere("id")))
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
    throw new Refusal(409, `Several networks are called "${named}": name one by its id (${ids}).`);
  }
  return chosen;
}
