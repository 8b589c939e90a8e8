import { type RunnerTestCase, TestRunner } from "vitest";

/**
 * Lets a test in a browser be tried once more when it fails; those that needed it are named at the end of the run
 * (decision 102). Every other test has one try.
 */
export default class TriedTwice extends TestRunner {
  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    if (test.file.filepath.includes("/tests/e2e/")) test.retry = 1;
    await super.onBeforeRunTask(test);
  }
}
