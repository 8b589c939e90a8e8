import pg from "pg";
import { tablesOfRange } from "#db/cell-identity.ts";
import { findMove } from "#features/cells/network-moves.ts";
import type { End, Ends } from "#features/cells/move-ends.ts";
import { movedTables, slotOf } from "#features/cells/network-replication.ts";
import { allSecrets } from "#features/cards/settings/encrypted-secrets.ts";

/*
 * What stands in the way of moving a network, each in a sentence that says what to do. Nothing is changed.
 */

export async function obstaclesOf(ends: Ends): Promise<string[]> {
  const begun = await ofMove(ends);
  if (begun.length > 0) return begun;
  const found = [
    ...(await ofSettings(ends)),
    ...(await ofRights(ends)),
    ...(await ofRanges(ends)),
    ...(await ofNetwork(ends)),
  ];
  return found.length > 0 ? found : [...(await ofKeys(ends)), ...(await ofSecrets(ends))];
}

/** What the network is doing already. */
async function ofMove({ source, target, networkId }: Ends): Promise<string[]> {
  const move = await findMove(source.db, networkId);
  if (move === null) return [];
  const { direction, state, peer } = move;
  if (direction === "in")
    return [
      `Network ${networkId} is on its way here from ${peer} (${state}): finish that there, or call it off there.`,
    ];
  if (state === "removing")
    return [
      `Network ${networkId} was moved to ${peer}, and is being removed here: finish that with remove-moved-network ${networkId}.`,
    ];
  const is = state === "moved" ? "was moved" : "is being moved";
  if (peer !== target.name)
    return [`Network ${networkId} ${is} to ${peer}, and --to leads to ${target.name}.`];
  return state === "moved"
    ? [
        `Network ${networkId} was moved to ${peer} before: given once more, the command only finishes what may be left of that.`,
      ]
    : [];
}

interface Settings {
  walLevel: string;
  slots: number;
  senders: number;
  origins: number;
  workers: number;
}

async function settingsOf({ pool }: End): Promise<Settings> {
  const { rows } = await pool.query<Settings>(`
    select current_setting('wal_level') as "walLevel",
      current_setting('max_replication_slots')::int - (select count(*) from pg_replication_slots)::int as slots,
      current_setting('max_wal_senders')::int - (select count(*) from pg_stat_replication)::int as senders,
      coalesce(current_setting('max_active_replication_origins', true), current_setting('max_replication_slots'))::int
        - (select count(*) from pg_replication_origin)::int as origins,
      least(current_setting('max_logical_replication_workers'), current_setting('max_worker_processes'))::int
        - (select count(*) from pg_stat_subscription where pid is not null)::int as workers`);
  const [found] = rows;
  if (!found) throw new Error("a server knows its settings");
  return found;
}

/** One for the network, and two for the tables that are copied at a time. */
const atOnce = 3;

async function ofSettings(ends: Ends): Promise<string[]> {
  const { source, target, networkId } = ends;
  const here = await settingsOf(source);
  const there = await settingsOf(target);
  const obstacles: string[] = [];
  if (here.walLevel !== "logical")
    obstacles.push(
      `The database of ${source.name} does not say in its log what changes (wal_level is ${here.walLevel}): set wal_level to logical in PostgreSQL and restart it.`,
    );
  if (await findMove(source.db, networkId)) return obstacles; // it has its slots already
  if (here.slots < atOnce || here.senders < atOnce)
    obstacles.push(
      `PostgreSQL of ${source.name} has too few free replication slots (${here.slots}) or senders (${here.senders}): ${atOnce} are needed; raise max_replication_slots and max_wal_senders.`,
    );
  if (there.origins < atOnce || there.workers < atOnce)
    obstacles.push(
      `PostgreSQL of ${target.name} can follow too few others (${Math.min(there.origins, there.workers)} more): ${atOnce} are needed; raise max_logical_replication_workers, max_worker_processes and max_replication_slots (from 18 on max_active_replication_origins).`,
    );
  return obstacles;
}

async function ofRights({ source, target, publisherUrl }: Ends): Promise<string[]> {
  const obstacles: string[] = [];
  const { rows: mine } = await source.pool.query<{ role: string; may: boolean; creates: boolean }>(
    `select quote_ident(rolname) as role, rolsuper or rolreplication as may,
        has_database_privilege(current_database(), 'create') as creates
      from pg_roles where rolname = current_user`,
  );
  if (!mine[0]?.may)
    obstacles.push(
      `The role ${mine[0]?.role} of ${source.name} may not replicate: alter role ${mine[0]?.role} replication.`,
    );
  if (!mine[0]?.creates)
    obstacles.push(
      `The role ${mine[0]?.role} of ${source.name} may not make a publication: grant it create on the database.`,
    );
  const { rows: theirs } = await target.pool.query<{
    role: string;
    version: number;
    isSuperuser: boolean;
    isMember: boolean;
    creates: boolean;
  }>(
    `select quote_ident(rolname) as role, current_setting('server_version_num')::int / 10000 as version,
        rolsuper as "isSuperuser", has_database_privilege(current_database(), 'create') as creates,
        exists (select from pg_roles p where p.rolname = 'pg_create_subscription' and pg_has_role(p.oid, 'usage'))
          as "isMember"
      from pg_roles where rolname = current_user`,
  );
  const [there] = theirs;
  if (!there || there.isSuperuser) return obstacles;
  if (there.version < 16)
    obstacles.push(
      `The role ${there.role} of --to may not make subscriptions, which in PostgreSQL ${there.version} superusers alone may: give --to the address of one.`,
    );
  else if (!there.isMember || !there.creates)
    obstacles.push(
      `The role ${there.role} of --to may not make subscriptions: grant it pg_create_subscription, and create on the database.`,
    );
  else if (new URL(publisherUrl).password === "")
    obstacles.push(
      "PUBLISHER_DATABASE_URL has no password, and only superusers make subscriptions without one.",
    );
  return obstacles;
}

