import type { StandaloneContext } from "#cli/command.ts";
import { Refusal } from "#contract/refusal.ts";
import { rowsByTable } from "#features/cells/move-checks.ts";
import { type End, openSource, openTarget } from "#features/cells/move-ends.ts";
import { movedElsewhere, type WantedMove } from "#features/cells/move-network.ts";
import { findMove, type NetworkMove } from "#features/cells/network-moves.ts";
import { endReplication } from "#features/cells/network-replication.ts";
import { removeNetwork } from "#features/cells/remove-network.ts";

/** What is here of a network that the other cell serves, or has handed on, is removed for good. Throws 409 in any other order. */
export async function removeMovedNetwork(
  context: StandaloneContext,
  { isDryRun, ...wanted }: WantedMove & { isDryRun: boolean },
): Promise<{ to: string; rows: number; tables: number }> {
  const { networkId } = wanted;
  const source = await openSource(context, networkId);
  const move = await findMove(source.db, networkId);
  if (move?.direction !== "out" || (move.state !== "moved" && move.state !== "removing"))
    throw new Refusal(
      409,
      move
        ? `Network ${networkId} is ${move.state}, and not moved yet: finish move-network first.`
        : `Network ${networkId} was not moved from here: nothing was removed.`,
    );
  const target = await openTarget(context, { source, networkId }, wanted);
  await refuseUnserved(target, move);
  if (isDryRun) {
    const filled = (await rowsByTable(source, networkId)).filter(({ rows }) => rows > 0);
    const rows = filled.reduce((sum, one) => sum + one.rows, 0);
    return { to: target.name, rows, tables: filled.length };
  }
  await endReplication({ source, target, networkId });
  const removed = await removeNetwork(source.pool, networkId, {
    onProgress: (table, rows) => context.progress(`Removing ${table}: ${rows} rows`),
  });
  return { to: target.name, ...removed };
}

async function refuseUnserved(
  target: End,
  { networkId, peer, begunAt }: NetworkMove,
): Promise<void> {
  if (target.name !== peer) throw movedElsewhere(networkId, peer, target);
  const { rowCount } = await target.pool.query("select from networks where id = $1", [networkId]);
  const move = await findMove(target.db, networkId);
  if (rowCount && move === null) return;
  if (await hasMovedOn(target, networkId, begunAt)) return;
  throw new Refusal(
    409,
    `${peer} does not serve network ${networkId} (${move?.state ?? "it has no such network"}): give move-network once more first.`,
  );
}

/**
 * Whether a cell has handed the network on to another one since a move to it began, be it removed there since or
 * not. What it did before that moment tells nothing: a cell that was restored from a backup may have had the
 * network long ago, and have moved it away. Nor does one that began to arrive since and was called off.
 */
export async function hasMovedOn(
  { pool }: End,
  networkId: number,
  begunAt: string,
): Promise<boolean> {
  const { rows } = await pool.query<{ hasLeft: boolean }>(
    `select direction = 'out' and step in ('moved', 'removing', 'removed') as "hasLeft"
      from network_move_steps
      where network_id = $1 and noted_at > $2 and (direction = 'out' or step = 'ended')
      order by id desc limit 1`,
    [networkId, begunAt],
  );
  return rows[0]?.hasLeft ?? false;
}
