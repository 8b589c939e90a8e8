import type { z } from "zod";
import type { Admin } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import {
  choosableFields,
  headingKey,
  type Layout,
  leftOut,
  type RememberedColumns,
} from "#kit/imports/columns.ts";

interface Importing {
  recordType: "attorney" | "matter";
  networkId: number;
}

/** What the network has said that columns hold. */
export async function rememberedColumns(
  tx: Db,
  { recordType, networkId }: Importing,
): Promise<RememberedColumns> {
  const rows = await tx
    .selectFrom("importColumns")
    .select(["heading", "holds"])
    .where("networkId", "=", networkId)
    .where("recordType", "=", recordType)
    .execute();
  return new Map(rows.map(({ heading, holds }) => [heading, holds]));
}

/** Remember what columns of such files hold, for the administrator's network. Throws 422 for what is no field. */
export async function rememberColumns<Details extends z.ZodObject>(
  tx: Db,
  { networkId }: Admin,
  { recordType, layout }: Pick<Importing, "recordType"> & { layout: Layout<Details> },
  columns: { heading: string; holds: string }[],
): Promise<{ saved: number }> {
  const fields = [...choosableFields(layout), leftOut];
  const wrong = columns.find(({ holds }) => !fields.includes(holds));
  if (wrong) throw new Refusal(422, `"${wrong.holds}" is nothing that a column can hold.`);
  const said = new Map(columns.map(({ heading, holds }) => [headingKey(heading), holds]));
  const rows = [...said].map(([heading, holds]) => ({ networkId, recordType, heading, holds }));
  await tx
    .insertInto("importColumns")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(["networkId", "recordType", "heading"])
        .doUpdateSet((next) => ({ holds: next.ref("excluded.holds") })),
    )
    .execute();
  return { saved: rows.length };
}
