import type pg from "pg";
import { billingMetrics } from "#features/ledger/metrics.ts";
import { mailMetrics } from "#features/mail/metrics.ts";
import { cardMetrics } from "#features/cards/metrics.ts";
import { exportMetrics } from "#features/exports/metrics.ts";
import { jobMetrics } from "#jobs/metrics.ts";
import type { MetricQuery } from "#ops/metric-query.ts";

/** Everything that each process tells of the database. */
const queries: MetricQuery[] = [
  ...jobMetrics,
  ...billingMetrics,
  ...cardMetrics,
  ...mailMetrics,
  ...exportMetrics,
];

const keptMs = 10_000;
/** Prometheus waits ten seconds for all of `/metrics`. */
const timeoutMs = 4_000;

/** A table of the job queue that no worker has made yet. */
const undefinedTable = "42P01";

/**
 * What the database holds, in the form that Prometheus reads. It is read at most every ten seconds,
 * however many ask; when it cannot be read within four, nothing is told but `database_up 0`.
 */
export function databaseMetrics(pool: pg.Pool): () => Promise<string> {
  let known = "";
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<boolean> | null = null;

  async function read(): Promise<boolean> {
    try {
      const told: string[] = [];
      for (const tally of queries) told.push(toldOf(tally, await rowsOf(pool, tally)));
      known = told.join("");
      readAt = performance.now();
      return true;
    } catch {
      return false; // database_up says so; the requests and jobs that fail say why
    } finally {
      reading = null;
    }
  }

  return async () => {
    const isFresh = performance.now() - readAt < keptMs;
    const isUp = isFresh || (await withinPatience((reading ??= read())));
    const up = inForm("database_up", "1 when the figures below could be read", [
      ["", Number(isUp)],
    ]);
    return isUp ? `${up}${known}` : up;
  };
}

/** Connections may all be taken: the answer does not wait for one. */
async function withinPatience(reading: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, timeoutMs, false)));
  const isRead = await Promise.race([reading, late]);
  clearTimeout(timer);
  return isRead;
}

type Row = Record<string, unknown>;

async function rowsOf(pool: pg.Pool, tally: MetricQuery): Promise<Row[]> {
  try {
    return (await pool.query<Row>(tally.sql)).rows;
  } catch (problem) {
    if (problem instanceof Error && "code" in problem && problem.code === undefinedTable) return [];
    throw problem;
  }
}

function toldOf(tally: MetricQuery, rows: Row[]): string {
  const values = (figure: string) =>
    rows.flatMap((row): [string, number][] => {
      const value = row[figure];
      const label = tally.label ? `{${tally.label}=${JSON.stringify(row["label"])}}` : "";
      return typeof value === "number" ? [[label, value]] : [];
    });
  return Object.entries(tally.metrics)
    .map(([figure, meaning]) => inForm(figure, meaning, values(figure)))
    .join("");
}

function inForm(figure: string, meaning: string, values: [string, number][]): string {
  if (values.length === 0) return "";
  const lines = values.map(([label, value]) => `${figure}${label} ${value}\n`);
  return `# HELP ${figure} ${meaning}\n# TYPE ${figure} gauge\n${lines.join("")}`;
}
