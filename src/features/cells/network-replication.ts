import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { Refusal } from "#contract/refusal.ts";
import { isLostConnection } from "#db/lost-connection.ts";
import type { End, Ends } from "#features/cells/move-ends.ts";
import { type NetworkTable, networkTables } from "#features/cells/network-tables.ts";

/*
 * The rows of one network follow from one cell into the other by PostgreSQL's own logical replication: a
 * publication with row filters and a slot in the source, a subscription in the target. Each is named for the
 * network, made once, and dropped by the move's end or its calling off.
 */

/** People sign in again: the other cell's key signs other cookies, and a session's row alone lets nobody in. */
const notMoved = ["sessions"];

/** The tables whose rows move, parents first. */
export async function movedTables(source: End): Promise<NetworkTable[]> {
  const tables = await networkTables(source.pool);
  return tables.filter(({ name }) => !notMoved.includes(name)).toReversed();
}

/** The same for publication and subscription; the slot has the database in it, since a server's share one list. */
export const publicationOf = (networkId: number) => `referral_network_move_${networkId}`;

export async function slotOf({ source, networkId }: Ends | SourceOnly): Promise<string> {
  const { rows } = await source.client.query<{ oid: string }>(
    "select oid::text from pg_database where datname = current_database()",
  );
  return `${publicationOf(networkId)}_of_${rows[0]?.oid}`;
}

type SourceOnly = Pick<Ends, "source" | "networkId">;

/**
 * Have the target copy the network's rows and follow what changes. What is there already is left as it is:
 * killed at any moment this can be run again. Throws 409 where the slot has been lost after the copy began.
 */
export async function beginReplication(ends: Ends): Promise<void> {
  const { source, target, networkId } = ends;
  const name = publicationOf(networkId);
  const slot = await slotOf(ends);
  await publish(source, networkId);
  const isSubscribed = await hasSubscription(target, networkId);
  const state = await slotState(source, slot);
  if (isSubscribed && (state === null || state === "lost"))
    throw new Refusal(
      409,
      `The replication slot ${slot} of this cell was lost: call the move off (--call-off), then begin again.`,
    );
  if (state === "lost") await dropSlots(source, [slot]);
  if (state === null || state === "lost")
    await source.client.query("select pg_create_logical_replication_slot($1, 'pgoutput')", [slot]);
  if (isSubscribed) {
    await target.client.query(`alter subscription ${name} enable`);
    return;
  }
  // The address may have a password in it: a superuser's statement is not logged.
  await target.client.query("set log_statement = 'none'").catch(() => undefined);
  await explained(
    target.client,
    `create subscription ${name} connection ${target.client.escapeLiteral(ends.publisherUrl)} publication ${name}
      with (create_slot = false, slot_name = ${slot}, copy_data = true, enabled = true)`,
  );
}

async function publish(source: End, networkId: number): Promise<void> {
  const name = publicationOf(networkId);
  const { rowCount } = await source.client.query("select from pg_publication where pubname = $1", [
    name,
  ]);
  if (rowCount) return;
  const tables = (await movedTables(source)).map(
    (table) =>
      `table ${pg.escapeIdentifier(table.name)} where (${table.networkColumn} = ${networkId})`,
  );
  // Without truncate, which has no row filter: it would empty the other cell's table.
  await explained(
    source.client,
    `create publication ${name} for ${tables.join(", ")} with (publish = 'insert, update, delete')`,
  );
}

async function slotState(source: End, slot: string): Promise<string | null> {
  const { rows } = await source.client.query<{ state: string }>(
    "select coalesce(wal_status, 'reserved') as state from pg_replication_slots where slot_name = $1",
    [slot],
  );
  return rows[0]?.state ?? null;
}

async function hasSubscription(target: End, networkId: number): Promise<boolean> {
  return (await subscriptionId(target, networkId)) !== null;
}

async function subscriptionId(target: End, networkId: number): Promise<string | null> {
  const { rows } = await target.client.query<{ oid: string }>(
    `select oid::text from pg_subscription where subname = $1
      and subdbid = (select oid from pg_database where datname = current_database())`,
    [publicationOf(networkId)],
  );
  return rows[0]?.oid ?? null;
}

/** Errors that the target's PostgreSQL has met and tried again after; more of them than this are no accident. */
const errorsAtMost = 5;

/** Wait until every table is copied and what is written in the source follows closely. */
export async function untilFollowed(
  ends: Ends,
  progress: (doing: string, share?: number) => void,
): Promise<void> {
  const before = await errorsOf(ends);
  for (;;) {
    const { tables, ready } = await copied(ends);
    const lag = await lagOf(ends);
    if (tables > 0 && ready === tables && lag !== null && lag <= closeBytes) return;
    if (ready < tables) progress(`Copied ${ready} of ${tables} tables`, ready / tables);
    else progress(`Following, ${((lag ?? 0) / 1_000_000).toFixed(1)} MB behind`);
    if ((await errorsOf(ends)) - before > errorsAtMost)
      throw new Refusal(
        500,
        "PostgreSQL of the other cell could not take the rows, several times: its log says why. The network is served here as before. Mend it and run the command again, or call the move off.",
      );
    await pause(200);
  }
}

/** So much is replayed in a fraction of a second. */
const closeBytes = 2_000_000;

