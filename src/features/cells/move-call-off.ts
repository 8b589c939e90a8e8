import type { StandaloneContext } from "#cli/command.ts";
import { Refusal } from "#contract/refusal.ts";
import { assignNetwork } from "#features/cells/directory.ts";
import { rowsByTable } from "#features/cells/move-checks.ts";
import { type End, type Ends, openSource, openTarget } from "#features/cells/move-ends.ts";
import { movedElsewhere, serveAgain, type WantedMove } from "#features/cells/move-network.ts";
import { endMove, findMove, type NetworkMove, undoSwitch } from "#features/cells/network-moves.ts";
import { skipNumbers } from "#features/cells/network-counters.ts";
import { endReplication, unpublish } from "#features/cells/network-replication.ts";
import { hasMovedOn } from "#features/cells/move-removal.ts";
import { removeNetwork } from "#features/cells/remove-network.ts";

type BothEnds = Pick<Ends, "source" | "target" | "networkId">;

export interface CalledOff {
  /** Rows that had arrived in the other cell. */
  removed: number;
  /** The switch was undone, of a network that the other cell does not serve: it is as it was then. */
  isBack: boolean;
}

/**
 * Everything as before the move began: the network served here, nothing of it in the other cell. Throws 409
 * where that one serves it. Where it cannot be reached, the network is freed here first, and its server's
 * disk with it; the rest is for another run. `isDryRun`: nothing is changed.
 */
export async function callOffMove(
  context: StandaloneContext,
  { isDryRun, ...wanted }: WantedMove & { isDryRun: boolean },
): Promise<CalledOff> {
  const { networkId } = wanted;
  const source = await openSource(context, networkId);
  const move = await findMove(source.db, networkId);
  if (move?.direction === "out" && move.state === "removing") throw servedThere(networkId, move);
  if (move?.direction === "in")
    throw new Refusal(
      409,
      `Network ${networkId} is on its way here from ${move.peer}: call that off there.`,
    );
  const isBack = move?.state === "moved";
  const isFreedFirst = move !== null && !isBack && !isDryRun;
  if (isFreedFirst) await serveAgain({ source, networkId });
  const target = await openTarget(context, { source, networkId }, wanted).catch(async (problem) => {
    if (!isFreedFirst) throw problem;
    await unpublish({ source, networkId });
    const reason = problem instanceof Error ? problem.message : String(problem);
    throw new Refusal(
      409,
      `The network is served here as before, and nothing is kept for the other cell. What has arrived there is still there: call the move off once more when that can be reached. ${reason}`,
    );
  });
  const arrived = await findMove(target.db, networkId);
  const ends = { source, target, networkId };
  refuseOtherMoves(ends, move, arrived);
  if (!move) await refuseWithoutRows(ends);
  if (isBack && (await wasTakenOver(ends, move))) throw servedThere(networkId, move);
  const hasArrived = arrived?.direction === "in";
  if (isDryRun) return { removed: hasArrived ? await countRows(target, networkId) : 0, isBack };
  if (isBack) {
    await skipNumbers(source);
    await source.db.transaction().execute(async (tx) => {
      await undoSwitch(tx, networkId);
      await assignNetwork(tx, networkId, source.cell);
    });
    await serveAgain(ends);
  }
  await endReplication(ends);
  const removed = hasArrived
    ? await removeNetwork(target.pool, networkId, {
        onProgress: (table, rows) => context.progress(`Removing ${table}: ${rows} rows`),
      })
    : { rows: 0 };
  if (move) await endMove(source.db, networkId);
  return { removed: removed.rows, isBack };
}

function refuseOtherMoves(
  { source, target, networkId }: BothEnds,
  move: NetworkMove | null,
  arrived: NetworkMove | null,
): void {
  if (!move && arrived?.direction !== "in")
    throw new Refusal(
      409,
      `Network ${networkId} is not being moved: there is nothing to call off.`,
    );
  if (move?.state === "moved" && move.peer !== target.name)
    throw movedElsewhere(networkId, move.peer, target);
  if (move && move.peer !== target.name)
    throw new Refusal(
      409,
      `Network ${networkId} is being moved to ${move.peer}, and --to leads to ${target.name}: call the move off there.`,
    );
  if (arrived?.direction === "in" && arrived.peer !== source.name)
    throw new Refusal(
      409,
      `Network ${networkId} arrives in ${target.name} from ${arrived.peer}, and this is ${source.name}: call the move off there. Nothing was removed.`,
    );
}

/** What the other cell has may be the only copy: this one had removed its own before that was set back. */
async function refuseWithoutRows({ source, target, networkId }: BothEnds): Promise<void> {
  const { rowCount } = await source.pool.query("select from networks where id = $1", [networkId]);
  if (rowCount) return;
  throw new Refusal(
    409,
    `Network ${networkId} is not here any more, and what has arrived in ${target.name} may be all that there is of it: nothing was removed. Restore that database to a moment after the switch.`,
  );
}

const servedThere = (networkId: number, { peer }: { peer: string }) =>
  new Refusal(
    409,
    `Network ${networkId} is served by ${peer} already: to have it here again, remove its rows here (remove-moved-network) and move it back from there.`,
  );

/**
 * Whether the target has served a network that was switched to it, as far as it knows: a database that was
 * restored from a backup of before knows nothing of it. A third cell that claims it has it from there.
 */
async function wasTakenOver(
  { source, target, networkId }: BothEnds,
  { begunAt }: NetworkMove,
): Promise<boolean> {
  const arrived = await findMove(target.db, networkId);
  if (arrived !== null) return arrived.direction === "out";
  const { rowCount: isThere } = await target.pool.query("select from networks where id = $1", [
    networkId,
  ]);
  const { rowCount: isClaimed } = await source.pool.query(
    "select from directory where kind = 'network' and key = $1 and cell <> all ($2)",
    [networkId, [source.cell, target.cell].filter((cell) => cell !== null)],
  );
  return Boolean(isThere) || Boolean(isClaimed) || (await hasMovedOn(target, networkId, begunAt));
}

async function countRows(source: End, networkId: number): Promise<number> {
  let count = 0;
  for (const { rows } of await rowsByTable(source, networkId)) count += rows;
  return count;
}
