import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** `npm run test:full` also runs the files named *.full.test.ts. */
const isFull = process.env["TEST_ROUNDS"] === "full";

/** Files that mostly wait: for time limits, jobs, heartbeats, or processes that were killed. The longest begins first. */
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

/** Files that take long though they are short: they start or kill processes, or play many rounds. */
const longFile =
  /\/tests\/\w+\/(processes|launch|copy-database|proxies|[\w-]*kill)|\/move-network\.|-(histories|crashes|concurrency)\./;

const besides = 6;

/**
 * Of four files at a time, at most about two wait: with more, both cores stood half idle for as long as they did, and
 * with long ones at the end, one of them. Long files come before others; each that waits follows some that do not.
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

/** Tests run against a real PostgreSQL, made once a run, and a real browser. */
export default defineConfig({
  test: {
    include: ["{src,tests,sandboxes}/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(isFull ? [] : ["**/*.full.test.ts"])],
    allowOnly: false, // a test that runs alone is chosen by -t, and cannot be forgotten so
    reporters: ["default", "./scripts/test-reporter.mjs"],
    runner: "./tests/support/tried-twice.ts",
    globalSetup: ["tests/support/global-setup.ts"],
    // A busy machine is late, not wrong: these end what hangs, and are no promise of any speed.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: WaitingAmongBusy },
    pool: "forks",
    execArgv: ["--max-semi-space-size=32"], // MiB: with 16 as by default, collecting garbage took a tenth of the time
    fsModuleCache: true, // what is made of a module stays for the next run
    isolate: false, // each file opens servers and databases of its own; loading the product anew took a second
    maxWorkers: 5, // on 2 cores: a test waits for a browser or a database, and some for time to pass; with 4, a tenth stood idle
  },
});
