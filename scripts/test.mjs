/**
 * What `npm test` runs: the checks (the scripts of package.json named check:…), the build, then every
 * test. It stops at the first of the three that fails.
 *
 * The last line of its output is always "N passed, N failed". Arguments go to vitest: `npm test -- tests/e2e`.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { ensureBuilt } from "./build.mjs";
import { root, run } from "./child.mjs";

const node = process.execPath;
const bin = join(root, "node_modules/.bin");
const failedChecks = await runChecks();
if (failedChecks > 0) finish({ passed: 0, failed: failedChecks });
else {
  await ensureBuilt(node);
  finish(await runTests(process.argv.slice(2)));
}

function finish({ passed, failed }) {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

async function runChecks() {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const queue = Object.entries(scripts).filter(([name]) => name.startsWith("check:"));
  const failed = [];
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (!(await check(...next))) failed.push(next);
    }
  };
  await Promise.all([worker(), worker()]); // each of them keeps a core busy
  return failed.length;
}

async function check(name, command) {
  const begun = performance.now();
  const { code, output } = await capture(command);
  const problem =
    code !== 0 ? `ended with ${code}` : name === "check:imports" ? blindness(output) : null;
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  if (problem) console.log(`${output.trimEnd()}\n${name} failed: it ${problem}.\n`);
  else console.log(`${name} passed (${seconds} s)`);
  return problem === null;
}

/** Without a parser for TypeScript dependency-cruiser sees nothing, and finds nothing wrong with it. */
function blindness(output) {
  const [, modules = 0, dependencies = 0] =
    /\((\d+) modules, (\d+) dependencies cruised\)/.exec(output) ?? [];
  return Number(modules) > 0 && Number(dependencies) > 0 ? null : "saw no modules";
}

function capture(command) {
  const env = { ...process.env, PATH: [bin, process.env["PATH"]].join(delimiter) };
  const child = spawn(command, { cwd: root, env, shell: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => (output += text));
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (code) => resolve({ code, output }));
  });
}

async function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), "referral-network-report-"));
  const report = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  try {
    const code = await run(node, [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      ...reporters,
      ...args,
    ]);
    return count(report, code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file that does not load, or an error between tests, fails no single test: it counts as one here. */
function count(report, code) {
  let passed = 0;
  let failed = 0;
  try {
    const found = JSON.parse(readFileSync(report, "utf8"));
    const broken = found.testResults.filter(
      ({ status, assertionResults }) =>
        status === "failed" && !assertionResults.some((test) => test.status === "failed"),
    );
    passed = found.numPassedTests;
    failed = found.numFailedTests + broken.length;
  } catch {
    console.log("The test runner left no report.");
  }
  return { passed, failed: code === 0 ? failed : Math.max(failed, 1) };
}
