import type { RawBuilder } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Actor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import type { JsonRow, RawJson } from "#kit/db/json-query.ts";
import type { Attorney } from "#people/contract.ts";

/**
 * A change to an attorney is answered with the whole record. The record holds data of other features, so
 * the folder `attorney-record` imports them, and they are given this interface.
 */
export interface AttorneyRecord {
  /** Throws 404 for an attorney who is not the actor's. */
  show(tx: Db, actor: Actor, attorneyId: number, today: PlainDate): Promise<RawJson<Attorney>>;
  /** The query that finds the record; the attorney may also be given by a query of their id. */
  query(
    actor: Actor,
    attorneyId: number | RawBuilder<unknown>,
    today: PlainDate,
  ): RawBuilder<JsonRow<Attorney>>;
}