/** Without ranges, each cell gives ids that the other has given; with them, the networks of both stay apart. */
async function ofRanges({ source, target }: Ends): Promise<string[]> {
  const [here, there] = await Promise.all(
    [source, target].map(async ({ pool }) => {
      const { rows } = await pool.query<{ first: string | null; last: string | null }>(
        "select first_id::text as first, last_id::text as last from installation",
      );
      return { first: Number(rows[0]?.first ?? 1), last: Number(rows[0]?.last ?? Infinity) };
    }),
  );
  if (!here || !there || here.first > there.last || there.first > here.last) return [];
  const text = ({ first, last }: { first: number; last: number }) =>
    last === Infinity ? "all ids" : `${first}-${last}`;
  return [
    `The ids that ${source.name} gives (${text(here)}) and those that ${target.name} gives (${text(there)}) overlap: give a new cell an ID_RANGE of its own.`,
  ];
}

async function ofNetwork({ source, target, networkId }: Ends): Promise<string[]> {
  const isIn = async ({ pool }: End) =>
    Boolean((await pool.query("select from networks where id = $1", [networkId])).rowCount);
  if (!(await isIn(source))) return [`There is no network ${networkId} in ${source.name}.`];
  const move = await findMove(target.db, networkId);
  if (move === null)
    return (await isIn(target)) ? [`${target.name} has a network ${networkId} of its own.`] : [];
  if (move.direction === "out")
    return [
      `Network ${networkId} was moved from ${target.name} before, and its rows are there still: run remove-moved-network ${networkId} there first.`,
    ];
  if (move.state === "removing")
    return [
      `What ${target.name} has of network ${networkId} is being removed: finish that with --call-off first.`,
    ];
  return [];
}

interface Key {
  table: string;
  networkColumn: string;
  name: string;
  columns: string[];
}

/** Keys without the network: what another network of the target has already could not arrive there. */
async function ofKeys(ends: Ends): Promise<string[]> {
  const { source, target, networkId } = ends;
  const obstacles: string[] = [];
  for (const { table, networkColumn, name, columns } of await keysWithoutNetwork(ends)) {
    const value = columns
      .map((column) => `${pg.escapeIdentifier(column)}::text`)
      .join(" || ' ' || ");
    const from = pg.escapeIdentifier(table);
    const { rows: ours } = await source.pool.query<{ value: string }>(
      `select ${value} as value from ${from} where ${networkColumn} = $1 and ${value} is not null`,
      [networkId],
    );
    const { rows: taken } = await target.pool.query<{ value: string }>(
      `select ${value} as value from ${from}
        where ${networkColumn} <> $1 and ${value} = any ($2) order by 1 limit 3`,
      [networkId, ours.map((row) => row.value)],
    );
    if (taken.length > 0)
      obstacles.push(
        `${target.name} has in ${table} what network ${networkId} has too (${name}): ${
          isTold(columns) ? taken.map((row) => row.value).join(", ") : "secrets, not shown"
        }. Change or remove it in one of the two.`,
      );
  }
  return obstacles;
}

const isTold = (columns: string[]) => columns.every((column) => /^(id|email|.*_id)$/.test(column));

async function keysWithoutNetwork(ends: Ends): Promise<Key[]> {
  const tables = await movedTables(ends.source);
  const { rows } = await ends.source.pool.query<Omit<Key, "networkColumn">>(
    `select t.relname as "table", i.relname as name, array(
        select a.attname::text from unnest(x.indkey::smallint[]) as k
        join pg_attribute a on a.attrelid = t.oid and a.attnum = k) as columns
      from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
      where x.indisunique and t.relnamespace = 'public'::regnamespace and t.relname = any ($1)`,
    [tables.map(({ name }) => name).filter((name) => name !== "networks")],
  );
  return rows
    .filter(({ columns }) => !columns.includes("network_id"))
    .map((key) => ({ ...key, networkColumn: "network_id" }));
}

/** The other cell encrypts them anew: each must open first. */
async function ofSecrets({ source, networkId }: Ends): Promise<string[]> {
  const obstacles: string[] = [];
  for (const one of await allSecrets(source.db, networkId))
    if ((await one.decrypt(source.secret)) === null)
      obstacles.push(`APP_SECRET does not open ${one.what}: enter that again, or remove it.`);
  return obstacles;
}

/** What would be moved, for --dry-run. */
export interface Contents {
  tables: { table: string; rows: number }[];
  slot: string;
}

export async function contentsOf(ends: Ends): Promise<Contents> {
  const tables = await rowsByTable(ends.source, ends.networkId);
  return { tables, slot: await slotOf(ends) };
}

export async function rowsByTable(cell: End, networkId: number): Promise<Contents["tables"]> {
  const tables: Contents["tables"] = [];
  for (const { name, networkColumn } of await movedTables(cell)) {
    const { rows } = await cell.pool.query<{ count: string }>(
      `select count(*)::text as count from ${pg.escapeIdentifier(name)} where ${networkColumn} = $1`,
      [networkId],
    );
    tables.push({ table: name, rows: Number(rows[0]?.count) });
  }
  return tables;
}

/** Ids of these are of the cell's range: the counters of others must go on after what has arrived. */
export const isOfRange = (table: string): boolean => tablesOfRange.includes(table);
