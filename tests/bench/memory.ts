import { setTimeout as after } from "node:timers/promises";
import { startServer } from "./process.ts";
import { attempt } from "./attempt.ts";
import { type Measured, percentile, type Row } from "./row.ts";
import type { World } from "./world.ts";

/** Memory of an idle web process, the median of five starts; other rows measure it under load. */
export async function idleRows(world: World): Promise<Row[]> {
  return [await attempt(world, "a web process, idle", () => startIdle(world))];
}

async function startIdle(world: World): Promise<Measured> {
  const measured: number[] = [];
  for (let start = 0; start < 5; start += 1) {
    const server = await startServer(world);
    await after(world.isQuick ? 3_000 : 15_000);
    measured.push(server.memory());
    await server.stop();
  }
  const megabytes = percentile(measured, 0.5);
  return {
    unit: "MB",
    product: measured,
    limits: [{ what: "memory", measured: megabytes, unit: " MB", most: 120 }],
  };
}