async function copied({ target, networkId }: Ends): Promise<{ tables: number; ready: number }> {
  const { rows } = await target.pool.query<{ tables: number; ready: number }>(
    `select count(*)::int as tables, (count(*) filter (where srsubstate = 'r'))::int as ready
      from pg_subscription_rel r join pg_subscription s on s.oid = r.srsubid where s.subname = $1
        and s.subdbid = (select oid from pg_database where datname = current_database())`,
    [publicationOf(networkId)],
  );
  return rows[0] ?? { tables: 0, ready: 0 };
}

/** How many bytes of the source's log the target has not confirmed yet; null without a slot. */
async function lagOf(ends: Ends): Promise<number | null> {
  const { rows } = await ends.source.pool.query<{ lag: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::text as lag
      from pg_replication_slots where slot_name = $1`,
    [await slotOf(ends)],
  );
  return rows[0] ? Number(rows[0].lag) : null;
}

async function errorsOf({ target, networkId }: Ends): Promise<number> {
  const { rows } = await target.pool.query<{ errors: number }>(
    `select (apply_error_count + sync_error_count)::int as errors from pg_stat_subscription_stats
      where subname = $1`,
    [publicationOf(networkId)],
  );
  return rows[0]?.errors ?? 0;
}

/** Wait until all that the source has written up to now is on the target's disk. Throws 409 after `timeoutMs`. */
export async function untilConfirmed(ends: Ends, timeoutMs: number): Promise<void> {
  const slot = await slotOf(ends);
  // A commit of its own flushes everything before it.
  await ends.source.client.query(
    "select pg_logical_emit_message(true, 'referral_network_move', '')",
  );
  const { rows } = await ends.source.client.query<{ lsn: string }>(
    "select pg_current_wal_flush_lsn()::text as lsn",
  );
  const until = performance.now() + timeoutMs;
  for (;;) {
    const { rowCount } = await ends.source.client.query(
      "select from pg_replication_slots where slot_name = $1 and confirmed_flush_lsn >= $2::pg_lsn",
      [slot, rows[0]?.lsn],
    );
    if (rowCount) return;
    if (performance.now() > until)
      throw new Refusal(
        409,
        `The other cell has not confirmed within ${timeoutMs / 1000} s what was written here: is its PostgreSQL busy or gone?`,
      );
    await pause(20);
  }
}

/** Nothing of the source arrives from here on; the rows that came stay. */
export async function stopFollowing({ target, networkId }: FromTarget): Promise<void> {
  if (await hasSubscription(target, networkId))
    await target.client.query(`alter subscription ${publicationOf(networkId)} disable`);
}

type FromTarget = Pick<Ends, "target" | "networkId">;

/** Drop the subscription, and what keeps the source's log for it. Killed at any moment it can be run again. */
export async function endReplication(ends: SourceOnly & FromTarget): Promise<void> {
  const { source, target, networkId } = ends;
  const slots = await slotsOfCopies(source, target, networkId);
  if (await hasSubscription(target, networkId)) {
    const name = publicationOf(networkId);
    await stopFollowing(ends);
    // The slot is dropped in the source: so this works also where the target reaches the source no more.
    await target.client.query(`alter subscription ${name} set (slot_name = none)`);
    await target.client.query(`drop subscription ${name}`);
  }
  await unpublish(ends, slots);
}

/** What keeps the source's log for the target; whoever reads it is cut off. */
export async function unpublish(ends: SourceOnly, slotsOfTables: string[] = []): Promise<void> {
  const { source, networkId } = ends;
  await dropSlots(source, [await slotOf(ends), ...slotsOfTables]);
  await source.client.query(`drop publication if exists ${publicationOf(networkId)}`);
}

/** While a table is copied, PostgreSQL makes a slot for it: pg_SUBSCRIPTION_sync_TABLE_SYSTEM. */
async function slotsOfCopies(source: End, target: End, networkId: number): Promise<string[]> {
  const subscription = await subscriptionId(target, networkId);
  if (subscription === null) return [];
  const { rows: systems } = await target.client.query<{ id: string }>(
    "select system_identifier::text as id from pg_control_system()",
  );
  const { rows } = await source.client.query<{ slot: string }>(
    `select slot_name as slot from pg_replication_slots
      where slot_name ~ $1 and database = current_database()`,
    [`^pg_${subscription}_sync_\\d+_${systems[0]?.id}$`],
  );
  return rows.map(({ slot }) => slot);
}

async function dropSlots(source: End, slots: string[]): Promise<void> {
  for (;;) {
    const { rows } = await source.client.query<{ slot: string; pid: number | null }>(
      "select slot_name as slot, active_pid as pid from pg_replication_slots where slot_name = any ($1)",
      [slots],
    );
    if (rows.length === 0) return;
    for (const { slot, pid } of rows) {
      if (pid !== null) await source.client.query("select pg_terminate_backend($1)", [pid]);
      await source.client.query("select pg_drop_replication_slot($1)", [slot]).catch((problem) => {
        if (!isInUse(problem) && !isGone(problem)) throw problem;
      });
    }
    await pause(50);
  }
}

const isInUse = (problem: unknown) =>
  problem instanceof pg.DatabaseError && problem.code === "55006";
const isGone = (problem: unknown) =>
  problem instanceof pg.DatabaseError && problem.code === "42704";

/** What PostgreSQL says is a reason, not a fault of ours. */
async function explained(client: pg.Client, statement: string): Promise<void> {
  try {
    await client.query(statement);
  } catch (problem) {
    if (!(problem instanceof pg.DatabaseError) || isLostConnection(problem)) throw problem;
    throw new Refusal(
      409,
      `PostgreSQL refused: ${problem.message.replaceAll(/postgres(ql)?:\/\/\S+/g, "…")}.`,
    );
  }
}
