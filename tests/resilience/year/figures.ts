import type { Client } from "pg";
import type { MadeNetwork } from "#main/demo/records/networks.ts";
import { firstScreens } from "#main/first-screens.ts";
import { makeAccount, type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { addressOf, signedIn } from "#tests/support/visitor.ts";
import type { SimulatedService } from "./simulated-service.ts";

export interface TableFigures {
  rows: number;
  bytes: number;
  /** Bytes of its indexes only. */
  indexBytes: number;
  deadRows: number;
  /** How full the leaves of its largest index are, in percent; null if unknown. */
  leafDensity: number | null;
}

/** The size of the database. */
export interface Figures {
  databaseBytes: number;
  tables: Map<string, TableFigures>;
}

export async function measureDatabase(client: Client): Promise<Figures> {
  const { rows } = await client.query<Record<string, string>>(`
    select c.oid::regclass::text as name, pg_total_relation_size(c.oid) as bytes,
      pg_indexes_size(c.oid) as index_bytes, pg_stat_get_dead_tuples(c.oid) as dead_rows,
      (select i.indexrelid::regclass::text from pg_index i
        join pg_class x on x.oid = i.indexrelid
        join pg_am m on m.oid = x.relam and m.amname = 'btree'
        where i.indrelid = c.oid order by pg_relation_size(i.indexrelid) desc limit 1) as largest_index,
      pg_database_size(current_database()) as database_bytes
    from pg_class c
    where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace)
    order by c.relname`);
  const tables = new Map<string, TableFigures>();
  for (const row of rows) {
    const name = row["name"] ?? "";
    tables.set(name, {
      rows: await oneNumber(client, `select count(*) from ${name}`),
      bytes: Number(row["bytes"]),
      indexBytes: Number(row["index_bytes"]),
      deadRows: Number(row["dead_rows"]),
      leafDensity: row["largest_index"]
        ? await oneNumber(
            client,
            `select avg_leaf_density from pgstatindex('${row["largest_index"]}')`,
          )
        : null,
    });
  }
  return { databaseBytes: Number(rows[0]?.["database_bytes"]), tables };
}

async function oneNumber(client: Client, query: string): Promise<number> {
  const { rows } = await client.query<Record<string, string>>(query);
  return Number(Object.values(rows[0] ?? {})[0]);
}

/** Time of the calls of each screen together, in milliseconds: the median of five, after a warm-up. */
export async function measureScreens(
  { app, client }: SimulatedService,
  network: MadeNetwork,
  attorney: MadeAttorney,
): Promise<Map<string, number>> {
  const expires = new Date(Date.now() + 10 * 365 * 86_400_000).toISOString();
  const admin = await signedIn(app, "admin", network, expires);
  const lawyer = await signedIn(app, attorney, network, expires);
  const lawyerActor = await makeAccount(app.db, network, attorney);
  const times = new Map<string, number>();
  for (const { path, file, calls } of firstScreens.screens) {
    const table = Object.entries(records).find(([words]) => path.source.includes(words))?.[1];
    if (!calls || (path.source.includes("(") && !table)) continue;
    const isLawyers = /dashboard|receipts/.test(path.source);
    const id = table ? await lastOf(client, table, isLawyers ? attorney : network) : "";
    if (id === null) continue;
    const visitor = isLawyers ? lawyer : admin;
    const urls = calls(isLawyers ? lawyerActor : network.admin, id).map(({ endpoint, ...asked }) =>
      addressOf(endpoint.path, asked),
    );
    const taken = [];
    for (let round = 0; round < 6; round += 1) {
      const begun = performance.now();
      for (const url of urls) {
        const { status, text } = await visitor.send("GET", url);
        if (status !== 200) throw new Error(`${url} answered ${status}: ${text}`);
      }
      if (round > 0) taken.push(performance.now() - begun);
    }
    times.set(file.replace(/^.*\/|\.tsx$/g, ""), taken.toSorted((a, b) => a - b)[2] ?? 0);
  }
  return times;
}

/** Whose record a screen shows, by words of its address. */
const records: Record<string, string> = {
  receipts: "payments",
  attorneys: "attorneys",
  matters: "matters",
  checks: "received_checks",
  plans: "plans",
  firms: "firms",
  deposits: "deposits",
};

/** The newest record of a network, or of one attorney. */
async function lastOf(
  client: Client,
  table: string,
  of: { id: number; networkId?: number },
): Promise<string | null> {
  const isAttorney = of.networkId !== undefined;
  const { rows } = await client.query<{ id: string }>(
    `select id from ${table} where network_id = $1 ${isAttorney ? "and attorney_id = $2" : ""}
     order by id desc limit 1`,
    isAttorney ? [of.networkId, of.id] : [of.id],
  );
  return rows[0]?.id ?? null;
}

/** Columns with a timestamp before the simulated year began: something read another clock. */
export async function stampsBefore(client: Client, instant: string): Promise<string[]> {
  const { rows } = await client.query<{ table: string; column: string }>(`
    select c.oid::regclass::text as table, quote_ident(a.attname) as column
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace)
      and a.atttypid = 'timestamptz'::regtype
    order by 1, 2`);
  const found = [];
  for (const { table, column } of rows) {
    const { rows: early } = await client.query(
      `select from ${table} where ${column} < $1 limit 1`,
      [instant],
    );
    if (early.length > 0) found.push(`${table}.${column}`);
  }
  return found;
}
