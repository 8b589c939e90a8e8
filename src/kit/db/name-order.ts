import type pg from "pg";

/**
 * Rebuild the indexes in the order of names (collation `people`) if the operating system's ICU version differs from
 * the one they were built with, as after an upgrade: an index in another order misses rows. Runs in a transaction
 * of the database's owner. Answers the indexes; none if the version is the same.
 */
export async function rebuildNameOrder(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select i.indexrelid::regclass::text as name
    from pg_collation c
    join pg_depend d on d.refclassid = 'pg_collation'::regclass and d.refobjid = c.oid and d.classid = 'pg_class'::regclass
    join pg_index i on i.indexrelid = d.objid
    where c.oid = to_regcollation('people') and c.collversion is distinct from pg_collation_actual_version(c.oid)
    group by i.indexrelid order by name`);
  for (const { name } of rows) await client.query(`reindex index ${name}`);
  if (rows.length > 0) await client.query("alter collation people refresh version");
  return rows.map(({ name }) => name);
}
