import { attemptRows } from "./attempt.ts";
import { stopServers } from "./process.ts";
import { type Row, tableOf } from "./row.ts";
import type { World } from "./world.ts";

export type Groups = Record<string, (world: World) => Promise<Row[]>>;

/** Throws if one of these names is not a group. */
export function refuseUnknown(groups: Groups, names: string[]): void {
  if (names.every((name) => name in groups)) return;
  throw new Error(`--only is none of: ${Object.keys(groups).join(", ")}.`);
}

/**
 * The rows of these groups, one group after the other. A group that fails before its first row becomes one
 * row of its name that failed, and the next group begins.
 */
export async function measureGroups(world: World, groups: Groups, names: string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const name of names) {
    const measured = await attemptRows(
      world,
      name,
      async () => (await groups[name]?.(world)) ?? [],
    );
    await stopServers(); // those that a failed group left running
    world.log(`${tableOf(measured)}\n`); // results so far, in case the rest is interrupted
    rows.push(...measured);
  }
  return rows;
}
