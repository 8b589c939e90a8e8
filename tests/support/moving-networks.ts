import type pg from "pg";
import { type Db, openDatabase, openPool } from "#db/database.ts";
import { beginMove, type MoveState, setMoveState } from "#features/cells/network-moves.ts";
import { anAppOn, type RunningApp } from "#tests/support/running-app.ts";
import { aTestDatabase } from "#tests/support/test-database.ts";

/** Of the role that owns the tables, beside a server that runs as the one that serves requests. */
export interface Owner {
  pool: pg.Pool;
  db: Db;
}

/** A server, and the owner of its database, by whom networks are moved. */
export async function aCell(): Promise<{ app: RunningApp; owner: Owner }> {
  const database = await aTestDatabase();
  const pool = openPool({ connectionString: database.ownerConnectionString, connections: 4 });
  const app = await anAppOn(database.connectionString, {});
  return {
    owner: { pool, db: openDatabase(pool) },
    app: {
      ...app,
      close: async () => {
        await app.close();
        await pool.end();
        await database.drop();
      },
    },
  };
}

const wayTo: Record<MoveState, MoveState[]> = {
  copying: [],
  paused: ["paused"],
  moved: ["paused", "moved"],
  removing: ["paused", "moved", "removing"],
  arriving: [],
};

/** Bring a network's move so far. */
export async function moveNetworkTo(db: Db, networkId: number, state: MoveState): Promise<void> {
  const direction = state === "arriving" ? "in" : "out";
  await beginMove(db, { networkId, direction, peer: "east" });
  for (const next of wayTo[state]) await setMoveState(db, networkId, next);
}
