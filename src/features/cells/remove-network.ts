import { sql } from "kysely";
import pg from "pg";
import { Refusal } from "#contract/refusal.ts";
import { type Db, openDatabase } from "#db/database.ts";
import { guardNetwork, unguardNetwork } from "#features/cells/guard.ts";
import { asMover, findMove, setMoveState } from "#features/cells/network-moves.ts";
import { type NetworkTable, networkTables } from "#features/cells/network-tables.ts";

interface Removal {
  /** Called with each table in turn, and how many of its rows were removed so far. */
  onProgress?: (table: string, removed: number) => void;
}

export interface Removed {
  rows: number;
  tables: number;
}

/** Rows of one transaction: under a second of work, so a kill loses little and no other network waits. */
const rowsAtOnce = 10_000;

/**
 * Remove everything of a network from this cell for good: one that was moved away, or one that was arriving
 * and is called off, whose replication must have ended before. From children to parents, in chunks of
 * committed work; the guard stands until the last row is gone, and what is never deleted lets go of this
 * network alone (migrations/0047). Killed at any moment it can be run again, and must be: a network whose
 * removal has begun is served nowhere here. Throws 409 for any other network. What stays are the steps of
 * its move.
 */
export async function removeNetwork(
  owner: pg.Pool,
  networkId: number,
  { onProgress = () => undefined }: Removal = {},
): Promise<Removed> {
  const db = openDatabase(owner);
  const move = await findMove(db, networkId);
  if (!move) throw await whyNotRemovable(owner, networkId);
  await setMoveState(db, networkId, "removing");
  await guardNetwork(owner, networkId);
  const isResumed = move.state === "removing";
  const removed: Removed = { rows: 0, tables: 0 };
  for (const table of await networkTables(owner)) {
    const rows = await removeRows(db, table, networkId, (sofar) => onProgress(table.name, sofar));
    if (rows > 0) removed.tables += 1;
    removed.rows += rows;
    if (rows >= rowsAtOnce || isResumed) await vacuum(owner, table);
  }
  await unguardNetwork(owner, networkId);
  await sql`delete from network_moves where network_id = ${networkId} and state = 'removing'`.execute(
    db,
  );
  return removed;
}

async function whyNotRemovable(owner: pg.Pool, networkId: number): Promise<Refusal> {
  const { rows } = await owner.query("select from networks where id = $1", [networkId]);
  return new Refusal(
    409,
    rows.length === 0
      ? `There is no network ${networkId} here: it was removed before, or never was.`
      : `Network ${networkId} is served here: only one that was moved to another cell can be removed.`,
  );
}

async function removeRows(
  db: Db,
  { name, networkColumn }: NetworkTable,
  networkId: number,
  onProgress: (removed: number) => void,
): Promise<number> {
  const table = sql.table(name);
  const ofNetwork = sql`${sql.ref(networkColumn)} = ${networkId}`;
  let removed = 0;
  for (;;) {
    const { numAffectedRows } = await asMover(db, networkId, async (tx) => {
      await sql`set local statement_timeout = 0`.execute(tx); // it holds nothing that another network needs
      return await sql`
        delete from ${table} where ${ofNetwork} and ctid = any (array(
          select ctid from ${table} where ${ofNetwork} limit ${rowsAtOnce}))`.execute(tx);
    });
    const rows = Number(numAffectedRows ?? 0);
    removed += rows;
    if (rows > 0) onProgress(removed);
    if (rows < rowsAtOnce) return removed;
  }
}

/**
 * Each parent's row asks, when it goes, whether a child refers to it, and not every such question has an index
 * of its own: it would walk over all that was just removed, for each row again. With the entries gone from the
 * indexes it finds nothing at once.
 */
async function vacuum(owner: pg.Pool, { name }: NetworkTable): Promise<void> {
  const client = await owner.connect();
  try {
    await client.query("set statement_timeout = 0");
    await client.query(
      `vacuum (skip_locked, index_cleanup on, truncate off) ${pg.escapeIdentifier(name)}`,
    );
  } finally {
    client.release(true); // with what was set
  }
}
