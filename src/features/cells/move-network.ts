import pg from "pg";
import type { StandaloneContext } from "#cli/command.ts";
import { Refusal } from "#contract/refusal.ts";
import { compareNetwork } from "#features/cells/compare-network.ts";
import { untilDelivered } from "#features/cells/deliveries-under-way.ts";
import { assignNetwork, releaseNetwork } from "#features/cells/directory.ts";
import { guardNetwork, liftGuard, unguardNetwork } from "#features/cells/guard.ts";
import { contentsOf, type Contents, obstaclesOf } from "#features/cells/move-checks.ts";
import {
  type End,
  type Ends,
  openSource,
  openTarget,
  publisherUrlOf,
} from "#features/cells/move-ends.ts";
import { raiseCounters } from "#features/cells/network-counters.ts";
import { beginMove, endMove, findMove, setMoveState } from "#features/cells/network-moves.ts";
import {
  beginReplication,
  endReplication,
  movedTables,
  stopFollowing,
  untilConfirmed,
  untilFollowed,
} from "#features/cells/network-replication.ts";
import { reencryptNetwork } from "#features/cells/reencrypt.ts";
import { allSecrets } from "#features/cards/settings/encrypted-secrets.ts";
import { type CheckResult, verifyLedger } from "#features/ledger/verify-ledger.ts";

/*
 * A network goes from one cell to another while it is worked with (docs/decisions/080). What has been done is in
 * both databases: the command can be killed at any moment and given again, or called off until the other cell
 * serves the network.
 */

export interface WantedMove {
  networkId: number;
  to: string;
}

export interface Moved {
  from: string;
  to: string;
  /** Compared row by row; null where it had been moved before. */
  rows: number | null;
  /** How long nothing of the network could be written; null where it had been moved before. */
  pausedMs: number | null;
  /** Of verify-ledger in the other cell. */
  checks: CheckResult[];
}

/** Throws a Refusal that says what is in the way; before the switch the network is served here as before. */
export async function moveNetwork(context: StandaloneContext, wanted: WantedMove): Promise<Moved> {
  const ends = await openEnds(context, wanted);
  const { source, target, networkId } = ends;
  const before = await findMove(source.db, networkId);
  const isOver = before?.state === "moved";
  let rows: number | null = null;
  let pausedMs: number | null = null;
  if (!isOver) {
    // A run that was killed has left it paused: whoever works in it need not wait for what is prepared again.
    if (before?.state === "paused") await serveAgain(ends);
    refuseFirst(await obstaclesOf(ends));
    await prepare(ends, context);
    const pausedAt = performance.now();
    rows = await pauseAndCompare(ends, context);
    await release(ends);
    await takeOver(ends);
    pausedMs = performance.now() - pausedAt;
  } else {
    if (before.peer !== target.name) throw movedElsewhere(networkId, before.peer, target);
    await refuseIncomplete(ends, context);
    await takeOver(ends);
  }
  await endReplication(ends);
  await unguardNetwork(target.pool, networkId);
  context.progress("Verifying the ledger in the other cell");
  const checks = await verifyLedger(target.db, networkId);
  return { from: source.name, to: target.name, rows, pausedMs, checks };
}

async function openEnds(context: StandaloneContext, wanted: WantedMove): Promise<Ends> {
  const { networkId } = wanted;
  const source = await openSource(context, networkId);
  const target = await openTarget(context, { source, networkId }, wanted);
  return {
    networkId,
    publisherUrl: publisherUrlOf(context),
    source,
    target,
  };
}

function refuseFirst(obstacles: string[]): void {
  if (obstacles.length > 0) throw new Refusal(409, `Nothing was moved. ${obstacles.join("\n")}`);
}

/** Until all that can be done beside the work is done: the network is served here all the while. */
async function prepare(ends: Ends, { progress }: StandaloneContext): Promise<void> {
  const { source, target, networkId } = ends;
  await beginMove(source.db, { networkId, direction: "out", peer: target.name });
  await beginMove(target.db, { networkId, direction: "in", peer: source.name });
  progress("Guarding the network in the other cell");
  await guardNetwork(target.pool, networkId);
  await beginReplication(ends);
  await untilFollowed(ends, progress);
  progress("Preparing the other cell's statistics");
  await analyze(ends);
  progress("Verifying the ledger in the other cell");
  const offending = (await verifyLedger(target.db, networkId)).find(
    ({ offenders }) => offenders > 0,
  );
  if (offending)
    throw new Refusal(
      409,
      `The ledger that has arrived is not whole (${offending.rule}): run verify-ledger --network ${networkId} here, then move it or call the move off. The network is served here as before.`,
    );
  await untilFollowed(ends, progress);
}

