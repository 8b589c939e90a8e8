/**
 * The one entry point: `npm start`, `npm test`, `npm run dev`, `npm run cli -- …` and the others start here.
 *
 * Runs on any Node from 20 on, without any package. It installs what is missing, builds what is stale, then starts
 * the project's own Node. Progress goes to stderr; stdout belongs to the program.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "./build.mjs";
import { root, run } from "./child.mjs";
import { ensureInstalled } from "./install.mjs";
import { Problem } from "./problem.mjs";

const { config } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const commands = {
  start: {
    build: true,
    program: [...config.serverFlags.split(" "), "dist/server/start.js"],
    defaults: config.serverEnvironment,
  },
  build: { build: true, program: null },
  dev: { build: false, program: ["src/main/dev.ts"] },
  cli: { build: false, program: ["src/main/cli.ts"] },
  bench: { build: true, program: ["tests/bench/bench.ts"] },
  rehearse: {
    build: true,
    program: ["node_modules/vitest/vitest.mjs", "run", "--config", "vitest.rehearsal.config.ts"],
  },
  schema: { build: false, program: ["scripts/write-schema.ts"] },
  audit: { build: false, program: ["scripts/audit.mjs"] },
  test: { build: false, program: ["scripts/test.mjs"] }, // checks come before the build
  "test:full": { build: false, program: ["scripts/test.mjs"], sets: { TEST_ROUNDS: "full" } },
  "test:watch": { build: false, program: ["node_modules/vitest/vitest.mjs", "watch"] }, // screens as last built
  "test:faults": { build: true, program: ["tests/resilience/faults/faults.ts"] },
};

try {
  const [name = "", ...rest] = process.argv.slice(2);
  const command = commands[name];
  if (!command) throw new Problem(`"${name}" is not one of: ${Object.keys(commands).join(", ")}.`);
  if (Number.parseInt(process.versions.node, 10) < 20) {
    throw new Problem(`Node 20 or later is needed to start. This is ${process.versions.node}.`);
  }
  const node = await ensureInstalled();
  if (command.build) await ensureBuilt(node);
  // Node's compiled sources are cached for the next start.
  const NODE_COMPILE_CACHE = join(root, "node_modules/.cache/compiled");
  const env = { NODE_COMPILE_CACHE, ...command.defaults, ...process.env, ...command.sets };
  if (command.program) process.exitCode = await run(node, [...command.program, ...rest], { env });
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  console.error(error.message);
  process.exitCode = error.exitCode;
}
