import type { Insertable } from "kysely";
import type { Db } from "#kit/db/database.ts";
import type { MatterReports, Matters } from "#kit/db/schema.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";

export type NewMatter = Omit<Insertable<Matters>, "networkId">;
type NewReport = Omit<Insertable<MatterReports>, "networkId">;

/** Some hundreds of referrals, in one statement. Answers their ids in order. */
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

/** Reports on referrals; what they change of the referral stands there already. */
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
