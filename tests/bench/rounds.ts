import type { Load } from "./load.ts";
import type { Server } from "./process.ts";
import { median, percentile, type Row } from "./row.ts";

interface Compared {
  name: string;
  rounds: number;
  raw: (round: number) => Promise<Load>;
  product: (round: number) => Promise<Load>;
  server: Server;
  minRatio: number;
  /** The product's p99, at most so many times raw's. */
  mostP99?: number;
  /** Once both are warm, before anything counts. */
  settle?: () => Promise<void>;
}

/**
 * Calls of each before anything counts. V8 compiles what is called often: the product's first thousand
 * calls take up to three times the processor time of later ones, and what it compiles is much more
 * than the few lines of the raw side. A busy machine makes few calls in a fixed time.
 */
const warmUpCalls = 4_000;

/** The same load on raw statements and on the product, in turn, once both are warm. */
export async function compareLoads(compared: Compared): Promise<Row> {
  const { rounds, server } = compared;
  const raws: Load[] = [];
  const products: Load[] = [];
  await warmUp(compared.raw);
  await warmUp(compared.product);
  await compared.settle?.();
  const { megabytes } = await server.during(async () => {
    for (let round = 0; round < rounds; round += 1) {
      raws.push(await compared.raw(round));
      products.push(await compared.product(round));
    }
  });
  const [raw, product] = [rates(raws), rates(products)];
  const [rawP99, productP99] = [raws, products].map(p99s) as [number[], number[]];
  const row: Row = {
    name: compared.name,
    unit: "calls/s",
    raw,
    product,
    p50: { raw: typical(raws, 0.5), product: typical(products, 0.5) },
    p99: { raw: median(rawP99), product: median(productP99) },
    peakMegabytes: megabytes,
    limits: [
      { what: "of raw", measured: typicalRatio(product, raw), least: compared.minRatio },
      { what: "memory", measured: megabytes, unit: " MB", most: 180 },
    ],
  };
  if (compared.mostP99 !== undefined)
    row.limits.push({
      what: "× raw's p99",
      measured: typicalRatio(productP99, rawP99),
      most: compared.mostP99,
    });
  return row;
}

/** Its rounds have negative numbers. */
async function warmUp(load: (round: number) => Promise<Load>): Promise<void> {
  let calls = 0;
  for (let round = -1; calls < warmUpCalls; round -= 1) calls += (await load(round)).times.length;
}

const rates = (loads: Load[]) => loads.map(({ rate }) => rate);

const p99s = (loads: Load[]) => loads.map(({ times }) => percentile(times, 0.99));

/** The median of the rounds' ratios: what a shared machine does to one half, it does to the other. */
const typicalRatio = (products: number[], raws: number[]) =>
  median(products.map((product, round) => product / (raws[round] ?? Number.NaN)));

/** The median of the rounds' percentiles, so that one round that others disturbed does not count. */
const typical = (loads: Load[], share: number) =>
  median(loads.map(({ times }) => percentile(times, share)));
