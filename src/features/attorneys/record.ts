import type { RawBuilder } from "kysely";
import type { PlainDate } from "#domain/calendar.ts";
import type { Actor } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import type { RawJson } from "#db/json-query.ts";

/**
 * What a change to an attorney is answered with: the whole record as it now is. It holds what other
 * features keep, so the folder `attorney-record` stands above them, and they are given this.
 */
export interface AttorneyRecord {
  /** Throws 404 for an attorney who is not the actor's. */
  show(tx: Db, actor: Actor, attorneyId: number, today: PlainDate): Promise<RawJson>;
  /** The query that finds the record; the attorney may also be named by a query of their id. */
  query(
    actor: Actor,
    attorneyId: number | RawBuilder<unknown>,
    today: PlainDate,
  ): RawBuilder<{ body: string }>;
}
