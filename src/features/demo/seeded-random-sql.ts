import { type RawBuilder, sql } from "kysely";

/** From 0 up to 1, as good as random, the same for the same seed and key: for choices made in SQL. */
export function seededRandomSql(seed: number, key: RawBuilder<unknown>): RawBuilder<number> {
  return sql`(('x' || left(md5(${seed}::text || ':' || ${key}), 8))::bit(32)::bigint / 4294967296.0)`;
}
