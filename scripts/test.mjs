/**
 * What `npm test` runs: the checks (package.json's scripts named check:…), the build, then every test. It stops at
 * the first of the three that fails. `npm run test:full` adds the long rounds and prints a table of what each suite
 * proved.
 *
 * With arguments, which go to vitest (`npm test -- src/kit/domain -t "a leap year"`), only those tests run, after a
 * build if they need one. The last line of the output is always "N passed, N failed".
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { ensureBuilt } from "./build.mjs";
import { root, run } from "./child.mjs";
import { needBuild } from "./test-files.mjs";
import { printTable, rehearsals, suitesOf } from "./test-suites.mjs";

const node = process.execPath;
const bin = join(root, "node_modules/.bin");
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const args = process.argv.slice(2);
const isFull = process.env["TEST_ROUNDS"] === "full";

if (args.length > 0) {
  if (needBuild(args)) await ensureBuilt(node);
  finish(await runTests(args));
} else {
  const failedChecks = await runChecks();
  if (failedChecks > 0) finish([{ passed: 0, failed: failedChecks }]);
  else {
    await ensureBuilt(node);
    const files = await runTests([]);
    const suites = suitesOf(files);
    if (isFull) {
      suites.push(await runFaults());
      for (const rehearsal of rehearsals) suites.push(await rehearse(rehearsal));
      printTable(suites);
    }
    finish(suites);
  }
}

function finish(results) {
  const sum = (name) => results.reduce((total, result) => total + result[name], 0);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  process.exitCode = sum("failed") === 0 && sum("passed") > 0 ? 0 : 1;
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
  await Promise.all([worker(), worker()]); // each one keeps a core busy
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

/** Without a TypeScript parser, dependency-cruiser sees no modules and so finds nothing wrong. */
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

/** Answers each test file's results. */
async function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), "referral-network-report-"));
  const report = join(folder, "report.json");
  const env = { ...process.env, TEST_REPORT: report };
  try {
    const code = await run(node, [vitest, "run", ...args], { env });
    return filesIn(report, code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function filesIn(report, code) {
  const broken = { path: "", passed: 0, failed: 1, seconds: 0, rounds: 0 };
  try {
    const files = JSON.parse(readFileSync(report, "utf8"));
    const isSaid = code === 0 || files.some(({ failed }) => failed > 0);
    return isSaid ? files : [...files, broken]; // an error between tests fails no single one
  } catch {
    console.log("The test runner left no report.");
    return [broken];
  }
}

/** The long rounds of the fault suite, docs/faults.md. The short one is among the tests. */
async function runFaults() {
  const rounds = 8;
  const begun = performance.now();
  const code = await run(node, [
    join(root, "tests/resilience/faults/faults.ts"),
    "--rounds",
    String(rounds),
  ]);
  const seconds = (performance.now() - begun) / 1000;
  const [passed, failed] = code === 0 ? [1, 0] : [0, 1];
  return { suite: "faults, long rounds", passed, failed, rounds, seconds };
}

async function rehearse({ suite, file, missing }) {
  const nothing = { suite, passed: 0, failed: 0, rounds: 0, seconds: 0 };
  if (missing()) return { ...nothing, leftOut: `${missing()} is not installed` };
  const [row] = suitesOf(await runTests(["--config", "vitest.rehearsal.config.ts", file]));
  return { ...nothing, ...row, suite };
}
