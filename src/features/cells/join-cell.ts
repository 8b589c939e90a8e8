import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { StandaloneContext } from "#cli/command.ts";
import { UsageProblem } from "#cli/command-arguments.ts";
import { cellPublication, tablesOfRange } from "#db/cell-identity.ts";
import { newClient } from "#db/database.ts";
import { connectableAddress } from "#db/open-database.ts";
import { Refusal } from "#contract/refusal.ts";

/*
 * One cell hears of another's entries by a subscription to its publication, which has the other's own rows alone:
 * so nothing goes round in a circle, and each pair of cells is joined once from either side.
 */

/** This cell's database, for a role that may make subscriptions. */
const here = "SUBSCRIBER_DATABASE_URL";
/** The other cell's, for a role that may replicate and read its entries. This cell's PostgreSQL connects by it, too. */
const there = "OTHER_CELL_DATABASE_URL";

export const subscriptionFrom = (cell: string) =>
  `referral_network_from_${cell.replaceAll("-", "_")}`;
/** At the other cell, which keeps there what this one has not heard yet. */
const slotTo = (cell: string) => `referral_network_to_${cell.replaceAll("-", "_")}`;

interface CellOfDatabase {
  name: string;
  first: number;
  last: number;
}

export interface Joined {
  cell: string;
  other: string;
  entries: number;
  /** It was joined before: nothing was done. */
  isOld: boolean;
}

/** Throws a Refusal that says what is missing; nothing has been changed then. */
export async function joinCell(
  context: StandaloneContext,
  { isDryRun }: { isDryRun: boolean },
): Promise<Joined> {
  const url = addressIn(context, there);
  return await withClient(context, here, (own) =>
    withClient(context, there, async (other) => {
      const us = await cellOfDatabase(own, "This database");
      const they = await cellOfDatabase(other, `The database at ${there}`);
      refuseSameOrOverlapping(us, [they]);
      await refuseOverlapWithKnown(own, they);
      await refuseWithoutRights(own, other);
      await refuseSharedIds(own, us, other, they);
      const names = { cell: us.name, other: they.name };
      const entries = await countEntries(other, they.name);
      if (await isSubscribed(own, they.name)) return { ...names, entries, isOld: true };
      if (isDryRun) return { ...names, entries, isOld: false };
      context.progress(`Subscribing to ${they.name}`);
      await dropLeftSlot(other, us.name);
      await forgetEntries(own, they.name);
      await statement(
        own,
        `create subscription ${subscriptionFrom(they.name)} connection ${own.escapeLiteral(url)}
          publication ${cellPublication} with (slot_name = ${own.escapeLiteral(slotTo(us.name))})`,
      );
      await untilCopied(context, own, they.name, entries);
      return { ...names, entries: await countEntries(own, they.name), isOld: false };
    }),
  );
}

export interface Left {
  other: string;
  /** The other cell could not be told: this slot remains there, and keeps what was written since. */
  slotLeft: string | null;
}

/** Throws a Refusal where it is not joined, still has one of its networks' rows, or cannot be reached. */
export async function leaveCell(
  context: StandaloneContext,
  { other, isDryRun, isGone }: { other: string; isDryRun: boolean; isGone: boolean },
): Promise<Left> {
  return await withClient(context, here, async (own) => {
    const us = await cellOfDatabase(own, "This database");
    if (other === us.name) throw new Refusal(409, `${other} is this cell itself.`);
    const { rows } = await own.query<{ id: string }>(
      `select n.id::text from networks n join directory d on d.kind = 'network' and d.key = n.id::text and d.cell = $1
        where not exists (select from directory o where o.kind = 'network' and o.key = d.key and o.cell = $2) limit 1`,
      [other, us.name],
    );
    if (rows[0])
      throw new Refusal(
        409,
        `Network ${rows[0].id} was moved to ${other}, and its rows are still here: remove them first.`,
      );
    const subscribed = await isSubscribed(own, other);
    if (!subscribed && (await countEntries(own, other)) === 0)
      throw new Refusal(404, `This cell is not joined with ${other}.`);
    const slotLeft = isGone && subscribed ? slotTo(us.name) : null;
    if (isDryRun) return { other, slotLeft };
    context.progress(`Leaving ${other}`);
    if (subscribed) {
      const name = subscriptionFrom(other);
      if (isGone) {
        await statement(own, `alter subscription ${name} disable`);
        await statement(own, `alter subscription ${name} set (slot_name = none)`);
      }
      await statement(
        own,
        `drop subscription ${name}`,
        `If ${other} is gone for good, add --gone.`,
      );
    }
    await forgetEntries(own, other);
    return { other, slotLeft };
  });
}

