import { type RawBuilder, sql } from "kysely";
import type { Db } from "#kit/db/database.ts";

/** Which rows of a table are due, and what taking them changes. Names are the database's. */
export interface Due {
  table: string;
  /** Names a row, beside its network. */
  id?: string;
  /** The column that says when a row is due. */
  at: string;
  /** The order of those due at the same instant, where it matters; an index must have it. */
  thenBy?: string;
  /** The column that counts how often a row was taken. */
  counter?: string;
  where: RawBuilder<unknown>;
  /** For how long nobody else takes a row; longer than work on it lasts. The row is `taken`, as it was before. */
  pause: RawBuilder<unknown>;
  /** More tables, each `join … on …`: a row that finds none there (its own columns: `due`) is not taken. */
  join?: RawBuilder<unknown>;
  returning: RawBuilder<unknown>;
}

/**
 * Take up to `limit` rows that are due at the instant `now`, the longest due first; answers them. All work that waits
 * in a table of ours is taken so, by any number of workers: the statement that takes a row also says when it is due
 * again, and passes over those that another one takes. So no row is two workers' at once, nobody waits for anybody,
 * and what a killed worker had taken comes back by itself (docs/decisions/038-one-queue.md).
 */
export async function takeDue<Row>(
  db: Db,
  due: Due,
  { limit, now = sql`now()` }: { limit: number; now?: RawBuilder<unknown> },
): Promise<Row[]> {
  const { where, pause, join = sql``, returning } = due;
  const [table, id, at] = [sql.table(due.table), sql.ref(due.id ?? "id"), sql.ref(due.at)];
  const counter = due.counter === undefined ? null : sql.ref(due.counter);
  const { rows } = await sql<Row>`
    with due as materialized (
      select * from ${table} where ${where} and ${at} <= ${now}
      order by ${at} ${due.thenBy === undefined ? sql`` : sql`, ${sql.ref(due.thenBy)}`}
      limit ${limit} for update skip locked
    )
    update ${table} taken
    set ${counter ? sql`${counter} = taken.${counter} + 1,` : sql``} ${at} = ${now} + ${pause}
    from due ${join}
    where taken.network_id = due.network_id and taken.${id} = due.${id}
    returning ${returning}`.execute(db);
  return rows;
}
