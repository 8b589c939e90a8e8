import type { Insertable } from "kysely";
import type { Day } from "#kit/domain/day.ts";
import type { Db } from "#kit/db/database.ts";
import type { MatterReports, Matters } from "#kit/db/schema.ts";
import type { MadeAttorney } from "#main/demo/records/attorneys.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";

export type NewMatter = Omit<Insertable<Matters>, "networkId">;
export type NewReport = Omit<Insertable<MatterReports>, "networkId">;

/** A referral: new, or open with an attorney and its next due date. Returns its id. */
export async function makeMatter(
  tx: Db,
  network: Pick<MadeNetwork, "id">,
  wanted: {
    attorney?: Pick<MadeAttorney, "id">;
    dueOn?: Day;
    firstName?: string;
    lastName?: string;
  } = {},
): Promise<number> {
  const { attorney, dueOn = "2199-01-01", firstName = "Jane", lastName = "Doe" } = wanted;
  const referred = {
    attorneyId: attorney?.id,
    status: "open",
    referredAt: new Date().toISOString(),
    reportDueOn: dueOn,
  } as const;
  const [id = 0] = await makeMatters(tx, network, [
    {
      firstName,
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

/** Some hundreds of referrals in one statement. Returns their ids in order. */
export async function makeMatters(
  tx: Db,
  { id: networkId }: Pick<MadeNetwork, "id">,
  matters: NewMatter[],
): Promise<number[]> {
  const rows = await tx
    .insertInto("matters")
    .values(matters.map((matter) => ({ networkId, ...matter })))
    .returning("id")
    .execute();
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
}

/** Reports on referrals, which already have the reports' effects. */
export async function makeReports(
  tx: Db,
  { id: networkId }: Pick<MadeNetwork, "id">,
  reports: NewReport[],
): Promise<void> {
  await tx
    .insertInto("matterReports")
    .values(reports.map((report) => ({ networkId, ...report })))
    .execute();
}
