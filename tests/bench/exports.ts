import { type ChildProcess, spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import pg from "pg";
import { copyOut } from "#server/copy-out.ts";
import { csrfToken } from "#server/csrf.ts";
import { openDatabase, openPool } from "#server/database.ts";
import { openEmbeddedDatabase } from "#server/embedded-database.ts";
import { migrate } from "#server/migrate.ts";
import { sessionCookieName } from "#server/session.ts";
import { readChoices } from "#features/reports/choices.ts";
import { exportQuery } from "#features/reports/export-query.ts";
import { subscriptionPayments } from "#features/reports/money-types.ts";
import { freePort, projectFolder } from "#tests/support/launched.ts";

/*
 * One million payment rows, all columns, through a server of its own: how fast beside COPY … TO
 * STDOUT of the same statement to a client in the same run, what the server's memory grows by, when
 * the first byte is on disk, and what it costs whoever uses the product meanwhile. Not part of
 * `npm test`: node tests/bench/exports.ts, about four minutes. DATABASE_URL names a database to
 * measure on that has been filled before; without it, one is made and removed again.
 */

const secret = randomBytes(24).toString("base64url");
const rounds = 3;
const request = {
  report_type: "subscription_payments",
  columns: subscriptionPayments.columns.map(({ value }) => value),
  start_date: "01011990",
  end_date: "12312090",
};

const folder = mkdtempSync(join(tmpdir(), "bench-exports-"));
const given = process.env["DATABASE_URL"];
const embedded = given ? null : await openEmbeddedDatabase({ dataDir: folder, log: console.error });
const connectionString = given ?? embedded?.connectionString ?? "";
try {
  await measure();
} finally {
  await embedded?.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  await migrate(connectionString);
  await fillOnce();
  const server = await startServer();
  try {
    await exportOnce(server, { ...request, end_date: "01021990" }); // the first loads and compiles
    const quiet = await latencies(server, after(15_000));
    const copies: number[] = [];
    const exports: Exported[] = [];
    for (let round = 0; round < rounds; round += 1) {
      copies.push(await copySeconds());
      exports.push(await exportOnce(server));
    }
    const busyExport = exportOnce(server);
    const busy = await latencies(server, busyExport);
    report({ quiet, busy, copies, exports });
  } finally {
    server.child.kill("SIGTERM");
    await once(server.child, "exit");
  }
}

async function fillOnce(): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query("select from payment_allocations limit 1");
  if (rows.length === 0) {
    console.error("Making a million payments …");
    await client.query(readFileSync(new URL("million-payments.sql", import.meta.url), "utf8"));
  }
  await client.end();
}

interface Server {
  child: ChildProcess;
  url: string;
  headers: Record<string, string>;
}

async function startServer(): Promise<Server> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(projectFolder, "src/server/main.ts")], {
    env: {
      PATH: process.env["PATH"],
      DATABASE_URL: connectionString,
      APP_SECRET: secret,
      DATA_DIR: folder,
      PORT: String(port),
      RATE_LIMITS: "0",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const text of child.stdout) if (String(text).includes("ready")) break;
  child.stdout.resume();
  const client = new pg.Client({ connectionString });
  await client.connect();
  const token = randomBytes(24).toString("base64url");
  await client.query(
    `insert into sessions (user_id, token, expires_at)
     select id, $1, now() + interval '1 day' from users where role = 'admin' order by id limit 1`,
    [token],
  );
  await client.end();
  const signature = createHmac("sha256", secret).update(token).digest("base64");
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    headers: {
      cookie: `${sessionCookieName(false)}=${encodeURIComponent(`${token}.${signature}`)}`,
      "x-csrf-token": csrfToken({ sessionToken: token, visitorSecret: undefined }, secret),
      "content-type": "application/json",
    },
  };
}

