/**
 * What made-up requests are made of: by chance, or FUZZ_SEED to have the same ones again, and
 * FUZZ_RUNS for more of them than the short form. Printed, so that a failure can be repeated.
 */
export function chooseSeed(usual: { runs: number }): { seed: number; runs: number } {
  const seed = Number(process.env["FUZZ_SEED"] ?? Math.floor(Math.random() * 1e9));
  const runs = Number(process.env["FUZZ_RUNS"] ?? usual.runs);
  console.log(`FUZZ_SEED=${seed} FUZZ_RUNS=${runs}`);
  return { seed, runs };
}
