import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { Gauge, Registry } from "prom-client";
import { billingMetrics } from "#features/ledger/metrics.ts";
import { mailMetrics } from "#features/mail/metrics.ts";
import { cardMetrics } from "#features/cards/metrics.ts";
import { exportMetrics } from "#features/exports/metrics.ts";
import { networkMetrics } from "#features/networks/metrics.ts";
import { webhookMetrics } from "#features/webhooks/metrics.ts";
import { isLostConnection } from "#db/lost-connection.ts";
import { databaseServerMetrics } from "#db/metrics.ts";
import { jobMetrics } from "#jobs/metrics.ts";
import type { MetricQuery } from "#ops/metric-query.ts";

/** Everything that `/metrics` of each process reports of the database. */
const queries: MetricQuery[] = [
  ...databaseServerMetrics,
  ...networkMetrics,
  ...jobMetrics,
  ...billingMetrics,
  ...cardMetrics,
  ...mailMetrics,
  ...webhookMetrics,
  ...exportMetrics,
];

const cacheMs = 10_000;
/** Prometheus waits ten seconds for all of `/metrics`. */
const timeoutMs = 4_000;
/** Connections may all be taken: the answer does not wait for one. */
const late = () => sleep(timeoutMs, false, { ref: false });

/**
 * What the database holds, in the form that Prometheus reads. It is read at most every ten seconds,
 * however many ask; when it cannot be read within four, the only metric is `database_up 0`.
 */
export function databaseMetrics(pool: pg.Pool, chosen = queries): () => Promise<string> {
  let known = "";
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<boolean> | null = null;

  async function read(): Promise<boolean> {
    try {
      const registry = new Registry();
      for (const query of chosen) addGauges(registry, query, await readRows(pool, query));
      known = await registry.metrics();
      readAt = performance.now();
      return true;
    } catch {
      return false; // database_up says so; the requests and jobs that fail say why
    } finally {
      reading = null;
    }
  }

  return async () => {
    const isFresh = performance.now() - readAt < cacheMs;
    const isUp = isFresh || (await Promise.race([(reading ??= read()), late()]));
    const up = new Registry();
    new Gauge({
      name: "database_up",
      help: "1 when the figures below could be read",
      registers: [up],
    }).set(Number(isUp));
    return (await up.metrics()) + (isUp ? known : "");
  };
}

type Row = Record<string, unknown>;

/** No rows where PostgreSQL keeps a view of its own from our role. */
async function readRows(pool: pg.Pool, query: MetricQuery): Promise<Row[]> {
  try {
    return (await pool.query<Row>(query.sql)).rows;
  } catch (problem) {
    if (query.isOfServer && !isLostConnection(problem)) return [];
    throw problem;
  }
}

function addGauges(registry: Registry, { metrics, label }: MetricQuery, rows: Row[]): void {
  for (const [name, help] of Object.entries(metrics)) {
    const values = rows.filter((row) => typeof row[name] === "number");
    if (values.length === 0) continue; // a gauge without a value would read 0
    const labelNames = label === undefined ? [] : [label];
    const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
    for (const row of values)
      gauge.set(label === undefined ? {} : { [label]: String(row["label"]) }, Number(row[name]));
  }
}