/** The same statement as the export's, read by a client that throws away what it reads. */
async function copySeconds(): Promise<number> {
  const pool = openPool({ connectionString, statementTimeoutMs: 0 });
  const query = exportQuery(openDatabase(pool), readChoices(request), {
    networkId: 1,
    timeZone: "America/New_York",
    today: "2026-01-01",
  });
  const client = await pool.connect();
  await client.query("set datestyle = 'SQL, MDY'");
  const begun = performance.now();
  await copyOut(client, query.copy, async () => undefined);
  const seconds = (performance.now() - begun) / 1000;
  client.release(true);
  await pool.end();
  return seconds;
}

interface Exported {
  seconds: number;
  firstByteSeconds: number;
  megabytesGrown: number;
  bytes: number;
}

async function exportOnce(server: Server, wanted = request): Promise<Exported> {
  const before = await residentMegabytes(server);
  const begun = performance.now();
  const ordered = await fetch(`${server.url}/data_export.json`, {
    method: "POST",
    headers: server.headers,
    body: JSON.stringify(wanted),
  });
  if (!ordered.ok) throw new Error(await ordered.text());
  const files = join(folder, "exports", "1");
  let firstByteSeconds = 0;
  let greatest = before;
  for (;;) {
    const part = existsSync(files) && readdirSync(files).find((name) => name.endsWith(".part"));
    if (
      part &&
      !firstByteSeconds &&
      (statSync(join(files, part), { throwIfNoEntry: false })?.size ?? 0) > 0
    )
      firstByteSeconds = (performance.now() - begun) / 1000;
    greatest = Math.max(greatest, await residentMegabytes(server));
    const { items } = (await asked(server, "/data_exports?per_page=1")).object;
    const [made] = items;
    if (made.status === "failed") throw new Error(made.failureReason);
    if (made.status === "ready") {
      const seconds = (Date.parse(made.finishedAt) - Date.parse(made.createdAt)) / 1000;
      return {
        seconds,
        firstByteSeconds,
        megabytesGrown: greatest - before,
        bytes: made.file.bytes,
      };
    }
    await after(50);
  }
}

async function asked(server: Server, path: string) {
  const answer = await fetch(`${server.url}${path}`, { headers: server.headers });
  return await answer.json();
}

async function residentMegabytes(server: Server): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 1e6;
}

/** Forty calls a second until `done`, as several people at work make them: their times, sorted. */
async function latencies(server: Server, done: Promise<unknown>): Promise<number[]> {
  const paths = ["/attorneys?per_page=50", "/attorneys/77", "/lrs_subscriptions/"];
  const times: number[] = [];
  const calls: Promise<void>[] = [];
  const ended = done.then(() => true);
  for (let number = 0; !(await Promise.race([ended, after(25, false)])); number += 1)
    calls.push(timed(server, paths[number % paths.length] ?? "", times));
  await Promise.all(calls);
  return times.toSorted((a, b) => a - b);
}

async function timed(server: Server, path: string, times: number[]): Promise<void> {
  const begun = performance.now();
  await asked(server, path);
  times.push(performance.now() - begun);
}

function percentile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function report(found: {
  quiet: number[];
  busy: number[];
  copies: number[];
  exports: Exported[];
}): void {
  const copy = Math.min(...found.copies);
  const best = Math.min(...found.exports.map((one) => one.seconds));
  const [quiet, busy] = [percentile(found.quiet, 0.99), percentile(found.busy, 0.99)];
  console.log(
    JSON.stringify(
      {
        rows: 1_000_000,
        megabytes: Math.round((found.exports[0]?.bytes ?? 0) / 1e6),
        copySeconds: found.copies,
        exportSeconds: found.exports.map((one) => one.seconds),
        speedBesideCopy: copy / best,
        firstByteSeconds: found.exports.map((one) => one.firstByteSeconds),
        megabytesGrown: found.exports.map((one) => Math.round(one.megabytesGrown)),
        p50: { quiet: percentile(found.quiet, 0.5), busy: percentile(found.busy, 0.5) },
        p99: { quiet, busy, ratio: busy / quiet },
      },
      null,
      2,
    ),
  );
}
