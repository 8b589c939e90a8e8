import { setTimeout as after } from "node:timers/promises";
import { ask, type Asked } from "./ask.ts";
import type { Server } from "./process.ts";
import { percentile, type Row } from "./row.ts";

const crowd = 500;

/** Drawing the longest statement, and what 500 requests for it at the same time do to other callers. */
export async function pdfRows(
  server: Server,
  path: string,
  headers: Asked["headers"],
): Promise<Row[]> {
  const drawn: number[] = [];
  const { megabytes } = await server.during(async () => {
    for (let round = 0; round < 4; round += 1) {
      const begun = performance.now();
      const { status } = await ask(server, path, { headers });
      if (status !== 200) throw new Error(`GET ${path} answered ${status}.`);
      if (round > 0) drawn.push(performance.now() - begun); // the first starts a thread
    }
  });
  const seconds = drawn.map((ms) => ms / 1000);
  return [
    {
      name: "PDF of a statement of 5,000 lines",
      unit: "s",
      product: seconds,
      p50: { product: percentile(drawn, 0.5) },
      peakMegabytes: megabytes,
      limits: [{ what: "median", measured: percentile(seconds, 0.5), unit: " s", most: 5 }],
    },
    await crowdRow(server, path, headers),
  ];
}

async function crowdRow(server: Server, path: string, headers: Asked["headers"]): Promise<Row> {
  const waits: number[] = [];
  const { answer: statuses, megabytes } = await server.during(async () => {
    const all = Array.from(
      { length: crowd },
      async () => (await ask(server, path, { headers })).status,
    );
    const ended = new AbortController();
    const answered = Promise.all(all).finally(() => ended.abort());
    while (!ended.signal.aborted) {
      const begun = performance.now();
      await ask(server, "/readyz", { headers });
      waits.push(performance.now() - begun);
      await after(5);
    }
    return await answered;
  });
  const count = (status: number) => statuses.filter((one) => one === status).length;
  if (count(200) === 0 || count(200) + count(503) !== crowd)
    throw new Error(`The PDFs were answered ${[...new Set(statuses)].join(", ")}.`);
  return {
    name: `others' wait while ${crowd} ask for it at once (${count(200)} drawn, ${count(503)} told to try again)`,
    unit: "ms",
    product: waits,
    p50: { product: percentile(waits, 0.5) },
    p99: { product: percentile(waits, 0.99) },
    peakMegabytes: megabytes,
    limits: [
      { what: "longest", measured: Math.max(...waits), unit: " ms", most: 1_000 },
      { what: "memory", measured: megabytes, unit: " MB", most: 450 },
    ],
  };
}
