import { sql } from "kysely";
import {
  anAppBesideSandboxes,
  type CardWorld,
  processorHere,
} from "#tests/interface/card-records.ts";
import { type Ids, recordsOf } from "#tests/interface/good-requests.ts";
import { takesCards } from "#tests/support/card-network.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";

export const roles = [
  "nobody",
  "attorney",
  "another attorney",
  "administrator",
  "another network's administrator",
] as const;
export type Role = (typeof roles)[number];

/** Whose records a request can name. */
export const owners = ["attorney", "another attorney", "another network"] as const;
export type Owner = (typeof owners)[number];

/** A word in all texts of one owner, and nowhere else. */
const secretOf = {
  network: "Zyxownnetwork",
  attorney: "Zyxownattorney",
  "another attorney": "Zyxcolleague",
  "another network": "Zyxothernetwork",
} as const;
type Secret = keyof typeof secretOf;

const knownSecrets: Record<Role, Secret[]> = {
  nobody: [],
  attorney: ["network", "attorney"],
  "another attorney": ["network", "another attorney"],
  administrator: ["network", "attorney", "another attorney"],
  "another network's administrator": ["another network"],
};

/** The secrets in a text that the role must not know. */
export function leaksIn(text: string, role: Role): string[] {
  const secrets = Object.entries(secretOf).filter(
    ([name]) => !knownSecrets[role].includes(name as Secret),
  );
  return secrets.flatMap(([, word]) => (text.includes(word) ? [word] : []));
}

/** Two networks full of secrets, and one visitor of each role. */
export class World {
  readonly app: CardWorld;
  /** The server's log. */
  readonly log: string[];
  readonly networks: MadeNetwork[];
  readonly ids: Record<Owner, Ids>;
  readonly #attorneys: Record<Owner, MadeAttorney>;
  #visitors: Record<Role, Visitor> | null = null;

  private constructor(made: {
    app: CardWorld;
    log: string[];
    networks: MadeNetwork[];
    attorneys: Record<Owner, MadeAttorney>;
    ids: Record<Owner, Ids>;
  }) {
    this.app = made.app;
    this.log = made.log;
    this.networks = made.networks;
    this.ids = made.ids;
    this.#attorneys = made.attorneys;
  }

  static async open(): Promise<World> {
    const log: string[] = [];
    const write = (line: string) => void log.push(line);
    const app = await anAppBesideSandboxes({ logLevel: "trace", logTo: { write } });
    const permits = { permitsMatterEditing: true };
    const own = await makeNetwork(app.db, { ...permits, name: secretOf.network });
    const other = await makeNetwork(app.db, { ...permits, name: secretOf["another network"] });
    await app.db.updateTable("networks").set({ lawyersSetOwnVacation: true }).execute();
    const attorneys = {
      attorney: await makeAttorney(app.db, own, named(secretOf.attorney)),
      "another attorney": await makeAttorney(app.db, own, named(secretOf["another attorney"])),
      "another network": await makeAttorney(app.db, other, named(secretOf["another network"])),
    };
    const ids = {
      attorney: await recordsOf(app, own, attorneys.attorney),
      "another attorney": await recordsOf(app, own, attorneys["another attorney"]),
      "another network": await recordsOf(app, other, attorneys["another network"]),
    };
    const world = new World({ app, log, networks: [own, other], attorneys, ids });
    await world.#hideSecrets();
    return world;
  }

  /** Write the secrets into the records' texts. */
  async #hideSecrets(): Promise<void> {
    const { db } = this.app;
    for (const [index, secret] of [secretOf.network, secretOf["another network"]].entries()) {
      const isIts = sql`network_id = ${this.networks[index]?.id}`;
      for (const change of [
        sql`update users set name = ${secret} where ${isIts} and role = 'admin'`,
        sql`update plans set name = ${secret}, description = ${secret} where ${isIts}`,
        sql`update mails set subject = ${secret}, body = ${secret}, facts = null where ${isIts}`,
        sql`update webhook_endpoints set url = ${`https://example.org/${secret}`} where ${isIts}`,
        sql`update data_exports set requested_by = ${secret} where ${isIts}`,
      ])
        await change.execute(db);
    }
    for (const owner of owners) {
      const { id, networkId } = this.#attorneys[owner];
      const secret = secretOf[owner];
      const isIts = sql`network_id = ${networkId} and attorney_id = ${id}`;
      await sql`update enrolments set note = ${secret} where ${isIts}`.execute(db);
      await sql`update matters set first_name = ${secret}, note = ${secret} where ${isIts}`.execute(
        db,
      );
    }
  }

  /** The records that a request names. */
  recordsFor(role: Role, owner: Owner | "own"): Ids {
    if (owner !== "own") return this.ids[owner];
    if (role === "another attorney") return this.ids[role];
    return this.ids[role === "another network's administrator" ? "another network" : "attorney"];
  }

  /** The visitor of a role, signed in. */
  async visitor(role: Role): Promise<Visitor> {
    this.#visitors ??= await this.freshVisitors();
    return this.#visitors[role];
  }

  async freshVisitors(): Promise<Record<Role, Visitor>> {
    const { app } = this;
    const [own, other] = this.networks;
    if (!own || !other) throw new Error("There are no networks.");
    return {
      nobody: aVisitor(app),
      attorney: await signedIn(app, this.#attorneys.attorney, own),
      "another attorney": await signedIn(app, this.#attorneys["another attorney"], own),
      administrator: await signedIn(app, "admin", own),
      "another network's administrator": await signedIn(app, "admin", other),
    };
  }

  /** Let both networks take cards through the processor that a call is for. */
  async useProcessorOf(path: string): Promise<void> {
    const name = path.startsWith("/elavon/") ? "elavon" : processorHere;
    for (const network of this.networks) await takesCards(this.app, network, name);
  }
}

const named = (secret: string) => ({
  firstName: "Zyx",
  lastName: secret,
  email: `${secret.toLowerCase()}@example.test`,
});
