import { configDefaults, defineConfig } from "vitest/config";

/** `npm run test:full` also runs the files named *.full.test.ts. */
const isFull = process.env["TEST_ROUNDS"] === "full";

/** Tests run against a real PostgreSQL, made once a run, and a real browser. */
export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(isFull ? [] : ["**/*.full.test.ts"])],
    allowOnly: false, // a test that runs alone is chosen by -t, and cannot be forgotten so
    reporters: ["default", "./scripts/test-reporter.mjs"],
    globalSetup: ["tests/support/global-setup.ts"],
    // A busy machine is late, not wrong: these end what hangs, and are no promise of any speed.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    pool: "forks",
    isolate: false, // each file opens servers and databases of its own; loading the product anew took a second
    maxWorkers: 4, // on 2 cores: most of the time a test waits for a browser or a database
  },
});
