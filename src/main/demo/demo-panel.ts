import type { AttorneyActor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import type { DemoNetwork } from "#main/demo/demo-network.ts";
import { makeLawyer, emailName, type Town } from "#main/demo/people.ts";
import { seededRandom } from "#main/demo/random.ts";
import { makeAccount, makeAttorneys } from "#main/demo/records/attorneys.ts";

export interface DemoAttorney {
  id: number;
  /** Null if not invited to sign in. */
  account: AttorneyActor | null;
}

/** The first attorney is the one who signs in to the demo. */
export interface DemoPanel {
  /** First and last names. */
  names: string[];
  /** The first one's email address; the others' are made from their names at the same domain. */
  firstEmail: string;
  towns: readonly [Town, ...Town[]];
  /** How many can sign in. */
  signIns: number;
}

/** Put the demo's attorneys on the panel, the first ones with accounts. Returns them in the given order. */
export async function addDemoPanel(
  tx: Db,
  network: DemoNetwork,
  panel: DemoPanel,
): Promise<DemoAttorney[]> {
  const random = seededRandom(network.id);
  const domain = panel.firstEmail.replace(/^.*@/, "");
  const createdAt = network.today.subtract({ months: 14 }).toString();
  const people = panel.names.map((name, index) => {
    const [firstName = "", lastName = ""] = name.split(" ");
    const email = index === 0 ? panel.firstEmail : `${emailName(firstName, lastName)}@${domain}`;
    const lawyer = makeLawyer(random, index + 1, panel.towns);
    return { ...lawyer, firstName, lastName, email, createdAt };
  });
  const ids = await makeAttorneys(tx, network, people);
  const accounts: AttorneyActor[] = [];
  for (const [index, person] of people.slice(0, panel.signIns).entries())
    accounts.push(await makeAccount(tx, network, { ...person, id: ids[index] ?? 0 }));
  return ids.map((id, index) => ({ id, account: accounts[index] ?? null }));
}

/** Put attorneys on vacation, each until some days from today; a past day is a vacation that has ended. */
export async function sendOnVacation(
  tx: Db,
  network: DemoNetwork,
  vacations: { attorney: DemoAttorney | undefined; endsInDays: number }[],
): Promise<void> {
  for (const { attorney, endsInDays } of vacations) {
    if (!attorney) continue;
    await tx
      .updateTable("attorneys")
      .set({ pausedUntil: network.today.add({ days: endsInDays }).toString() })
      .where("networkId", "=", network.id)
      .where("id", "=", attorney.id)
      .execute();
  }
}
