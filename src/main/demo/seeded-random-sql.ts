import { type RawBuilder, sql } from "kysely";

/** A pseudorandom number from 0 up to 1 in SQL, the same for the same seed and key. */
export function seededRandomSql(seed: number, key: RawBuilder<unknown>): RawBuilder<number> {
  return sql`(('x' || left(md5(${seed}::text || ':' || ${key}), 8))::bit(32)::bigint / 4294967296.0)`;
}
