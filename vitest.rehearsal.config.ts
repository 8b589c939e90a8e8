import { defineConfig } from "vitest/config";

/** Tests that take long, or need programs that a bare machine lacks: `npm run rehearse`. */
export default defineConfig({
  test: {
    include: ["tests/**/*.rehearsal.ts"],
    reporters: ["default", "./scripts/test-reporter.mjs"],
    globalSetup: ["tests/support/global-setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
