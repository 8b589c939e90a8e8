import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** `npm run test:full` also runs the files named *.full.test.ts. */
const isFull = process.env["TEST_ROUNDS"] === "full";

/** Files that mostly wait: for time limits, jobs, heartbeats, or killed processes. The longest starts first. */
const waitingFiles = [
  "main/worker",
  "official-client",
  "card-kill",
  "prepare-export",
  "charge/card-payments",
  "refunds",
  "faults",
  "clocks",
  "starting",
  "password-reset",
  "deliveries",
].map((name) => new RegExp(`/${name}\\.test`));

/** Files that take long although they are short: they start or kill processes, or run many rounds. */
const longFile =
  /\/tests\/\w+\/(processes|launch|copy-database|proxies|[\w-]*kill)|\/move-network\.|-(histories|crashes|concurrency)\./;

const besides = 6;

/**
 * Of four files at a time, about two should wait: with more, both cores were half idle, and with long files at the
 * end, one core was. Long files come first; each waiting file follows some that do not wait.
 */
class WaitingAmongBusy extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's own, which answers a new list
    const specs = await super.sort(files);
    const waiting = waitingFiles.flatMap((name) =>
      specs.filter(({ moduleId }) => name.test(moduleId)),
    );
    const busy = specs.filter((spec) => !waiting.includes(spec));
    const isLong = ({ moduleId }: TestSpecification) => longFile.test(moduleId);
    const rest = [...busy.filter(isLong), ...busy.filter((spec) => !isLong(spec))];
    const [first, ...later] = waiting;
    const mixed = later.flatMap((one) => [one, ...rest.splice(0, besides)]);
    return [...(first ? [first] : []), ...mixed, ...rest];
  }
}

/** Tests run against a real PostgreSQL, created once per run, and a real browser. */
export default defineConfig({
  test: {
    include: ["{src,tests,sandboxes}/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(isFull ? [] : ["**/*.full.test.ts"])],
    allowOnly: false, // use -t to run a single test, which cannot be left in by mistake
    reporters: ["default", "./scripts/test-reporter.mjs"],
    runner: "./tests/support/tried-twice.ts",
    globalSetup: ["tests/support/global-setup.ts"],
    // A busy machine is slow, not wrong. These limits end what hangs, and say nothing about speed.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: WaitingAmongBusy },
    pool: "forks",
    execArgv: ["--max-semi-space-size=32"], // MiB: with the default of 16, garbage collection took a tenth of the time
    fsModuleCache: true, // transformed modules are cached for the next run
    isolate: false, // each file opens its own servers and databases; loading the product again took a second
    maxWorkers: 5, // on 2 cores: tests wait for a browser, a database or time to pass; with 4, a tenth was idle
  },
});
