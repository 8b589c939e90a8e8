import { existsSync, readFileSync, writeFileSync } from "node:fs";

/**
 * Prints after each failed test what broke and how to run that test by itself, and at the end which tests passed
 * only on a retry. If TEST_REPORT names a file, writes each test file's results there.
 */
export default class TestReporter {
  triedAgain = [];

  onTestCaseResult(test) {
    const { state, errors } = test.result();
    if (test.diagnostic()?.flaky) this.triedAgain.push(test);
    if (state !== "failed") return;
    const { relativeModuleId } = test.module;
    const why = (errors ?? []).map(({ message }) => `  ${message.split("\n")[0]}`);
    const command = `${commandFor(relativeModuleId)} -- ${relativeModuleId} -t "${asPattern(test.fullName)}"`;
    console.log(
      [`Broken: ${test.fullName}`, ...why, `Run only this test: ${command}`, ""].join("\n"),
    );
  }

  onTestRunEnd(modules) {
    for (const { fullName, module } of this.triedAgain)
      console.log(`Unstable, passed only on a retry: ${fullName} (${module.relativeModuleId})`);
    const path = process.env["TEST_REPORT"];
    if (!path) return;
    const rounds = roundsIn(`${path}.rounds`);
    const files = modules.map((module) => ({
      path: module.relativeModuleId,
      seconds: module.diagnostic().duration / 1000,
      rounds: rounds.get(module.moduleId) ?? 0,
      ...countedIn(module),
    }));
    writeFileSync(path, JSON.stringify(files));
  }
}

/** A file that does not load, or fails between its tests, counts as one failed test. */
function countedIn(module) {
  const passed = [...module.children.allTests("passed")].length;
  const failed = [...module.children.allTests("failed")].length;
  return { passed, failed: failed === 0 && !module.ok() ? 1 : failed };
}

/** How many rounds each file has run, as recorded by tests/support/rounds.ts. */
function roundsIn(path) {
  const lines = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
  const rounds = new Map();
  for (const line of lines) {
    const { path: file, amount } = JSON.parse(line);
    rounds.set(file, (rounds.get(file) ?? 0) + amount);
  }
  return rounds;
}

function commandFor(path) {
  if (path.endsWith(".rehearsal.ts")) return "npm run rehearse";
  return path.endsWith(".full.test.ts") ? "npm run test:full" : "npm test";
}

/** vitest reads a name as a regular expression, and a shell interprets some of its characters. */
const asPattern = (name) => name.replaceAll(/[^\p{L}\p{N} ,:;'/=<>@%&_-]/gu, ".");
