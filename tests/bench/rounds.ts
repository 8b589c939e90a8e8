import type { Load } from "./load.ts";
import type { Server } from "./process.ts";
import { type Measured, median, medianRatio, percentile } from "./row.ts";

interface Compared {
  rounds: number;
  raw: (round: number) => Promise<Load>;
  product: (round: number) => Promise<Load>;
  server: Server;
  minRatio: number;
  /** Limit: the product's p99, as a multiple of raw's. */
  mostP99?: number;
  /** Warm-up of both sides. */
  settle?: () => Promise<void>;
}

/**
 * Calls of each side before measuring. V8 compiles in steps what is called often: a referral is answered
 * 1,400 times a second at first, 2,900 times after 4,000 calls and 3,700 times after 30,000; the few lines of
 * the raw side reach their speed after 4,000. Slow calls need fewer, so seconds bound them. On a busy machine
 * few calls fit in a time, so there is a minimum number too.
 */
const leastCalls = 4_000;
const productCalls = 30_000;
const productSeconds = 8;

/** The same load on raw statements and on the product, in turn, once both are warm. */
export async function compareLoads(compared: Compared): Promise<Measured> {
  const { rounds, server } = compared;
  const raws: Load[] = [];
  const products: Load[] = [];
  await warmUp(compared.raw, () => true);
  const begun = performance.now();
  await warmUp(
    compared.product,
    (calls) => calls >= productCalls || performance.now() - begun > productSeconds * 1000,
  );
  await compared.settle?.();
  const { megabytes } = await server.during(async () => {
    for (let round = 0; round < rounds; round += 1) {
      raws.push(await compared.raw(round));
      products.push(await compared.product(round));
    }
  });
  const [raw, product] = [rates(raws), rates(products)];
  const [rawP99, productP99] = [raws, products].map(p99s) as [number[], number[]];
  const row: Measured = {
    unit: "calls/s",
    raw,
    product,
    p50: { raw: typical(raws, 0.5), product: typical(products, 0.5) },
    p99: { raw: median(rawP99), product: median(productP99) },
    peakMegabytes: megabytes,
    limits: [
      { what: "of raw", measured: medianRatio(product, raw), least: compared.minRatio },
      { what: "memory", measured: megabytes, unit: " MB", most: 190 },
    ],
  };
  if (compared.mostP99 !== undefined)
    row.limits.push({
      what: "× raw's p99",
      measured: medianRatio(productP99, rawP99),
      most: compared.mostP99,
    });
  return row;
}

/** Its rounds have negative numbers. */
async function warmUp(
  load: (round: number) => Promise<Load>,
  isWarm: (calls: number) => boolean,
): Promise<void> {
  let calls = 0;
  for (let round = -1; calls < leastCalls || !isWarm(calls); round -= 1)
    calls += (await load(round)).times.length;
}

const rates = (loads: Load[]) => loads.map(({ rate }) => rate);

const p99s = (loads: Load[]) => loads.map(({ times }) => percentile(times, 0.99));

/** Median of the rounds' percentiles, so that one disturbed round does not count. */
const typical = (loads: Load[], share: number) =>
  median(loads.map(({ times }) => percentile(times, share)));
