import { attemptRows } from "./attempt.ts";
import { stopServers } from "./process.ts";
import { type Row, tableOf } from "./row.ts";
import type { World } from "./world.ts";

export type Groups = Record<string, (world: World) => Promise<Row[]>>;

/** Throws where one of these names is no group's. */
export function refuseUnknown(groups: Groups, names: string[]): void {
  if (names.every((name) => name in groups)) return;
  throw new Error(`--only is none of: ${Object.keys(groups).join(", ")}.`);
}

/**
 * The rows of these groups, one group after the other. One that fails before its rows are begun is a row of its own
 * name that failed; the next one begins all the same.
 */
export async function measureGroups(world: World, groups: Groups, names: string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const name of names) {
    const measured = await attemptRows(
      world,
      name,
      async () => (await groups[name]?.(world)) ?? [],
    );
    await stopServers(); // those that a failed group has left
    world.log(`${tableOf(measured)}\n`); // what is known already, should the rest be interrupted
    rows.push(...measured);
  }
  return rows;
}
