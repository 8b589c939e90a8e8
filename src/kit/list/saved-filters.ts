import { sql } from "kysely";
import type { z } from "zod";
import type { AdminPerson } from "#kit/domain/actor.ts";
import { notFound, Refusal, refuseViolations } from "#kit/contract/refusal.ts";
import type { Db } from "#kit/db/database.ts";
import { asSorted } from "#kit/db/sort.ts";
import type { SavedFilter, saveFilter } from "#kit/list/saved-filters-contract.ts";

/*
 * They are everybody's own, and nothing of the network's records: changing them is in no activity.
 */

const maxOfList = 50;

const filterColumns = ["id", "list", "name", "query"] as const;

/** Those of a list, or of all, by name. */
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

/** Throws 409 for a name that the list has already, and for too many. */
export async function keepFilter(
  tx: Db,
  admin: AdminPerson,
  wanted: z.output<typeof saveFilter.body>,
): Promise<SavedFilter> {
  if ((await savedFiltersOf(tx, admin, wanted.list)).length >= maxOfList)
    throw new Refusal(409, "There are 50 saved filters of this list already: remove one first.");
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

/** Throws 404 for another user's, 409 as above. */
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

const nameTaken = "You have saved filters of this list under this name already.";

const refusals = {
  saved_filters_name: () =>
    new Refusal(409, nameTaken, { errors: [{ path: "name", message: nameTaken }] }),
};
