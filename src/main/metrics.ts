import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
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
      const blocks: string[] = [];
      const readable = new Map<string, number>();
      for (const query of chosen) {
        const rows = query.statistic
          ? await readStatistic(pool, query)
          : await readRows(pool, query);
        if (rows !== null) blocks.push(formatMetrics(query, rows));
        if (query.statistic)
          readable.set(
            query.statistic.name,
            Math.min(readable.get(query.statistic.name) ?? 1, Number(rows !== null)),
          );
      }
      known = blocks.join("") + formatReadable(readable);
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
    const up = formatGauge("database_up", "1 when the figures below could be read", [
      ["", Number(isUp)],
    ]);
    return isUp ? `${up}${known}` : up;
  };
}

type Row = Record<string, unknown>;

async function readRows(pool: pg.Pool, query: MetricQuery): Promise<Row[]> {
  return (await pool.query<Row>(query.sql)).rows;
}

/** Null when it cannot be read. PostgreSQL's log would have a line for each try that it refused: so it is asked first. */
async function readStatistic(pool: pg.Pool, query: MetricQuery): Promise<Row[] | null> {
  const { mayRead } = query.statistic ?? {};
  try {
    if (mayRead !== undefined) {
      const { rows } = await pool.query<{ mayRead: boolean }>(`select ${mayRead} as "mayRead"`);
      if (rows[0]?.mayRead !== true) return null;
    }
    return await readRows(pool, query);
  } catch (problem) {
    if (isLostConnection(problem)) throw problem;
    return null;
  }
}

function formatReadable(readable: Map<string, number>): string {
  return formatGauge(
    "database_statistics_readable",
    "1 when our role may read these figures of PostgreSQL; 0: they are missing",
    [...readable].map(([name, value]) => [`{statistic="${name}"}`, value]),
  );
}

function formatMetrics(query: MetricQuery, rows: Row[]): string {
  const values = (metric: string) =>
    rows.flatMap((row): [string, number][] => {
      const value = row[metric];
      const label = query.label ? `{${query.label}=${JSON.stringify(row["label"])}}` : "";
      return typeof value === "number" ? [[label, value]] : [];
    });
  return Object.entries(query.metrics)
    .map(([metric, meaning]) => formatGauge(metric, meaning, values(metric)))
    .join("");
}

function formatGauge(metric: string, meaning: string, values: [string, number][]): string {
  if (values.length === 0) return "";
  const lines = values.map(([label, value]) => `${metric}${label} ${value}\n`);
  return `# HELP ${metric} ${meaning}\n# TYPE ${metric} gauge\n${lines.join("")}`;
}
