import { defineConfig } from "vitest/config";

/** Tests run against a real PostgreSQL, made once a run, and a real browser. */
export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
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
