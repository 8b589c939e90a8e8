import { isMainThread, parentPort } from "node:worker_threads";
import { PNG } from "pngjs";
import type { ThreadAnswer } from "#kit/ops/threads.ts";

/* A thread that decodes logos: a module of its own, started by printed-logo.ts. */

if (isMainThread || !parentPort) throw new Error("This file is for a thread.");
const port = parentPort;

port.on("message", (bytes: Uint8Array) => {
  const picture = decoded(bytes);
  const answer: ThreadAnswer<Uint8Array | null> = { answer: picture && printed(picture) };
  port.postMessage(answer, []);
});

/** Null where the file has no such pixels: a color that its palette lacks, for example. */
function decoded(bytes: Uint8Array): PNG | null {
  try {
    return PNG.sync.read(Buffer.from(bytes));
  } catch {
    return null;
  }
}

/** Four times as many pixels as it is printed with points: what a printer shows. */
const most = { width: 4 * 180, height: 4 * 54 };

/** A PNG of red, green and blue on white. Each pixel is the mean of those that lie there. */
function printed(full: PNG): Buffer {
  const scale = Math.min(1, most.width / full.width, most.height / full.height);
  const [width, height] = [full.width, full.height].map((side) =>
    Math.max(1, Math.round(side * scale)),
  ) as [number, number];
  const small = new PNG({ width, height });
  const columns = partsOf(full.width, width);
  for (const [row, rows] of partsOf(full.height, height).entries())
    for (const [column, across] of columns.entries())
      small.data.set(meanOnWhite(full, rows, across), 4 * (row * width + column));
  return PNG.sync.write(small, { colorType: 2 });
}

interface Part {
  from: number;
  to: number;
}

/** A side in `count` parts. */
const partsOf = (side: number, count: number): Part[] =>
  Array.from({ length: count }, (_, at) => ({
    from: Math.floor((at * side) / count),
    to: Math.floor(((at + 1) * side) / count),
  }));

function meanOnWhite({ width, data }: PNG, rows: Part, columns: Part): number[] {
  const sums = [0, 0, 0];
  for (let row = rows.from; row < rows.to; row += 1)
    for (let column = columns.from; column < columns.to; column += 1) {
      const at = 4 * (row * width + column);
      const alpha = data[at + 3] ?? 255;
      for (let color = 0; color < 3; color += 1)
        sums[color] = (sums[color] ?? 0) + (data[at + color] ?? 0) * alpha + 255 * (255 - alpha);
    }
  const count = (rows.to - rows.from) * (columns.to - columns.from);
  return [...sums.map((sum) => Math.round(sum / (255 * count))), 255];
}
