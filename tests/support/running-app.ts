import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { Temporal } from "temporal-polyfill";
import { vi } from "vitest";
import { type AppSettings, createApp } from "#main/app.ts";
import { type Db, openPool } from "#kit/db/database.ts";
import { aTestDatabase } from "#tests/support/test-database.ts";

export interface RunningApp {
  server: FastifyInstance;
  db: Db;
  pool: pg.Pool;
  /** For a test's own workers. */
  sessions: pg.Pool;
  connectionString: string;
  secret: string;
  /** Served over TLS, as its `publicUrl` says. */
  isSecure: boolean;
  /** The folder of its jobs' mail. */
  dataDir: string;
  /** The other context of its jobs: mail is written to disk. */
  mail: { smtpUrl: null; from: string };
  /** Set the clock that the server reads: an instant in ISO 8601. */
  setClock(instant: string): void;
  close(): Promise<void>;
}

type Settings = Partial<Omit<AppSettings, "pool" | "now">> & {
  /** The instant that the server takes as now; it does not move. Default: the real time. */
  clock?: string;
  connections?: number;
  /** Default: a folder of its own. */
  dataDir?: string;
  /** Serve as the owner of the tables, for tests that alter them. */
  asOwner?: boolean;
};

/**
 * Let requests' statements wait without limit for a connection and for each other: hundreds together on a
 * busy machine wait longer than the product permits.
 */
export async function liftTimeLimits({ pool }: Pick<RunningApp, "pool">): Promise<void> {
  Object.assign(pool.options, { connectionTimeoutMillis: 0, idleTimeoutMillis: 0 });
  const all = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  for (const client of all) {
    await client.query("set lock_timeout = 0");
    await client.query("set statement_timeout = 0");
    client.release();
  }
}

/** The whole server on a database of its own: by default calls only, request limits off. */
export async function anApp({ asOwner = false, ...settings }: Settings = {}): Promise<RunningApp> {
  const database = await aTestDatabase();
  const address = asOwner ? database.ownerConnectionString : database.connectionString;
  return await aServer(address, settings, () => database.drop());
}

/**
 * A second server on the same database, like another process; close it before the first. It is ready when
 * `/readyz` would say so: it receives the others' changes.
 */
export async function anotherApp(app: RunningApp, settings: Settings = {}): Promise<RunningApp> {
  return await aServer(app.connectionString, {
    secret: app.secret,
    dataDir: app.dataDir,
    ...settings,
  });
}

/** The whole server on an existing database: `settings` name its secret and its files. */
export async function anAppOn(connectionString: string, settings: Settings): Promise<RunningApp> {
  return await aServer(connectionString, settings);
}

async function aServer(
  connectionString: string,
  { clock, connections, dataDir: given, ...settings }: Settings,
  afterwards: () => Promise<void> = async () => undefined,
): Promise<RunningApp> {
  const pool = openPool({ connectionString, connections, isPipelined: true });
  const sessions = openPool({ connectionString, connections });
  const dataDir = given ?? mkdtempSync(join(tmpdir(), "referral-network-files-"));
  let now = clock ? Temporal.Instant.from(clock) : null;
  const secret = settings.secret ?? randomBytes(24).toString("base64url");
  const server = await createApp({
    publicUrl: "http://localhost:3000",
    origins: settings.webFolder ? [] : ["http://localhost:3000"], // pages come from its own port
    rateLimits: false,
    trustedProxies: 0,
    logLevel: "silent",
    sendsMail: false,
    metricsToken: null,
    webFolder: null,
    ...settings,
    pool,
    secret,
    now: () => now ?? Temporal.Now.instant(),
  });
  await server.ready();
  await vi.waitUntil(() => server.cable().isListening, { timeout: 120_000, interval: 5 });
  return {
    server,
    db: server.db,
    pool,
    sessions,
    connectionString,
    secret,
    isSecure: settings.publicUrl?.startsWith("https:") ?? false,
    dataDir,
    mail: { smtpUrl: null, from: "no-reply@example.test" },
    setClock: (instant) => (now = Temporal.Instant.from(instant)),
    close: async () => {
      await server.close();
      await Promise.all([pool.end(), sessions.end()]);
      if (!given) rmSync(dataDir, { recursive: true, force: true });
      await afterwards();
    },
  };
}
