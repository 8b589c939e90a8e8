import { isMainThread, parentPort } from "node:worker_threads";
import { PNG } from "pngjs";
import type { ThreadAnswer } from "#kit/ops/threads.ts";

/* A thread that decodes logos, started by printed-logo.ts. */

if (isMainThread || !parentPort) throw new Error("This file must run in a worker thread.");
const port = parentPort;

port.on("message", (bytes: Uint8Array) => {
  const picture = decoded(bytes);
  const answer: ThreadAnswer<Uint8Array | null> = { answer: picture && printed(picture) };
  port.postMessage(answer, []);
});

/** Null if the pixels are invalid, such as a color that the palette lacks. */
function decoded(bytes: Uint8Array): PNG | null {
  try {
    return PNG.sync.read(Buffer.from(bytes));
  } catch {
    return null;
  }
}

/** Four pixels per printed point, which is as fine as a printer prints. */
const maxSize = { width: 4 * 180, height: 4 * 54 };

/** An RGB PNG on white. Each pixel is the mean of the original pixels that it covers. */
function printed(full: PNG): Buffer {
  const scale = Math.min(1, maxSize.width / full.width, maxSize.height / full.height);
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

/** Split a side into `count` parts. */
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
