import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { Temporal } from "temporal-polyfill";
import { type AppSettings, createApp } from "#server/app.ts";
import { type Db, openPool } from "#server/database.ts";
import { aTestDatabase } from "#tests/support/test-database.ts";

export interface RunningApp {
  server: FastifyInstance;
  db: Db;
  pool: pg.Pool;
  connectionString: string;
  secret: string;
  /** Set the clock that the server reads: an instant in ISO 8601. */
  setClock(instant: string): void;
  close(): Promise<void>;
}

type Settings = Partial<Omit<AppSettings, "pool" | "now">> & {
  /** The instant that the server takes for now; it stands still. Default: the real time. */
  clock?: string;
  connections?: number;
};

/** The whole server on a database of its own: calls only, request limits off, unless asked otherwise. */
export async function anApp({
  clock,
  connections,
  ...settings
}: Settings = {}): Promise<RunningApp> {
  const database = await aTestDatabase();
  const { connectionString } = database;
  const pool = openPool({ connectionString, connections });
  let now = clock ? Temporal.Instant.from(clock) : null;
  const secret = settings.secret ?? randomBytes(24).toString("base64url");
  const server = await createApp({
    publicUrl: "http://localhost:3000",
    origins: ["http://localhost:3000"],
    rateLimits: false,
    trustProxy: false,
    logLevel: "silent",
    metricsToken: null,
    webFolder: null,
    ...settings,
    pool,
    secret,
    now: () => now ?? Temporal.Now.instant(),
  });
  await server.ready();
  return {
    server,
    db: server.db,
    pool,
    connectionString,
    secret,
    setClock: (instant) => (now = Temporal.Instant.from(instant)),
    close: async () => {
      await server.close();
      await pool.end();
      await database.drop();
    },
  };
}
