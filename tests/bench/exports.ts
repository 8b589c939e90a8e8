import "#main/reports.ts";
import { readFileSync } from "node:fs";
import { setTimeout as after } from "node:timers/promises";
import { openDatabase, openPool } from "#kit/db/database.ts";
import { copyOut } from "#kit/db/copy-out.ts";
import { readChoices } from "#office/reports/choices.ts";
import { exportQuery } from "#office/reports/export-query.ts";
import type { ExportDefinition } from "#kit/list/report.ts";
import { journalRows as journal } from "#dues/ledger/journal/journal.rows.ts";
import { reportOf } from "#kit/list/report-of.ts";
import { subscriptionPayments } from "#payments/shares.report.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { HttpConnection, requestText } from "./load.ts";
import { type Server, startServer } from "./process.ts";
import { attempt } from "./attempt.ts";
import { type Measured, median, medianRatio, percentile, type Row } from "./row.ts";
import { type Headers, signInAdmin } from "./session.ts";
import { expectSame, oneRow, type World } from "./world.ts";

/** A report over all time, with all its columns. */
const requestOf = ({ value, columns }: ExportDefinition) => ({
  report_type: value,
  columns: columns.map((column) => column.value),
  start_date: "01011990",
  end_date: "12312090",
});

interface Exporting {
  world: World;
  networkId: number;
  type: ExportDefinition;
  /** Bytes of the file. */
  rows: number;
  server: Server;
  headers: Headers;
}

/**
 * Payments with all their columns, from the request to the finished file, beside `COPY … TO STDOUT` of the
 * same statement to a client that discards what it reads. Also how slow other calls become.
 */
export async function exportRows(world: World): Promise<Row[]> {
  const most = 1_000_000;
  const measure = (name: string, payments: number, work: typeof exportRow) =>
    attempt(world, name, async () => withServer(world, await paymentsOf(world, payments), work));
  const exported = (payments: number) =>
    measure(`export of ${rowsToFile(payments)}`, payments, exportRow);
  const row = await exported(world.isQuick ? most / 20 : most / 10);
  if (world.isQuick) return [row];
  return [
    row,
    await exported(most),
    await measure("others' calls during an export (raw: without one)", most, latenciesDuringExport),
  ];
}

const rowsToFile = (rows: number) =>
  `${rows.toLocaleString("en-US")} rows, request to finished file`;

type Wanted = Pick<Exporting, "networkId" | "type" | "rows">;

const filled = new Map<number, number>();

async function paymentsOf(world: World, rows: number): Promise<Wanted> {
  const networkId = filled.get(rows) ?? (await fill(world, rows));
  filled.set(rows, networkId);
  return { networkId, type: subscriptionPayments, rows };
}

/** The same for the journal of a million entries, two lines each. */
export async function journalRows(world: World): Promise<Row[]> {
  const { networkId, entries } = await aNetworkOfEntries(world);
  const rows = entries * 2;
  return [
    await attempt(world, `journal of ${rowsToFile(rows)}`, () =>
      withServer(world, { networkId, type: reportOf(journal), rows }, exportRow),
    ),
  ];
}

let withEntries: { networkId: number; entries: number } | undefined;

/** A network with a million entries; made once. */
export async function aNetworkOfEntries(
  world: World,
): Promise<{ networkId: number; entries: number }> {
  if (withEntries) return withEntries;
  const entries = world.isQuick ? 50_000 : 1_000_000;
  const networkId = await fill(world, entries / 2);
  const text = readFileSync(new URL("entries-of-payments.sql", import.meta.url), "utf8");
  await world.client.query(text.replaceAll(":network", String(networkId)));
  await world.client.query("vacuum analyze");
  return (withEntries = { networkId, entries });
}

async function withServer<Answer>(
  world: World,
  wanted: Wanted,
  work: (exporting: Exporting) => Promise<Answer>,
): Promise<Answer> {
  const headers = await signInAdmin(world, wanted.networkId);
  const server = await startServer(world, { roles: "web,worker" });
  try {
    await exportOnce({ world, ...wanted, server, headers }, "01021990"); // loads and compiles
    return await work({ world, ...wanted, server, headers });
  } finally {
    await server.stop();
  }
}

async function fill(world: World, rows: number): Promise<number> {
  world.log(`Making ${rows.toLocaleString("en-US")} payments …`);
  const { id: networkId } = await makeNetwork(world.db, { name: `Exports ${rows}` });
  const text = readFileSync(new URL("payments-to-export.sql", import.meta.url), "utf8");
  const { first = 0 } = await oneRow(world, "select coalesce(max(id), 0) + 1 as first from debits");
  await world.client.query(
    text
      .replaceAll(":network", String(networkId))
      .replaceAll(":rows", String(rows))
      .replaceAll(":first", String(first)),
  );
  // Keep the server's jobs from billing or sending during the measurement.
  await world.client.query("update billing_progress set billed_through = '2090-12-31'");
  await world.client.query("update mails set status = 'sent', sent_at = now()");
  await world.client.query("vacuum analyze");
  return networkId;
}

