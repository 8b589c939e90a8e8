import type { Insertable } from "kysely";
import type { Day } from "#domain/day.ts";
import type { Db } from "#db/database.ts";
import type { MatterReports, Matters } from "#db/schema.ts";
import type { MadeAttorney } from "#features/demo/records/attorneys.ts";
import type { MadeNetwork } from "#features/demo/records/networks.ts";

export type NewMatter = Omit<Insertable<Matters>, "networkId"> & {
  /** Those that its attorney has filed. */
  reports?: Omit<Insertable<MatterReports>, "networkId" | "matterId" | "attorneyId">[];
};

/** A referral: new, or open once it has an attorney, with its next report due on a day. Answers its id. */
export async function makeMatter(
  tx: Db,
  network: Pick<MadeNetwork, "id">,
  wanted: { attorney?: Pick<MadeAttorney, "id">; dueOn?: Day; lastName?: string } = {},
): Promise<number> {
  const { attorney, dueOn = "2199-01-01", lastName = "Doe" } = wanted;
  const referred = {
    attorneyId: attorney?.id,
    status: "open",
    referredAt: new Date().toISOString(),
    reportDueOn: dueOn,
  } as const;
  const [id = 0] = await makeMatters(tx, network, [
    {
      firstName: "Jane",
      lastName,
      phone: "(555) 010-4477",
      email: "jane@example.test",
      addressLine1: "1 Main Street",
      addressLine2: "Apt 4",
      addressCity: "Harbor",
      addressRegion: "NY",
      addressZip: "10013",
      ...(attorney && referred),
    },
  ]);
  return id;
}

/** Some hundreds of referrals, each with its reports. Answers their ids in order. */
export async function makeMatters(
  tx: Db,
  { id: networkId }: Pick<MadeNetwork, "id">,
  matters: NewMatter[],
): Promise<number[]> {
  const rows = await tx
    .insertInto("matters")
    .values(matters.map(({ reports: _, ...matter }) => ({ networkId, ...matter })))
    .returning("id")
    .execute();
  const ids = rows.map(({ id }) => id).toSorted((a, b) => a - b);
  const reports = matters.flatMap(({ attorneyId, reports: own = [] }, place) => {
    const of = { networkId, matterId: ids[place] ?? 0, attorneyId: attorneyId ?? 0 };
    return own.map((report) => ({ ...report, ...of }));
  });
  const oldestFirst = reports.toSorted((a, b) => a.filedOn.localeCompare(b.filedOn));
  if (reports.length > 0) await tx.insertInto("matterReports").values(oldestFirst).execute();
  return ids;
}
