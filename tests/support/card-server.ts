import type { AddressInfo } from "node:net";
import { Temporal } from "temporal-polyfill";
import { addressesAt } from "#sandboxes/processors.ts";
import { createApp } from "#main/app.ts";
import { openDatabase, openPool } from "#kit/db/database.ts";
import { startWorker } from "#main/worker.ts";

/*
 * The product as a process of its own, web and jobs, on a test's database and sandboxes: to be killed. Prints
 * its port.
 */

const {
  TEST_DATABASE = "",
  TEST_SECRET = "",
  TEST_SANDBOXES = "",
  TEST_DATA_DIR = "",
} = process.env;
const pool = openPool({ connectionString: TEST_DATABASE, isPipelined: true });
const publicUrl = "http://localhost:3000";
const sandboxes = addressesAt(TEST_SANDBOXES);
const now = () => Temporal.Now.instant();

const app = await createApp({
  pool,
  secret: TEST_SECRET,
  publicUrl,
  origins: [publicUrl],
  now,
  rateLimits: false,
  trustedProxies: 0,
  logLevel: "silent",
  metricsToken: null,
  sendsMail: false,
  webFolder: null,
  sandboxes,
});
await app.listen({ port: 0, host: "127.0.0.1" });
await startWorker(
  {
    db: openDatabase(pool),
    sessions: openPool({ connectionString: TEST_DATABASE }),
    now,
    log: () => undefined,
    dataDir: TEST_DATA_DIR,
    publicUrl,
    secret: TEST_SECRET,
    mail: { smtpUrl: null, from: "no-reply@example.test" },
  },
  sandboxes,
);
const { port } = app.server.address() as AddressInfo; // it listens on TCP
console.log(`port ${port}`);
