import type pg from "pg";
import { Gauge, Registry } from "prom-client";
import { billingMetrics } from "#dues/ledger/metrics.ts";
import { mailMetrics } from "#outgoing/mail/metrics.ts";
import { cardMetrics } from "#cards/metrics.ts";
import { exportMetrics } from "#office/reports/metrics.ts";
import { networkMetrics } from "#access/networks/metrics.ts";
import { webhookMetrics } from "#outgoing/webhooks/metrics.ts";
import { isLostConnection } from "#kit/db/lost-connection.ts";
import { databaseServerMetrics } from "#kit/db/metrics.ts";
import { jobMetrics } from "#kit/jobs/metrics.ts";
import type { MetricQuery } from "#kit/ops/metric-query.ts";
import { throttledRead } from "#kit/ops/throttled-read.ts";

/** Every process's `/metrics` about the database. */
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

/**
 * The database's figures in Prometheus format. They are read at most every ten seconds for all requests; if they cannot
 * be read within four, the only metric is `database_up 0`.
 */
export function databaseMetrics(pool: pg.Pool, chosen = queries): () => Promise<string> {
  const figures = throttledRead(() => readFigures(pool, chosen), {
    everyMs: cacheMs,
    withinMs: timeoutMs, // do not wait if all connections are taken
    late: null,
    isKept: (read) => read !== null,
  });
  return async () => {
    const known = await figures();
    const up = new Registry();
    new Gauge({
      name: "database_up",
      help: "1 if the figures below could be read",
      registers: [up],
    }).set(Number(known !== null));
    return (await up.metrics()) + (known ?? "");
  };
}

async function readFigures(pool: pg.Pool, chosen: MetricQuery[]): Promise<string | null> {
  try {
    const registry = new Registry();
    for (const query of chosen) addGauges(registry, query, await readRows(pool, query));
    return await registry.metrics();
  } catch {
    return null; // database_up says so; failing requests and jobs say why
  }
}

type Row = Record<string, unknown>;

/** No rows if PostgreSQL hides a view from our role. */
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
    if (values.length === 0) continue; // a gauge without a value would show 0
    const labelNames = label === undefined ? [] : [label];
    const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
    for (const row of values)
      gauge.set(label === undefined ? {} : { [label]: String(row["label"]) }, Number(row[name]));
  }
}
