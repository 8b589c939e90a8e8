import type pg from "pg";

/** A table with rows of networks. */
export interface NetworkTable {
  name: string;
  /** The column with the network of a row: `network_id`, or `id` of the networks themselves. */
  networkColumn: "network_id" | "id";
  /** The sequences of its columns. */
  sequences: string[];
}

/** Every table with rows of networks, from the catalog, so that none can be forgotten. */
export async function networkTables(database: pg.Pool | pg.ClientBase): Promise<NetworkTable[]> {
  const { rows } = await database.query<NetworkTable>(
    `select t.relname as name, a.attname as "networkColumn",
      array(select pg_get_serial_sequence(t.oid::regclass::text, s.attname) from pg_attribute s
        where s.attrelid = t.oid and s.attnum > 0 and not s.attisdropped
          and pg_get_serial_sequence(t.oid::regclass::text, s.attname) is not null) as sequences
    from pg_class t
    join pg_attribute a on a.attrelid = t.oid
      and a.attname = case t.relname when 'networks' then 'id' else 'network_id' end
    where t.relnamespace = 'public'::regnamespace and t.relkind = 'r'
    order by t.relname`,
  );
  return rows;
}
