import type pg from "pg";
import { type Db, openDatabase, openPool } from "#db/database.ts";
import { beginMove, type MoveState, setMoveState } from "#features/cells/network-moves.ts";
import { type AppSettings, apart, type People, peopleTest } from "#tests/support/app-test.ts";
import { anAppOn, type RunningApp } from "#tests/support/running-app.ts";
import { aTestDatabase, testDatabases } from "#tests/support/test-database.ts";

/** Of the role that owns the tables, beside a server that runs as the one that serves requests. */
export interface Owner {
  pool: pg.Pool;
  db: Db;
}

/** Of the file's server, as `cellTest` opened it. */
export let owner: Owner;

/** `appTest` for a file that moves networks: `owner` stands beside `app`. */
export function cellTest(wanted: AppSettings & People = {}) {
  const { people, settings } = apart(wanted);
  return peopleTest(async () => {
    const cell = await aCell(settings);
    owner = cell.owner;
    return cell.app;
  }, people);
}

/** A server, and the owner of its database, by whom networks are moved. */
export async function aCell(
  settings: Parameters<typeof anAppOn>[1] = {},
): Promise<{ app: RunningApp; owner: Owner }> {
  const database = await aTestDatabase();
  const pool = openPool({ connectionString: database.ownerConnectionString, connections: 4 });
  const app = await anAppOn(database.connectionString, settings);
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

/** The address of the same database for who owns its tables. */
export async function ownerOf({ connectionString }: Pick<RunningApp, "connectionString">) {
  const address = new URL((await testDatabases()).connectionString);
  address.pathname = new URL(connectionString).pathname;
  return address.href;
}
