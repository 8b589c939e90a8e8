import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { Temporal } from "temporal-polyfill";
import type pg from "pg";
import type { Registry } from "prom-client";
import { verifyAppSecret, findSecretProblem } from "#main/app-secret/secret-check.ts";
import type { SandboxAddresses } from "#cards/card-payment-context.ts";
import { builtWebFolder, createApp } from "#main/app.ts";
import { watchClock } from "#kit/db/clock-watch.ts";
import { type Config, readConfig } from "#kit/ops/config.ts";
import { openConfiguredDemo } from "#main/configured-demo.ts";
import { checkConnections, divideConnections } from "#kit/db/connections.ts";
import { type DatabaseAddress, type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { primaryChanges } from "#kit/db/find-primary.ts";
import { explainMissingRights } from "#kit/db/database-rights.ts";
import { claimDataDir, prepareDataDir } from "#kit/ops/data-dir.ts";
import { databaseMetrics } from "#main/metrics.ts";
import { firstSteps } from "#main/first-steps.ts";
import { type Log, openLog } from "#kit/ops/log.ts";
import { countReportReads, measureClock, newMetricsRegistry } from "#kit/http/metrics.ts";
import { migrateAsOwner } from "#kit/db/migrate.ts";
import { openConfiguredDatabase } from "#kit/db/configured-database.ts";
import { processOutput } from "#kit/ops/process-output.ts";
import { refuseMissingSecrets } from "#kit/ops/required-secrets.ts";
import { openStandbys } from "#kit/db/standbys.ts";
import { type Readiness, watchReadiness } from "#kit/ops/readiness.ts";
import { findExcessRights } from "#kit/db/serving-role.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/*
 * `npm start`: the database, migrations and demo network, then web and jobs as ROLES says. On SIGTERM and SIGINT web and
 * jobs stop in parallel within STOP_SECONDS, then everything else that was opened, in reverse order. What only some
 * processes need is loaded when needed, to keep the others small.
 */

/** How to stop web and jobs: first, in parallel. */
const services: (() => Promise<void>)[] = [];
/** How to close everything else that was opened: last first. */
const resources: (() => unknown)[] = [];
/** Aborted by Ctrl-C: no load balancer has to notice first. */
const skipDrain = new AbortController();
let isStopping = false;
let timeoutMs = 40_000;

const { print, warn, fatal } = processOutput(process.env);
const now = () => Temporal.Now.instant();

async function start(config: Config): Promise<void> {
  timeoutMs = config.stop.timeoutMs;
  refuseMissingSecrets(config, process.env);
  if (!config.databaseUrl) resources.push(await claimDataDir(config.dataDir, config.publicUrl));
  else if (config.roles.worker && config.mail.smtpUrl === null) prepareDataDir(config.dataDir); // emails are stored there
  const database = await openConfiguredDatabase(config, warn);
  resources.push(() => database.close());
  await checkConnections(database.directConnectionString, config, warn);
  await migrateAsOwner(database, config.idRange, print);
  const excess = config.reachedBy && (await findExcessRights(database.directConnectionString));
  if (excess) warn(excess);

  const share = divideConnections(config);
  const pool = openPool({ ...database, connections: share.statements, isPipelined: true });
  resources.push(() => pool.end());
  const db = openDatabase(pool);
  const secret = await verifyAppSecret(db, config);
  const log = openLog(config.logLevel);
  primaryChanges.on("change", (sentence) => log.warn(sentence));
  const registry = newMetricsRegistry(pool);
  const clock = await watchClock(db, (line) => log.warn(line));
  resources.push(() => clock.close());
  measureClock(registry, () => clock.aheadSeconds());
  const needs = [
    watchReadiness(
      { message: "APP_SECRET was replaced.", whyNot: () => findSecretProblem(db, secret) },
      log,
    ),
  ];
  const demo = await openConfiguredDemo(config, pool, { now, print });
  const nextSteps = demo ?? (await firstSteps(db, config));
  const sandboxes = demo ? await openSandboxes(config, db, secret) : null;
  const shared: ServerContext = { pool, db, secret, sandboxes, registry, log, needs };
  if (config.roles.worker) await startJobs(config, database, shared);
  if (config.roles.web) {
    const app = await serveWeb(config, database, shared);
    services.push(async () => {
      await app.drain(config.stop.drainMs, skipDrain.signal);
      await app.close();
    });
    print(`Referral Network is ready at http://localhost:${portOf(app)}`);
    for (const line of nextSteps) print(line);
  } else {
    if (config.healthPort !== null) {
      const { createWorkerHealth } = await import("#kit/http/worker-health.ts");
      const health = createWorkerHealth({
        ...config,
        pool,
        registry,
        log,
        needs,
        databaseMetrics: databaseMetrics(pool),
      });
      await listen(health, config.host, config.healthPort, "HEALTH_PORT");
      resources.push(() => health.close());
    }
    print("Referral Network's worker is ready.");
  }
}

interface ServerContext {
  /** For statements and transactions. */
  pool: pg.Pool;
  db: Db;
  secret: string;
  sandboxes: SandboxAddresses | null;
  registry: Registry;
  log: Log;
  /** What a running process needs to be ready, in addition to the database. */
  needs: Readiness[];
}

/** Reports and the job queue have their own direct connections to the database. */
async function startJobs(
  config: Config,
  { directConnectionString }: DatabaseAddress,
  { db, secret, sandboxes, registry, log }: ServerContext,
): Promise<void> {
  const sessions = openPool({
    connectionString: directConnectionString,
    connections: divideConnections(config).sessions,
  });
  resources.push(() => sessions.end());
  const standbys = config.databaseReadUrl
    ? await openStandbys({
        address: config.databaseReadUrl,
        primary: directConnectionString,
        warn: (line) => log.warn(line),
      })
    : null;
  resources.push(() => standbys?.close());
  const context = {
    db,
    sessions,
    standbys,
    onReportRead: countReportReads(registry),
    now,
    log: (line: string) => log.warn(line),
    dataDir: config.dataDir,
    publicUrl: config.publicUrl,
    secret,
    mail: config.mail,
  };
  const { startWorker } = await import("#main/worker.ts");
  const { watchJobs } = await import("#kit/jobs/job-events.ts");
  const worker = await explainMissingRights(directConnectionString, () =>
    startWorker(context, sandboxes, watchJobs(log, registry)),
  );
  services.push(() => worker.stop());
}

/** The demo's networks accept cards through the processors' sandboxes. */
async function openSandboxes(config: Config, db: Db, secret: string): Promise<SandboxAddresses> {
  const { openDemoSandboxes } = await import("#main/demo-sandboxes.ts");
  const { demoAccounts, otherAccounts } = await import("#sandboxes/accounts.ts");
  const { addSandboxCardAccounts } = await import("#main/demo/demo-cards.ts");
  const sandboxes = await openDemoSandboxes(config);
  resources.push(() => sandboxes.close());
  const accounts = [demoAccounts, otherAccounts];
  const [first] = await addSandboxCardAccounts(db, secret, accounts);
  if (first !== undefined) sandboxes.sendWebhooksTo(first);
  return sandboxes.addresses;
}

async function serveWeb(
  config: Config,
  { directConnectionString }: DatabaseAddress,
  { pool, secret, sandboxes, registry, needs }: ServerContext,
): Promise<FastifyInstance> {
  const app = await createApp({
    pool,
    directConnectionString,
    registry,
    secret,
    publicUrl: config.publicUrl,
    origins: config.origins,
    now,
    rateLimits: config.rateLimits,
    trustedProxies: config.trustedProxies,
    logLevel: config.logLevel,
    sendsMail: config.mail.smtpUrl !== null,
    metricsToken: config.metricsToken,
    needs,
    webFolder: builtWebFolder,
    sandboxes,
  });
  await listen(app, config.host, config.port, "PORT");
  return app;
}

/** `variable` is named in messages as the one to change. */
async function listen(
  app: FastifyInstance,
  host: string,
  port: number,
  variable: string,
): Promise<void> {
  try {
    await app.listen({ port, host });
  } catch (problem) {
    await app.close();
    throw cannotListen(problem, { host, port, variable });
  }
}

function cannotListen(
  problem: unknown,
  { host, port, variable }: { host: string; port: number; variable: string },
): unknown {
  const code = problem instanceof Error && "code" in problem ? problem.code : "";
  if (code === "EADDRINUSE")
    return new StartupProblem(
      `Port ${port} is in use. Stop the program that uses it, or set ${variable} to another port.`,
    );
  if (code === "EACCES")
    return new StartupProblem(
      `Port ${port} needs rights that this user does not have. Set ${variable} to a port above 1023.`,
    );
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new StartupProblem(`HOST ${host} is not an address of this machine.`);
  return problem;
}

function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port; // it listens on TCP, so this is not a path
}

async function stop(exitCode: number): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  setTimeout(() => {
    warn("Not everything ended in time. Other processes will continue the interrupted work.");
    process.exit(1);
  }, timeoutMs);
  const end = async (close: () => unknown) => {
    try {
      await close();
    } catch (problem) {
      warn(`While stopping: ${problem instanceof Error ? problem.message : String(problem)}`);
      exitCode ||= 1;
    }
  };
  await Promise.all(services.map(end));
  for (const close of resources.toReversed()) await end(close);
  process.exit(exitCode);
}

process.on("SIGTERM", () => void stop(0));
process.on("SIGINT", () => {
  skipDrain.abort();
  void stop(0);
});

try {
  await start(readConfig(process.env));
} catch (problem) {
  fatal(problem);
  await stop(1);
}