async function exportRow(wanted: Exporting): Promise<Measured> {
  const { world, rows, server } = wanted;
  const copies: number[] = [];
  const exports: number[] = [];
  const before = server.memory();
  const { megabytes } = await server.during(async () => {
    for (let round = 0; round < world.rounds; round += 1) {
      copies.push(await copySeconds(wanted));
      const made = await exportOnce(wanted);
      expectSame("rows of the file", made.rows, rows);
      exports.push(made.seconds);
    }
  });
  const rates = (times: number[]) => times.map((time) => rows / time);
  return {
    unit: "rows/s",
    raw: rates(copies),
    product: rates(exports),
    peakMegabytes: megabytes,
    limits: [
      // A worker looks for orders once a second, which is most of the time for a few thousand rows.
      ...(rows >= 1_000_000
        ? [
            {
              what: "of COPY",
              measured: medianRatio(copies, exports),
              least: 0.6,
            },
          ]
        : []),
      { what: "growth", measured: megabytes - before, unit: " MB", most: 32 },
      { what: "memory", measured: megabytes, unit: " MB", most: 190 },
    ],
  };
}

/** The export's statement, read by a client that discards what it reads. */
async function copySeconds({ world, networkId, type }: Exporting): Promise<number> {
  const { connectionString } = world;
  const pool = openPool({ connectionString, statementTimeoutMs: 0 });
  const today = "2026-01-01";
  const network = { networkId, timeZone: "America/New_York", today };
  const query = exportQuery(openDatabase(pool), readChoices(requestOf(type), today), network);
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
  rows: number;
}

/** Order a report and wait until it is ready. Returns its own timestamps, to the millisecond. */
async function exportOnce(wanted: Exporting, endDate?: string): Promise<Exported> {
  const { server, headers, world, type } = wanted;
  const connection = await HttpConnection.to(server.port);
  const request = requestOf(type);
  const body = JSON.stringify({ ...request, end_date: endDate ?? request.end_date });
  await connection.ask(requestText("POST", "/data_export.json", headers, body));
  for (;;) {
    const listed = await connection.ask(requestText("GET", "/data_exports?per_page=1", headers));
    const [made] = JSON.parse(listed).object.items;
    if (made.status === "failed") throw new Error(made.failureReason);
    if (made.status === "ready") {
      connection.close();
      await world.client.query("truncate data_export_pieces");
      const seconds = (Date.parse(made.finishedAt) - Date.parse(made.createdAt)) / 1000;
      return { seconds, rows: made.rows };
    }
    await after(250); // polling faster would add load of its own
  }
}

/** Latency of forty calls a second with and without a report being made, in turn. */
async function latenciesDuringExport(wanted: Exporting): Promise<Measured> {
  const rounds = 5; // the slowest hundredth of some hundred calls is four calls, so it varies
  const quiet: number[][] = [];
  const busy: number[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    quiet.push(await latencies(wanted, after(10_000)));
    busy.push(await latencies(wanted, exportOnce(wanted)));
  }
  const typical = (times: number[][], share: number) =>
    median(times.map((one) => percentile(one, share)));
  const p99 = { raw: typical(quiet, 0.99), product: typical(busy, 0.99) };
  const ratios = busy.map(
    (times, round) => percentile(times, 0.99) / percentile(quiet[round] ?? [], 0.99),
  );
  return {
    unit: "calls/s",
    product: [40],
    p50: { raw: typical(quiet, 0.5), product: typical(busy, 0.5) },
    p99,
    limits: [{ what: "× without", measured: median(ratios), most: 2 }],
  };
}

type Called = Pick<Exporting, "headers"> & { server: Pick<Server, "port"> };

/** Latencies in milliseconds of calls made until `done`. Rejects with the first that fails. */
export async function latencies(wanted: Called, done: Promise<unknown>): Promise<number[]> {
  const paths = ["/attorneys?per_page=50", "/lrs_subscriptions/", "/legal_networks/settings"];
  const times: number[] = [];
  const calls: Promise<void>[] = [];
  const ended = done.then(() => true);
  for (let number = 0; !(await Promise.race([ended, after(25, false)])); number += 1)
    calls.push(markHandled(measureLatency(wanted, paths[number % paths.length] ?? "", times)));
  await Promise.all(calls);
  return times;
}

/** Marks a promise as handled, so that a rejection before it is awaited does not end the process. */
function markHandled<Answer>(call: Promise<Answer>): Promise<Answer> {
  call.catch(() => undefined);
  return call;
}

async function measureLatency(
  { server, headers }: Called,
  path: string,
  times: number[],
): Promise<void> {
  const connection = await HttpConnection.to(server.port);
  const begun = performance.now();
  await connection.ask(requestText("GET", path, headers));
  times.push(performance.now() - begun);
  connection.close();
}
