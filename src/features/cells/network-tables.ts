import type pg from "pg";

/** Where catalogs are read and statements run: a pool, or one connection. */
export type Connection = pg.Pool | pg.ClientBase;

/** A table with rows of networks. */
export interface NetworkTable {
  name: string;
  /** The column that says whose a row is: `network_id`, and `id` of the networks themselves. */
  networkColumn: "network_id" | "id";
  /** Of the primary key, in its order. */
  keyColumns: string[];
  /** Columns whose values a sequence gives, each with that sequence's name. */
  sequences: { column: string; sequence: string }[];
}

/** What each cell says of networks for itself: it is no part of them, neither guarded, copied nor removed. */
const ofTheCell = ["network_moves", "network_move_steps"];

/**
 * Every table that has rows of networks, from the catalog: children before their parents, so that rows
 * may be deleted in this order and inserted in its reverse; `networks` comes last.
 */
export async function networkTables(database: Connection): Promise<NetworkTable[]> {
  const { rows } = await database.query<NetworkTable & { parents: string[] }>(
    `select t.relname as name, a.attname as "networkColumn",
      array(select k.attname::text from pg_index x
        cross join unnest(x.indkey::int2[]) with ordinality as of_key (attnum, place)
        join pg_attribute k on k.attrelid = x.indrelid and k.attnum = of_key.attnum
        where x.indrelid = t.oid and x.indisprimary order by of_key.place) as "keyColumns",
      coalesce((select json_agg(json_build_object('column', s.attname,
            'sequence', pg_get_serial_sequence(t.oid::regclass::text, s.attname)) order by s.attnum)
        from pg_attribute s where s.attrelid = t.oid and not s.attisdropped
          and pg_get_serial_sequence(t.oid::regclass::text, s.attname) is not null), '[]') as sequences,
      array(select distinct p.relname::text from pg_constraint c join pg_class p on p.oid = c.confrelid
        where c.contype = 'f' and c.conrelid = t.oid and c.confrelid <> t.oid) as parents
    from pg_class t
    join pg_attribute a on a.attrelid = t.oid
      and a.attname = case t.relname when 'networks' then 'id' else 'network_id' end
    where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
      and t.relname <> all ($1::text[])
    order by t.relname`,
    [ofTheCell],
  );
  return childrenFirst(rows).map(({ parents: _, ...table }) => table);
}

function childrenFirst<Table extends { name: string; parents: string[] }>(
  tables: Table[],
): Table[] {
  const ordered: Table[] = [];
  let left = tables;
  while (left.length > 0) {
    const parents = new Set(left.flatMap((table) => table.parents));
    const free = left.filter(({ name }) => !parents.has(name));
    if (free.length === 0)
      throw new Error(
        `These tables refer to each other: ${left.map(({ name }) => name).join(", ")}.`,
      );
    ordered.push(...free);
    left = left.filter(({ name }) => parents.has(name));
  }
  return ordered;
}
