import { type RawBuilder, sql } from "kysely";
import type { Db } from "#kit/db/database.ts";

/** Which rows of a table are due, and what taking them changes. Names are the database's. */
export interface Due {
  table: string;
  /** Identifies a row, with its network. */
  id?: string;
  /** The column that says when a row is due. */
  at: string;
  /** The order of rows due at the same instant, if it matters. An index must have it. */
  thenBy?: string;
  /** The column that counts how often a row was taken. */
  counter?: string;
  where: RawBuilder<unknown>;
  /** How long no one else takes a row: longer than the work on it. The row is `taken`, as it was before. */
  pause: RawBuilder<unknown>;
  /** More tables, each `join … on …`. A row (its own columns: `due`) without a match there is not taken. */
  join?: RawBuilder<unknown>;
  returning: RawBuilder<unknown>;
}

/**
 * Take up to `limit` rows that are due at the instant `now`, longest due first, and answer them. All waiting work
 * in our tables is taken this way, by any number of workers. The statement that takes a row also sets when it is
 * next due, and skips rows that another one is taking. So two workers never have the same row, no one waits, and
 * the rows of a killed worker come back automatically (docs/decisions/038-one-queue.md).
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
