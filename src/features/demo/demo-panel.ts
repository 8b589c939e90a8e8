import type { Db } from "#db/database.ts";
import { type DemoNetwork, addPasswordAccounts } from "#features/demo/demo-network.ts";
import { addToPanel } from "#features/demo/panel.ts";
import { makePerson, emailName, type Town } from "#features/demo/people.ts";
import { seededRandom } from "#features/demo/random.ts";

export interface DemoAttorney {
  id: number;
  /** Null for those who have not been invited to sign in. */
  userId: number | null;
}

/** The first one is the demo's attorney who signs in. */
export interface DemoPanel {
  names: readonly (readonly [firstName: string, lastName: string])[];
  /** Email address of the first one; the others' are made of their names at the same domain. */
  firstEmail: string;
  towns: readonly [Town, ...Town[]];
  /** How many of them can sign in. */
  signIns: number;
}

/** Put the demo's attorneys on the panel, the first of them with accounts. Answers them in the given order. */
export async function addDemoPanel(
  tx: Db,
  network: DemoNetwork,
  panel: DemoPanel,
  passwordHash: string,
): Promise<DemoAttorney[]> {
  const random = seededRandom(network.id);
  const domain = panel.firstEmail.replace(/^.*@/, "");
  const people = panel.names.map(([firstName, lastName], index) => ({
    ...makePerson(random, index + 1, panel.towns),
    firstName,
    lastName,
    email: index === 0 ? panel.firstEmail : `${emailName(firstName, lastName)}@${domain}`,
  }));
  const joined = network.today.subtract({ months: 14 }).toString();
  const ids = await addToPanel(tx, network.id, people, joined);
  const users = await tx
    .insertInto("users")
    .values(
      people.slice(0, panel.signIns).map((person, index) => ({
        networkId: network.id,
        role: "attorney" as const,
        attorneyId: ids[index],
        name: `${person.firstName} ${person.lastName}`,
        email: person.email,
      })),
    )
    .returning(["id", "attorneyId"])
    .execute();
  await addPasswordAccounts(
    tx,
    users.map(({ id }) => id),
    passwordHash,
  );
  const userOf = new Map(users.map((user) => [user.attorneyId, user.id]));
  return ids.map((id) => ({ id, userId: userOf.get(id) ?? null }));
}

/** Put attorneys on vacation, each until so many days from today; a past day is a vacation that has ended. */
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
