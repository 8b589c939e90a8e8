import { sql } from "kysely";
import type { z } from "zod";
import type { AdminPerson } from "#kit/domain/actor.ts";
import { notFound, Refusal, refuseViolations } from "#kit/contract/refusal.ts";
import type { Db } from "#kit/db/database.ts";
import { asSorted } from "#kit/db/sort.ts";
import type { SavedFilter, saveFilter } from "#kit/list/saved-filters-contract.ts";

/*
 * Saved filters belong to one user and are not records of the network, so the audit trail leaves them out.
 */

const maxOfList = 50;

const filterColumns = ["id", "list", "name", "query"] as const;

/** Those of one list, or of all, by name. */
export async function savedFiltersOf(
  tx: Db,
  admin: AdminPerson,
  list: string | undefined,
): Promise<SavedFilter[]> {
  return await ownFilters(tx, admin)
    .$if(list !== undefined, (all) => all.where("list", "=", list ?? ""))
    .orderBy(asSorted(sql`name`))
    .orderBy("id")
    .execute();
}

/** Throws 409 if the list already has the name, or too many saved filters. */
export async function keepFilter(
  tx: Db,
  admin: AdminPerson,
  wanted: z.output<typeof saveFilter.body>,
): Promise<SavedFilter> {
  if ((await savedFiltersOf(tx, admin, wanted.list)).length >= maxOfList)
    throw new Refusal(409, "You already have 50 saved filters for this list. Remove one first.");
  const { networkId, userId } = admin;
  const row = await refuseViolations(
    refusals,
    tx
      .insertInto("savedFilters")
      .values({ networkId, userId, ...wanted })
      .returning(filterColumns)
      .executeTakeFirstOrThrow(),
  );
  return row;
}

/** Throws 404 for another user's, 409 if the list already has the name. */
export async function renameFilterTo(
  tx: Db,
  admin: AdminPerson,
  id: number,
  name: string,
): Promise<SavedFilter> {
  const row = await refuseViolations(
    refusals,
    tx
      .updateTable("savedFilters")
      .set({ name })
      .where("networkId", "=", admin.networkId)
      .where("userId", "=", admin.userId)
      .where("id", "=", id)
      .returning(filterColumns)
      .executeTakeFirst(),
  );
  if (!row) throw notFound("saved filter");
  return row;
}

/** Throws 404 for another user's. */
export async function dropFilter(tx: Db, admin: AdminPerson, id: number): Promise<SavedFilter> {
  const row = await tx
    .deleteFrom("savedFilters")
    .where("networkId", "=", admin.networkId)
    .where("userId", "=", admin.userId)
    .where("id", "=", id)
    .returning(filterColumns)
    .executeTakeFirst();
  if (!row) throw notFound("saved filter");
  return row;
}

const ownFilters = (tx: Db, { networkId, userId }: AdminPerson) =>
  tx
    .selectFrom("savedFilters")
    .select(filterColumns)
    .where("networkId", "=", networkId)
    .where("userId", "=", userId);

const nameTaken =
  "You already have saved filters with this name for this list. Choose another name.";

const refusals = {
  saved_filters_name: () =>
    new Refusal(409, nameTaken, { errors: [{ path: "name", message: nameTaken }] }),
};
