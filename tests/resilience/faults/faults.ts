import { parseArgs } from "node:util";
import { killAll } from "#tests/resilience/faults/processes.ts";
import { openStage, playRound } from "#tests/resilience/faults/round.ts";
import { turnTheDay } from "#tests/resilience/faults/turning-days.ts";

/*
 * `npm run test:faults`: rounds of work while processes are killed and connections cut. --seed N starts with
 * the round of that seed, --rounds N sets the number of rounds. See docs/faults.md.
 */

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e8)) },
    rounds: { type: "string" },
  },
});
const firstSeed = parseWholeNumber("seed", values.seed);
const isReplay = process.argv.some((argument) => argument.startsWith("--seed"));
const rounds = parseWholeNumber("rounds", values.rounds ?? (isReplay ? "1" : "8"));

console.log(`${rounds} rounds, seeds ${firstSeed} to ${firstSeed + rounds - 1}`);
const failed: number[] = [];
const stage = await openStage(600);
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    killAll();
    void stage.close().finally(() => process.exit(1));
  });
try {
  for (let seed = firstSeed; seed < firstSeed + rounds; seed += 1) {
    const begun = performance.now();
    const { faults, asked, told, offences } = await playRound(stage, seed);
    const turned = await turnTheDay(stage, seed);
    offences.push(...turned.offences);
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    const plan = faults.map(({ kind, atMs }) => `${kind} at ${atMs} ms`).join(", ");
    console.log(
      `seed ${seed} (${seconds} s, ${asked} asked; ${[plan, ...told, turned.night].join("; ")}): ${offences.length === 0 ? "passed" : "FAILED"}`,
    );
    for (const offence of offences) console.log(`  ${offence.replaceAll("\n", "\n    ")}`);
    if (offences.length > 0) failed.push(seed);
  }
} finally {
  killAll();
  await stage.close();
}
for (const seed of failed) console.log(`Play it again: npm run test:faults -- --seed ${seed}`);
process.exitCode = failed.length > 0 ? 1 : 0;

function parseWholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new RangeError(`--${name} must be a whole number.`);
  return Number(text);
}
