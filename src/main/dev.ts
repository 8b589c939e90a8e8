import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createProbe } from "node:net";
import { Temporal } from "temporal-polyfill";
import { createServer as createVite } from "vite";
import { builtWebFolder } from "#main/app.ts";
import { type Config, readConfig } from "#kit/ops/config.ts";
import { openConfiguredDemo } from "#main/configured-demo.ts";
import { openPool } from "#kit/db/database.ts";
import { migrateAsOwner } from "#kit/db/migrate.ts";
import { openConfiguredDatabase, type OpenedDatabase } from "#kit/db/configured-database.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/*
 * `npm run dev`: Vite on PORT serves the web app's sources and updates the open page. It passes everything else to the
 * server, which `node --watch` restarts when an imported file changes. The database stays open here, so that restarts
 * are quick.
 */

const sources = /^\/(@|node_modules\/|.*\.(tsx?|css|svg|mjs|js|map)(\?|$))/;

async function develop(): Promise<void> {
  const config = readConfig(process.env);
  const database = await openConfiguredDatabase(config, console.error);
  await guardDemo(config, database).catch(async (problem: unknown) => {
    await database.close();
    throw problem;
  });
  const port = await freePort();
  const server = `http://127.0.0.1:${port}`;
  const vite = await createVite({
    server: {
      port: config.port,
      host: config.host,
      strictPort: true,
      proxy: {
        "/cable": { target: server, ws: true },
        [`^(?!${sources.source.slice(1)})`]: server,
      },
    },
  });
  const page = new URL("./index.html", import.meta.url);
  await vite.listen().catch(async (problem: unknown) => {
    await database.close();
    throw problem;
  });
  const html = await vite.transformIndexHtml(
    "/index.html",
    readFileSync(page, "utf8"),
    "/dashboard",
  );
  mkdirSync(`${builtWebFolder}/assets`, { recursive: true });
  rmSync(`${builtWebFolder}/.built-from`, { force: true }); // so that `npm start` builds again
  rmSync(`${builtWebFolder}/.vite`, { recursive: true, force: true }); // it lists files that are not served now
  writeFileSync(`${builtWebFolder}/index.html`, html);
  const running = spawn(process.execPath, ["--watch", "src/main/server.ts"], {
    stdio: "inherit",
    env: {
      ...process.env,
      PORT: String(port),
      HOST: "127.0.0.1",
      DEMO: config.demo ? "1" : "0",
      SANDBOX_PORT: String(config.sandboxPort),
      PUBLIC_URL: config.publicUrl,
    },
  });
  console.log(`Open ${config.publicUrl}`);
  const stop = () => void running.kill("SIGTERM");
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, stop);
  await new Promise((resolve) => running.once("exit", resolve));
  await vite.close();
  await database.close();
}

/** The server only listens on this machine. Others may reach Vite on HOST, which the server does not know. */
async function guardDemo(config: Config, database: OpenedDatabase): Promise<void> {
  if (config.reachedBy === null) return;
  const pool = openPool({ connectionString: database.directConnectionString, connections: 2 });
  const context = { now: () => Temporal.Now.instant(), print: console.log };
  try {
    await migrateAsOwner(database, config.idRange, console.log);
    for (const line of (await openConfiguredDemo(config, pool, context)) ?? []) console.log(line);
  } finally {
    await pool.end();
  }
}

async function freePort(): Promise<number> {
  const probe = createProbe();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
}

try {
  await develop();
} catch (problem) {
  const isBusyPort = problem instanceof Error && /already in use/.test(problem.message);
  if (!(problem instanceof StartupProblem) && !isBusyPort) throw problem;
  console.error(problem.message);
  process.exitCode = 1;
}
