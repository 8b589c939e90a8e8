import { afterAll, beforeAll, expect, test } from "vitest";
import { openStage, playRound, type Stage } from "#tests/resilience/faults/round.ts";
import type { Fault } from "#tests/resilience/faults/fault-injection.ts";

/*
 * The fault suite in its short form: one round in which each process dies. `npm run test:faults` plays any
 * number, with more kinds of faults (docs/faults.md).
 */

/** A busy machine takes its time to recover. */
const timeoutMs = 300_000;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage(60);
}, timeoutMs);
afterAll(async () => await stage.close(), timeoutMs);

const faults: Fault[] = [
  { kind: "kill worker", atMs: 300 },
  { kind: "kill database", atMs: 900 },
  { kind: "kill command", atMs: 1_000 },
  { kind: "kill web", atMs: 2_000 },
];

test(
  "acknowledged work is there once after every process has died in the middle of it",
  { timeout: timeoutMs },
  async () => {
    const seed = Math.floor(Math.random() * 1e8);
    console.log(`Faults with seed ${seed}`);
    const { asked, offences } = await playRound(stage, seed, { faults, lastsMs: 3_000 });
    expect(offences).toEqual([]);
    expect(asked).toBeGreaterThan(0);
  },
);
