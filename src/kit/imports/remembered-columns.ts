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

/** The network's saved answers about what columns contain. */
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

/** Save what columns of such files contain, for the administrator's network. Throws 422 for an unknown field. */
export async function rememberColumns<Details extends z.ZodObject>(
  tx: Db,
  { networkId }: Admin,
  { recordType, layout }: Pick<Importing, "recordType"> & { layout: Layout<Details> },
  columns: { heading: string; holds: string }[],
): Promise<{ saved: number }> {
  const fields = [...choosableFields(layout), leftOut];
  const wrong = columns.find(({ holds }) => !fields.includes(holds));
  if (wrong) throw new Refusal(422, `A column cannot contain "${wrong.holds}".`);
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
