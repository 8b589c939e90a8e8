import { type RawBuilder, sql } from "kysely";

/*
 * Which networks this cell serves: migrations/0047 and docs/operations.md, "Cells", say when it does not. What
 * looks through the networks by itself leaves the others out: their rows are read-only here, only arriving, or
 * another cell's business already. A plain `not in`: the few moving networks are read once a statement, and the
 * plan stays what it would be without.
 */

/** The condition by itself, for statements that are texts. */
export const servedHere = (networkId: string): string =>
  `${networkId} not in (select moving.network_id from network_moves moving where moving.state <> 'copying')`;

/** Whether the network that a column of the statement names is read and written here. */
export const isServedHere = (networkId: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.raw(servedHere(networkId))}`;

/** Whether the database refused to change a network that is being moved: migrations/0047, refuse_unserved(). */
export const isOfMovingNetwork = (problem: unknown): boolean =>
  problem instanceof Error && "code" in problem && problem.code === "RN503";

/**
 * For work that goes through the networks: one whose move has begun since they were looked up is left out, and
 * its work is done where it is served next. Answers null then.
 */
export async function unlessMoving<Answer>(work: Promise<Answer>): Promise<Answer | null> {
  try {
    return await work;
  } catch (problem) {
    if (isOfMovingNetwork(problem)) return null;
    throw problem;
  }
}

/** Whether it is not even read here: it was moved to another cell, or is only arriving. */
export const isServedElsewhere = (networkId: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.raw(networkId)} in (select moving.network_id from network_moves moving
    where moving.state not in ('copying', 'paused'))`;