function addressIn({ environment }: StandaloneContext, variable: string): string {
  const owners = environment["MIGRATE_DATABASE_URL"] ?? environment["DATABASE_URL"];
  const url = environment[variable] ?? (variable === here ? owners : undefined);
  if (url && /^postgres(ql)?:\/\//.test(url)) return url;
  throw new UsageProblem(`${variable} is not set to an address that begins with postgres://.`);
}

async function withClient<Answer>(
  context: StandaloneContext,
  variable: string,
  work: (client: pg.Client) => Promise<Answer>,
): Promise<Answer> {
  const address = await connectableAddress(addressIn(context, variable), variable);
  const client = newClient(address, "cells", { statementMs: 60_000 });
  client.on("error", () => undefined); // the statement that runs then fails
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function cellOfDatabase(client: pg.Client, named: string): Promise<CellOfDatabase> {
  const { rows: tables } = await client.query<{ there: boolean; readable: boolean | null }>(
    `select to_regclass('directory') is not null as there,
      has_any_column_privilege(to_regclass('installation'), 'select')
        and has_table_privilege(to_regclass('cells'), 'select')
        and has_table_privilege(to_regclass('directory'), 'select') as readable`,
  );
  if (!tables[0]?.there)
    throw new Refusal(409, `${named} has no directory: bring it up to date with migrate.`);
  if (!tables[0].readable)
    throw new Refusal(
      403,
      `${named} does not let this role read installation, cells and directory: grant it select on them (docs/operations.md, "The directory").`,
    );
  const { rows } = await client.query<{ name: string; first: string; last: string; wal: string }>(
    `select cell as name, first_id as first, last_id as last, current_setting('wal_level') as wal
      from installation where cell is not null`,
  );
  const [found] = rows;
  if (!found)
    throw new Refusal(409, `${named} is no cell: give it CELL and ID_RANGE, and run migrate.`);
  if (found.wal !== "logical")
    throw new Refusal(
      409,
      `${named} does not say in its log what changes (wal_level is ${found.wal}): set wal_level to logical in PostgreSQL and restart it.`,
    );
  return { name: found.name, first: Number(found.first), last: Number(found.last) };
}

function refuseSameOrOverlapping(us: CellOfDatabase, others: CellOfDatabase[]): void {
  for (const other of others) {
    if (other.name === us.name)
      throw new Refusal(409, `Both cells are called ${us.name}: each needs a name of its own.`);
    if (us.first <= other.last && other.first <= us.last)
      throw new Refusal(
        409,
        `The ids ${us.first}-${us.last} of ${us.name} and ${other.first}-${other.last} of ${other.name} overlap: they would give the same id twice.`,
      );
  }
}

/** Those that are known here already, and are others than the one that is joined. */
async function refuseOverlapWithKnown(own: pg.Client, joined: CellOfDatabase): Promise<void> {
  const { rows } = await own.query<{ name: string; first: string; last: string }>(
    "select name, first_id as first, last_id as last from cells where name <> $1",
    [joined.name],
  );
  const known = rows.map(({ name, first, last }) => ({
    name,
    first: Number(first),
    last: Number(last),
  }));
  refuseSameOrOverlapping(joined, known);
}

/**
 * A cell may hold ids of the other's range: of networks that were moved there, which the other has given. What it
 * has not given yet it would give again. The other cell looks the same way round when it joins.
 */
async function refuseSharedIds(
  holder: pg.Client,
  { name }: CellOfDatabase,
  giver: pg.Client,
  { name: giverName, first, last }: CellOfDatabase,
): Promise<void> {
  for (const table of tablesOfRange) {
    const { rows: held } = await holder.query<{ id: string | null }>(
      `select max(id)::text as id from ${table} where id between $1 and $2`,
      [first, last],
    );
    const greatest = held[0]?.id;
    if (!greatest) continue;
    const { rows: given } = await giver.query<{ id: string }>(
      `select coalesce(pg_sequence_last_value(pg_get_serial_sequence('${table}', 'id')::regclass), 0)::text as id`,
    );
    if (Number(greatest) > Number(given[0]?.id))
      throw new Refusal(
        409,
        `${name} has the id ${greatest} in ${table}, which ${giverName} will give again: it lies within ${first}-${last}.`,
      );
  }
}

async function refuseWithoutRights(own: pg.Client, other: pg.Client): Promise<void> {
  const { rows: mine } = await own.query<{ role: string; may: boolean }>(
    `select r.rolname as role, r.rolsuper or exists (
        select from pg_roles p where p.rolname = 'pg_create_subscription' and pg_has_role(p.oid, 'usage')) as may
      from pg_roles r where r.rolname = current_user`,
  );
  if (!mine[0]?.may)
    throw new Refusal(
      403,
      `The role ${mine[0]?.role} may not make subscriptions: give ${here} the address of a superuser or, from PostgreSQL 16 on, of a member of pg_create_subscription.`,
    );
  const { rows: theirs } = await other.query<{ role: string; may: boolean }>(
    `select r.rolname as role, r.rolsuper or r.rolreplication
        and (select bool_and(has_sequence_privilege(pg_get_serial_sequence(ranged, 'id'), 'select'))
          from unnest($1::text[]) as ranged) as may
      from pg_roles r where r.rolname = current_user`,
    [tablesOfRange],
  );
  if (!theirs[0]?.may)
    throw new Refusal(
      403,
      `The role ${theirs[0]?.role} of ${there} may not replicate: it needs the attribute replication, and the right to read all sequences.`,
    );
  const { rows: published } = await other.query("select from pg_publication where pubname = $1", [
    cellPublication,
  ]);
  if (published.length === 0)
    throw new Refusal(409, `The other cell publishes nothing yet: run migrate there.`);
}

async function countEntries(client: pg.Client, cell: string): Promise<number> {
  const { rows } = await client.query<{ entries: number }>(
    "select count(*)::int as entries from directory where cell = $1",
    [cell],
  );
  return rows[0]?.entries ?? 0;
}

async function isSubscribed(own: pg.Client, other: string): Promise<boolean> {
  const { rows } = await own.query(
    `select from pg_subscription where subname = $1
      and subdbid = (select oid from pg_database where datname = current_database())`,
    [subscriptionFrom(other)],
  );
  return rows.length > 0;
}

/** Of a join that was killed, or of a cell that was called so before: nobody reads it. */
async function dropLeftSlot(other: pg.Client, us: string): Promise<void> {
  await other.query(
    "select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1 and not active",
    [slotTo(us)],
  );
}

/** The subscription copies them anew. */
async function forgetEntries(own: pg.Client, other: string): Promise<void> {
  await own.query("begin");
  await own.query("delete from directory where cell = $1", [other]);
  await own.query("delete from cells where name = $1", [other]);
  await own.query("commit");
}

/** What PostgreSQL says is a reason, not a fault of ours. */
async function statement(own: pg.Client, text: string, hint = ""): Promise<void> {
  try {
    await own.query(text);
  } catch (problem) {
    if (!(problem instanceof pg.DatabaseError)) throw problem;
    const [reason = ""] = problem.message.replaceAll(/postgres(ql)?:\/\/\S+/g, "…").split("\n");
    throw new Refusal(409, `PostgreSQL refused: ${reason}. ${hint}`.trim());
  }
}

/** The copy goes on by itself, whoever waits for it. */
async function untilCopied(
  { progress }: StandaloneContext,
  own: pg.Client,
  other: string,
  expected: number,
): Promise<void> {
  for (;;) {
    const { rows } = await own.query(
      `select from pg_subscription_rel r join pg_subscription s on s.oid = r.srsubid
        where s.subname = $1 and r.srsubstate not in ('r', 's')`,
      [subscriptionFrom(other)],
    );
    if (rows.length === 0) return;
    const { rows: failed } = await own.query(
      "select from pg_stat_subscription_stats where subname = $1 and sync_error_count > 0",
      [subscriptionFrom(other)],
    );
    if (failed.length > 0)
      throw new Refusal(
        500,
        `PostgreSQL could not copy the entries of ${other}, and goes on trying: its log says why.`,
      );
    const share = (await countEntries(own, other)) / Math.max(expected, 1);
    progress(`Copying the entries of ${other}`, Math.min(share, 1));
    await pause(200);
  }
}
