import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { isServedElsewhere, isServedHere } from "#db/served-here.ts";
import { networkIsMoving, servedElsewhere } from "#http/errors.ts";

/**
 * Refuse what would write for a network that this cell does not serve, or not for now, before anything is
 * counted or used up by it. Throws 503.
 */
export async function refuseUnserved(db: Db, networkId: number): Promise<void> {
  const { rows } = await sql<{ isElsewhere: boolean }>`
    select ${isServedElsewhere("id")} as is_elsewhere from networks
    where id = ${networkId} and not ${isServedHere("id")}`.execute(db);
  const [unserved] = rows;
  if (unserved) throw unserved.isElsewhere ? servedElsewhere() : networkIsMoving();
}
