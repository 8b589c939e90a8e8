import { setTimeout as after } from "node:timers/promises";
import type { Chance } from "#tests/resilience/faults/chance.ts";
import type { Cluster } from "#tests/resilience/faults/database.ts";
import type { Product } from "#tests/resilience/faults/product.ts";
import type { World } from "#tests/resilience/faults/world.ts";

export const faultKinds = [
  "kill web",
  "kill worker",
  "kill database",
  "kill one connection",
  "cut all connections",
  "cut some connections",
  "kill command",
  "lose answers",
] as const;

export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  kind: FaultKind;
  /** Milliseconds after the work has begun. */
  atMs: number;
}

export interface Target {
  world: World;
  product: Product;
  cluster: Cluster;
  database: string;
  chance: Chance;
}

export function chooseFaults(chance: Chance, withinMs: number): Fault[] {
  return Array.from({ length: chance.whole(1, 4) }, () => ({
    kind: chance.oneOf(faultKinds),
    atMs: chance.whole(50, withinMs),
  })).toSorted((a, b) => a.atMs - b.atMs);
}

/** Cause faults at their moments. */
export async function sabotage(faults: Fault[], target: Target): Promise<void> {
  const begun = performance.now();
  await Promise.all(
    faults.map(async ({ kind, atMs }) => {
      const chance = target.chance.apart();
      await after(Math.max(0, begun + atMs - performance.now()));
      await carryOut[kind](target, chance);
    }),
  );
}

const carryOut: Record<FaultKind, (target: Target, chance: Chance) => Promise<void>> = {
  "kill web": async ({ product }, chance) => await product.kill("web", chance.whole(0, 1000)),
  "kill worker": async ({ product }, chance) => await product.kill("worker", chance.whole(0, 1000)),
  "kill database": async ({ cluster }) => cluster.kill(),
  "kill one connection": async ({ cluster, database }, chance) =>
    await cluster.killOne(database, chance),
  "cut all connections": async ({ cluster, database }) => await cluster.cut(database, null),
  "cut some connections": async ({ cluster, database }, chance) =>
    await cluster.cut(database, chance),
  "kill command": async ({ world }) => {
    await Promise.all([...world.commands].map((command) => command.kill()));
  },
  "lose answers": async ({ world }) => {
    for (const kind of ["drop-after", "drop-before"] as const)
      world.sandboxes.anet.fail({ call: "charge", kind, times: 2 });
  },
};
