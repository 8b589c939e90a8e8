/** A measured figure and its limit. */
export interface Limit {
  /** Unit of the number, such as "of raw". */
  what: string;
  measured: number;
  unit?: string;
  least?: number;
  most?: number;
}

/** One line of the table. */
export interface Row {
  name: string;
  unit: "rows/s" | "calls/s" | "s" | "ms" | "messages/s" | "MB";
  /** Figure of each round. */
  raw?: number[];
  product: number[];
  /** Milliseconds, over all rounds. */
  p50?: { raw?: number; product: number };
  p99?: { raw?: number; product: number };
  /** Memory of the product's process, in megabytes. */
  peakMegabytes?: number;
  limits: Limit[];
  /** Why there is no figure: the row is missed. */
  failure?: string;
}

/** Results of a row. */
export type Measured = Omit<Row, "name">;

/** The number of limits not met; a failed row counts as one. */
export const missedIn = (rows: Row[]): number =>
  rows.reduce(
    (sum, { failure, limits }) =>
      sum + (failure === undefined ? limits.filter((limit) => !isMet(limit)).length : 1),
    0,
  );

function isMet({ measured, least, most }: Limit): boolean {
  return (
    (least === undefined || measured >= least) &&
    (most === undefined || measured <= most) &&
    Number.isFinite(measured)
  );
}

/** The table as Markdown, as in docs/performance.md. */
export function tableOf(rows: Row[]): string {
  const head = ["row", "raw", "product", "p50 ms", "p99 ms", "peak MB", "measured (limit)"];
  const cells = rows.map((row) =>
    row.failure === undefined
      ? [
          row.name,
          row.raw ? figure(median(row.raw), row.unit) : "",
          figure(median(row.product), row.unit),
          rawAndProduct(row.p50),
          rawAndProduct(row.p99),
          row.peakMegabytes === undefined ? "" : row.peakMegabytes.toFixed(0),
          row.limits.map(limitText).join("; "),
        ]
      : [row.name, "", "", "", "", "", `**missed**: ${cellText(row.failure)}`],
  );
  return [head, head.map(() => "---"), ...cells].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Median of the rounds' ratios: a shared machine disturbs both halves of a round alike. */
export const medianRatio = (counted: number[], of: number[]) =>
  median(counted.map((value, round) => value / (of[round] ?? Number.NaN)));

export function percentile(values: number[], share: number): number {
  const sorted = Float64Array.from(values).toSorted();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function limitText(limit: Limit): string {
  const { what, measured, unit = "", least, most } = limit;
  const bound = least === undefined ? `≤ ${plain(most ?? 0)}${unit}` : `≥ ${plain(least)}${unit}`;
  const verdict = isMet(limit) ? "" : " **missed**";
  return `${rounded(measured)}${unit} ${what} (${bound})${verdict}`;
}

const cellText = (text: string) => text.trim().replaceAll(/\s+/g, " ").replaceAll("|", "/");

const rounded = (value: number) => (Math.abs(value) >= 100 ? plain(value) : value.toPrecision(3));

const plain = (value: number) =>
  value.toLocaleString("en-US", { maximumFractionDigits: value >= 100 ? 0 : 3 });

const figure = (value: number, unit: Row["unit"]) => `${rounded(value)} ${unit}`;

function rawAndProduct(times: { raw?: number; product: number } | undefined): string {
  if (!times) return "";
  const product = times.product.toFixed(1);
  return times.raw === undefined ? product : `${times.raw.toFixed(1)} → ${product}`;
}
