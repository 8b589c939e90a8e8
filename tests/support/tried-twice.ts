import { type RunnerTestCase, TestRunner } from "vitest";

/**
 * Gives a browser test a second try when it fails; tests that needed it are named at the end of the run
 * (decision 102). Every other test has one try, also in a file that makes records for all its tests.
 */
export default class TriedTwice extends TestRunner {
  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    const { beforeAll } = TestRunner.getSuiteHooks(test.file);
    if (test.file.filepath.includes("/tests/e2e/") && beforeAll.length === 0) test.retry = 1;
    await super.onBeforeRunTask(test);
  }
}
