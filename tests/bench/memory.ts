import { setTimeout as after } from "node:timers/promises";
import { startServer } from "./process.ts";
import type { Row } from "./row.ts";
import type { World } from "./world.ts";

/** What a web process takes when nobody asks it anything; the other rows say what it takes when they do. */
export async function idleRows(world: World): Promise<Row[]> {
  const server = await startServer(world);
  await after(world.isQuick ? 3_000 : 15_000);
  const megabytes = server.memory();
  await server.stop();
  return [
    {
      name: "a web process, idle",
      unit: "MB",
      product: [megabytes],
      limits: [{ what: "memory", measured: megabytes, unit: " MB", most: 120 }],
    },
  ];
}
