import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { Temporal } from "temporal-polyfill";
import type pg from "pg";
import type { Registry } from "prom-client";
import { demoAccounts, otherAccounts } from "#sandboxes/accounts.ts";
import { letDemoTakeCards } from "#features/demo/demo-cards.ts";
import type { SandboxAddresses } from "#features/payments/till.ts";
import { appSecret } from "#server/app-secret.ts";
import { builtWebFolder, createApp } from "#server/app.ts";
import { type Config, readConfig } from "#server/config.ts";
import { openDatabase, openPool } from "#server/database.ts";
import { makeDemo, demoSignIns } from "#server/demo.ts";
import { openDemoSandboxes } from "#server/demo-sandboxes.ts";
import { claimDataDir } from "#server/data-dir.ts";
import { watchJobs } from "#server/job-watch.ts";
import { openLog } from "#server/log.ts";
import { openRegistry } from "#server/metrics.ts";
import { migrate } from "#server/migrate.ts";
import { openConfiguredDatabase } from "#server/open-database.ts";
import { StartupProblem } from "#server/startup-problem.ts";
import { createWorkerHealth } from "#server/worker-health.ts";
import { startWorker } from "#server/worker.ts";

/*
 * `npm start`: the database, the migrations, the demo network, then web and jobs as ROLES says.
 * Everything that was opened is closed in reverse order on SIGTERM and SIGINT.
 */

const closing: (() => unknown)[] = [];
let isStopping = false;

const say = (line: string) => console.log(line);
const tell = (line: string) => console.error(line);
const now = () => Temporal.Now.instant();

async function start(config: Config): Promise<void> {
  if (!config.databaseUrl) closing.push(await claimDataDir(config.dataDir, config.publicUrl));
  const database = await openConfiguredDatabase(config, tell);
  closing.push(() => database.close());
  await migrate(database.connectionString);

  const pool = openPool({ connectionString: database.connectionString });
  closing.push(() => pool.end());
  const log = openLog(config.logLevel);
  const registry = openRegistry(pool);
  const isDemo = config.demo && (await makeDemo(pool, now));

  const sandboxes = isDemo ? await openSandboxes(config, pool) : null;
  if (config.roles.worker) {
    const around = {
      db: openDatabase(pool),
      pool,
      now,
      log: (line: string) => log.warn(line),
      dataDir: config.dataDir,
      publicUrl: config.publicUrl,
      secret: appSecret(config),
      mail: config.mail,
    };
    const worker = await startWorker(around, sandboxes, watchJobs(log, registry));
    closing.push(() => worker.stop());
  }
  if (config.roles.web) {
    const app = await serveWeb(config, { pool, registry }, sandboxes);
    closing.push(() => app.close());
    say(`Referral Network is ready at http://localhost:${portOf(app)}`);
    if (isDemo) for (const line of demoSignIns) say(line);
  } else {
    if (config.healthPort !== null) {
      const health = createWorkerHealth({ ...config, pool, registry, log });
      await listen(health, config.host, config.healthPort, "HEALTH_PORT");
      closing.push(() => health.close());
    }
    say("Referral Network's worker is ready.");
  }
}

/** The demo's networks take cards through stand-ins for the processors. */
async function openSandboxes(config: Config, pool: pg.Pool): Promise<SandboxAddresses> {
  const sandboxes = await openDemoSandboxes(config);
  closing.push(() => sandboxes.close());
  const accounts = [demoAccounts, otherAccounts];
  const [first] = await letDemoTakeCards(openDatabase(pool), appSecret(config), accounts);
  if (first !== undefined) sandboxes.sendWebhooksTo(first);
  return sandboxes.addresses;
}

async function serveWeb(
  config: Config,
  { pool, registry }: { pool: pg.Pool; registry: Registry },
  sandboxes: SandboxAddresses | null,
): Promise<FastifyInstance> {
  const app = await createApp({
    pool,
    registry,
    secret: appSecret(config),
    publicUrl: config.publicUrl,
    origins: config.origins,
    now,
    rateLimits: config.rateLimits,
    trustProxy: config.trustProxy,
    logLevel: config.logLevel,
    sendsMail: config.mail.smtpUrl !== null,
    metricsToken: config.metricsToken,
    dataDir: config.dataDir,
    webFolder: builtWebFolder,
    sandboxes,
  });
  await listen(app, config.host, config.port, "PORT");
  return app;
}

/** `variable` is what the operator is told to set otherwise. */
async function listen(
  app: FastifyInstance,
  host: string,
  port: number,
  variable: string,
): Promise<void> {
  try {
    await app.listen({ port, host });
  } catch (problem) {
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
      `Port ${port} is in use: stop what uses it, or set ${variable} to another one.`,
    );
  if (code === "EACCES")
    return new StartupProblem(
      `Port ${port} needs rights that this user does not have: set ${variable} to one above 1023.`,
    );
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new StartupProblem(`HOST ${host} is not an address of this machine.`);
  return problem;
}

function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port; // it listens on TCP, so this is no path
}

async function stop(exitCode: number): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  for (const close of closing.toReversed()) {
    try {
      await close();
    } catch (problem) {
      tell(`While stopping: ${problem instanceof Error ? problem.message : String(problem)}`);
      exitCode ||= 1;
    }
  }
  process.exit(exitCode);
}

process.on("SIGTERM", () => void stop(0));
process.on("SIGINT", () => void stop(0));

try {
  await start(readConfig(process.env));
} catch (problem) {
  if (problem instanceof StartupProblem) tell(problem.message);
  else tell(problem instanceof Error ? (problem.stack ?? problem.message) : String(problem));
  await stop(1);
}
