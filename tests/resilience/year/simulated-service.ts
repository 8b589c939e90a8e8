import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Temporal } from "temporal-polyfill";
import pg from "pg";
import { inject } from "vitest";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";
import { migrateAsOwner } from "#kit/db/migrate.ts";
import { openEmbeddedDatabase } from "#kit/db/embedded-postgres/embedded-database.ts";
import type { JobContext } from "#kit/jobs/job.ts";
import { anAppOn, type RunningApp } from "#tests/support/running-app.ts";

/** The product on a database of its own, both with a simulated clock. */
export interface SimulatedService {
  app: RunningApp;
  sandboxes: Sandboxes;
  context: JobContext;
  /** A superuser's, without time limits: for figures and the model's queries. */
  client: pg.Client;
  /** Messages of jobs to the operator. */
  lines: string[];
  moveClock: (instantMs: number) => Promise<void>;
  /** Remove the sent mails: a year has millions of files otherwise. */
  emptyOutbox: () => void;
  close: () => Promise<void>;
}

/**
 * Timestamps use the database's clock (docs/processes.md, "Clocks"), so it must follow the simulated one.
 * These functions come before PostgreSQL's own in the search path, also while the tables are made, since
 * column defaults are bound then.
 */
const clock = `
  create schema simulated;
  create table simulated.clock (ahead interval not null);
  insert into simulated.clock values ('0');
  create function simulated.now() returns timestamptz language sql stable parallel safe as
    'select pg_catalog.now() + ahead from simulated.clock';
  create function simulated.clock_timestamp() returns timestamptz language sql volatile parallel safe as
    'select pg_catalog.clock_timestamp() + ahead from simulated.clock';
  grant usage on schema simulated to public;
  grant select on simulated.clock to public;
  create extension pgstattuple`;

/** In memory if the machine has such a folder: sending a mail writes a file there. */
const filesFolder = () => (existsSync("/dev/shm") ? "/dev/shm" : inject("diskFolder"));

export async function aSimulatedService(startsMs: number): Promise<SimulatedService> {
  const files = mkdtempSync(join(filesFolder(), "referral-network-year-"));
  const folder = mkdtempSync(join(inject("diskFolder"), "referral-network-year-"));
  chmodSync(folder, 0o711);
  const settings = {
    fsync: "off", // nothing has to survive a power cut
    synchronous_commit: "off",
    // A year of a whole market has gigabytes.
    shared_buffers: "1GB",
    max_wal_size: "8GB",
    // A simulated day takes seconds: autovacuum's daily work would wait for weeks otherwise.
    autovacuum_naptime: "1s",
    autovacuum_vacuum_cost_delay: "0",
  };
  const database = await openEmbeddedDatabase({ dataDir: folder, settings, log: () => undefined });
  const superuser = new URL(database.connectionString);
  superuser.username = "postgres";
  const client = new pg.Client({ connectionString: superuser.href });
  await client.connect();
  await client.query(clock);
  const path = "public, simulated, pg_catalog";
  await client.query(`alter database referral_network set search_path = ${path}`);
  await client.query(`set search_path = ${path}`);
  await client.query(aheadQuery, [new Date(startsMs).toISOString()]);
  await migrateAsOwner({
    directConnectionString: database.servingConnectionString,
    ownerConnectionString: database.connectionString,
  });
  const sandboxes = await startSandboxes({ port: 0 });
  const app = await anAppOn(database.servingConnectionString, {
    clock: new Date(startsMs).toISOString(),
    dataDir: files,
    sandboxes: sandboxes.addresses,
  });
  let instant = Temporal.Instant.fromEpochMilliseconds(startsMs);
  const lines: string[] = [];
  const { db, sessions, dataDir, secret, mail } = app;
  return {
    app,
    sandboxes,
    client,
    lines,
    context: {
      db,
      sessions,
      dataDir,
      secret,
      mail,
      now: () => instant,
      log: (line) => void lines.push(line),
      publicUrl: "http://localhost:3000",
    },
    moveClock: async (instantMs) => {
      instant = Temporal.Instant.fromEpochMilliseconds(instantMs);
      app.setClock(instant.toString());
      await client.query(aheadQuery, [instant.toString()]);
    },
    emptyOutbox: () => rmSync(join(files, "outbox"), { recursive: true, force: true }),
    close: async () => {
      await app.close();
      await sandboxes.close();
      await client.end();
      await database.stop();
      for (const made of [folder, files]) rmSync(made, { recursive: true, force: true });
    },
  };
}

const aheadQuery = `
  update simulated.clock set ahead = $1::timestamptz - pg_catalog.clock_timestamp()`;
