import type { Load } from "./load.ts";
import type { Server } from "./process.ts";
import { median, percentile, type Row } from "./row.ts";

interface Compared {
  name: string;
  rounds: number;
  raw: (round: number) => Promise<Load>;
  product: (round: number) => Promise<Load>;
  server: Server;
  leastRatio: number;
  /** The product's p99, at most so many times raw's. */
  mostP99?: number;
}

/** The same load on raw statements and on the product, in turn, after a moment that warms both up. */
export async function compareLoads(compared: Compared): Promise<Row> {
  const { rounds, server } = compared;
  const raws: Load[] = [];
  const products: Load[] = [];
  await compared.raw(-1);
  await compared.product(-1);
  const { megabytes } = await server.during(async () => {
    for (let round = 0; round < rounds; round += 1) {
      raws.push(await compared.raw(round));
      products.push(await compared.product(round));
    }
  });
  const [raw, product] = [rates(raws), rates(products)];
  const p99 = { raw: typical(raws, 0.99), product: typical(products, 0.99) };
  const row: Row = {
    name: compared.name,
    unit: "calls/s",
    raw,
    product,
    p50: { raw: typical(raws, 0.5), product: typical(products, 0.5) },
    p99,
    peakMegabytes: megabytes,
    limits: [
      { what: "of raw", measured: median(product) / median(raw), least: compared.leastRatio },
      { what: "memory", measured: megabytes, unit: " MB", most: 180 },
    ],
  };
  if (compared.mostP99 !== undefined)
    row.limits.push({
      what: "× raw's p99",
      measured: p99.product / p99.raw,
      most: compared.mostP99,
    });
  return row;
}

const rates = (loads: Load[]) => loads.map(({ rate }) => rate);

/** The median of the rounds' percentiles, so that one round that others disturbed does not count. */
const typical = (loads: Load[], share: number) =>
  median(loads.map(({ times }) => percentile(times, share)));
