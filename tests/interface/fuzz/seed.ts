/**
 * The seed of the random requests: random, or FUZZ_SEED to repeat them, and FUZZ_RUNS for more than the short
 * form. Printed, so that a failure can be repeated.
 */
export function chooseSeed(usual: { runs: number }): { seed: number; runs: number } {
  const seed = Number(process.env["FUZZ_SEED"] ?? Math.floor(Math.random() * 1e9));
  const runs = Number(process.env["FUZZ_RUNS"] ?? usual.runs);
  console.log(`FUZZ_SEED=${seed} FUZZ_RUNS=${runs}`);
  return { seed, runs };
}
