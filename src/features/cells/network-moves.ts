import { sql } from "kysely";
import { Refusal } from "#contract/refusal.ts";
import type { Db, Tx } from "#db/database.ts";

/*
 * How far the move of a network between cells is, in this cell: migrations/0047 says what each state means.
 * All of it as the owner of the tables: the role that requests are served as reads these rows alone.
 */

export type MoveState = "copying" | "paused" | "moved" | "arriving" | "removing";

export interface NetworkMove {
  networkId: number;
  direction: "out" | "in";
  state: MoveState;
  /** The other cell, by its name or its address, without any password. */
  peer: string;
  begunAt: string;
  changedAt: string;
}

/** What may follow each state; "ended": the network is served here, as any other. */
const nextStates: Record<MoveState, (MoveState | "ended")[]> = {
  copying: ["paused", "ended"],
  paused: ["copying", "moved", "ended"],
  moved: ["removing"],
  arriving: ["removing", "ended"],
  removing: [],
};

/** Null for a network that is simply served here, or that is none of this cell's. */
export async function findMove(db: Db, networkId: number): Promise<NetworkMove | null> {
  return (await listMoves(db)).find((move) => move.networkId === networkId) ?? null;
}

export async function listMoves(db: Db): Promise<NetworkMove[]> {
  const { rows } = await sql<NetworkMove>`
    select network_id, direction, state, peer, begun_at, changed_at from network_moves
    order by network_id`.execute(db);
  return rows;
}

/**
 * Note that a network leaves, which is served on for now, or that it arrives, which is served by nobody yet.
 * Repeating it does no harm. Throws 409 where it is on another way already.
 */
export async function beginMove(
  db: Db,
  { networkId, direction, peer }: Pick<NetworkMove, "networkId" | "direction" | "peer">,
): Promise<NetworkMove> {
  const state: MoveState = direction === "out" ? "copying" : "arriving";
  await sql`
    insert into network_moves (network_id, direction, state, peer)
    values (${networkId}, ${direction}, ${state}, ${peer})
    on conflict (network_id) do nothing`.execute(db);
  const found = await findMove(db, networkId);
  if (found?.direction === direction && found.state !== "removing" && found.peer === peer)
    return found;
  throw new Refusal(
    409,
    `Network ${networkId} is ${found?.state ?? "moving"} already, ${found?.direction === "in" ? "from" : "to"} ${found?.peer || "another cell"}.`,
  );
}

/** Go on to the next state. Repeating it does no harm. Throws 409 where the present one is followed by another. */
export async function setMoveState(db: Db, networkId: number, state: MoveState): Promise<void> {
  const before = statesBefore(state);
  const { numAffectedRows } = await sql`
    update network_moves set state = ${state}, changed_at = now()
    where network_id = ${networkId} and state = any(${before}::text[])`.execute(db);
  if (numAffectedRows === 1n) return;
  const found = await findMove(db, networkId);
  if (found?.state !== state) throw wrongOrder(networkId, found, state, before);
}

/**
 * The switch of a network is undone, which nobody serves: it is paused here, as just before it. For the calling
 * off alone, which has seen that the other cell was set back. Throws 409 where it was not switched.
 */
export async function undoSwitch(db: Db, networkId: number): Promise<void> {
  const { numAffectedRows } = await sql`
    update network_moves set state = 'paused', changed_at = now()
    where network_id = ${networkId} and state = 'moved'`.execute(db);
  if (numAffectedRows !== 1n)
    throw wrongOrder(networkId, await findMove(db, networkId), "paused", ["moved"]);
}

/** The network is served here from now on, as any other. Repeating it does no harm. Throws as `setMoveState`. */
export async function endMove(db: Db, networkId: number): Promise<void> {
  const before = statesBefore("ended");
  await sql`
    delete from network_moves
    where network_id = ${networkId} and state = any(${before}::text[])`.execute(db);
  const found = await findMove(db, networkId);
  if (found) throw wrongOrder(networkId, found, "ended", before);
}

const statesBefore = (next: MoveState | "ended") =>
  Object.entries(nextStates).flatMap(([state, following]) =>
    following.includes(next) ? [state] : [],
  );

function wrongOrder(
  networkId: number,
  found: NetworkMove | null,
  wanted: MoveState | "ended",
  before: string[],
): Refusal {
  const wantedWords = wanted === "ended" ? "served here again" : wanted;
  return new Refusal(
    409,
    `Network ${networkId} is ${found?.state ?? "not being moved"}, and can be ${wantedWords} only after it was ${before.join(" or ")}.`,
  );
}

/**
 * Write what nobody else may: the guard lets this transaction of the owner's pass, for this network alone,
 * which must be one that is being moved.
 */
export async function asMover<Answer>(
  db: Db,
  networkId: number,
  work: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  return await db.transaction().execute(async (tx) => {
    await sql`select set_config('referral_network.moving_network', ${networkId}::text, true)`.execute(
      tx,
    );
    return await work(tx);
  });
}