/** The statistics of tables that have just been filled are not those that a query should be planned by. */
async function analyze({ source, target }: Ends): Promise<void> {
  for (const { name } of await movedTables(source))
    await target.pool.query(`analyze (skip_locked) ${pg.escapeIdentifier(name)}`);
}

/** What may take this long is not waited for: the network is served here again, and the command can be given again. */
const confirmTimeoutMs = 15_000;
const guardTimeoutMs = 10_000;

/**
 * From here on nothing of the network is written, until all of it has arrived. Whatever fails, it is served here
 * again. Answers how many rows there are.
 */
async function pauseAndCompare(ends: Ends, { progress }: StandaloneContext): Promise<number> {
  const { source, networkId } = ends;
  await setMoveState(source.db, networkId, "paused");
  try {
    progress("Pausing the network");
    await untilDelivered(source.db, networkId);
    await guardNetwork(source.pool, networkId, { timeoutMs: guardTimeoutMs });
    await untilConfirmed(ends, confirmTimeoutMs);
    const [rows] = await Promise.all([
      compareNetwork(ends, (done, all) => progress("Comparing", done / all)),
      raiseCounters(ends),
    ]);
    return rows;
  } catch (problem) {
    await serveAgain(ends);
    throw problem;
  }
}

/** The pause is over, and the network served here. */
export async function serveAgain({
  source,
  networkId,
}: Pick<Ends, "source" | "networkId">): Promise<void> {
  await unguardNetwork(source.pool, networkId);
  const move = await findMove(source.db, networkId);
  if (move?.state === "paused") await setMoveState(source.db, networkId, "copying");
}

/**
 * The source does not serve the network any more. There is no way back but to move it again from there, or to
 * call the switch off where the target was set back and does not serve it.
 */
async function release({ source, networkId }: Ends): Promise<void> {
  await source.db.transaction().execute(async (tx) => {
    await setMoveState(tx, networkId, "moved");
    await releaseNetwork(tx, networkId);
  });
}

/**
 * What has arrived was compared before the switch. Since then the target may have been set back, by a backup from
 * before: what it has is compared again, unless its secrets show that it has come further.
 */
async function refuseIncomplete(ends: Ends, { progress }: StandaloneContext): Promise<void> {
  const { source, target, networkId } = ends;
  if ((await findMove(target.db, networkId))?.state !== "arriving") return;
  if (source.secret !== target.secret)
    for (const one of await allSecrets(target.db, networkId))
      if ((await one.decrypt(target.secret)) !== null) return;
  await compareNetwork(ends, (done, all) => progress("Comparing", done / all));
}

/** The target serves the network. Each step may have been done before. */
async function takeOver(ends: Ends): Promise<void> {
  const { source, target, networkId } = ends;
  const move = await findMove(target.db, networkId);
  if (move === null) return await refuseNotThere(target, networkId); // it was taken over before
  if (move.state !== "arriving")
    throw new Refusal(
      409,
      `Network ${networkId} is ${move.state} in ${target.name}, where it was moved to before: go on with it there.`,
    );
  await stopFollowing(ends);
  if (source.secret !== target.secret)
    await reencryptNetwork(target.db, networkId, {
      oldSecret: source.secret,
      newSecret: target.secret,
    });
  await liftGuard(target.pool, networkId);
  await target.db.transaction().execute(async (tx) => {
    await assignNetwork(tx, networkId, target.cell);
    await endMove(tx, networkId);
  });
}

/** Whoever switched it asks this first: where the target has lost the network, the source's rows are the only ones. */
async function refuseNotThere(target: End, networkId: number): Promise<void> {
  const { rowCount } = await target.pool.query("select from networks where id = $1", [networkId]);
  if (rowCount) return;
  throw new Refusal(
    500,
    `Network ${networkId} was switched to ${target.name}, which does not have it: nobody serves it. Its rows are here still: remove nothing, and find out what became of it there (network_move_steps). Where that database was restored from a backup of before, --call-off has the network served here again, as it was when it was switched.`,
  );
}

export interface MovePlan extends Contents {
  from: string;
  to: string;
  obstacles: string[];
}

/** What would be moved, and what is in the way; nothing is changed. */
export async function planMove(context: StandaloneContext, wanted: WantedMove): Promise<MovePlan> {
  const ends = await openEnds(context, wanted);
  const { source, target } = ends;
  return {
    from: source.name,
    to: target.name,
    ...(await contentsOf(ends)),
    obstacles: await obstaclesOf(ends),
  };
}

export const movedElsewhere = (networkId: number, peer: string, target: End) =>
  new Refusal(409, `Network ${networkId} was moved to ${peer}, and --to leads to ${target.name}.`);
