import { defineConfig } from "vitest/config";

/** What takes long, or needs programs that a bare machine does not have: `npm run rehearse`. */
export default defineConfig({
  test: {
    include: ["tests/**/*.rehearsal.ts"],
    reporters: ["default", "./scripts/test-reporter.mjs"],
    globalSetup: ["tests/support/global-setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
