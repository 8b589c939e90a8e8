import type { AttorneyActor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import type { Payer } from "#cards/processors/processor.ts";

/** The payer's details for the processor: the attorney's own record. */
export async function findPayer(db: Db, actor: AttorneyActor): Promise<Payer> {
  return await db
    .selectFrom("attorneys")
    .select([
      "id as attorneyId",
      "firstName",
      "lastName",
      "email",
      "addressLine1 as address",
      "addressCity as city",
      "addressRegion as region",
      "addressZip as zip",
    ])
    .where("networkId", "=", actor.networkId)
    .where("id", "=", actor.attorneyId)
    .executeTakeFirstOrThrow();
}
