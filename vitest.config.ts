import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** `npm run test:full` also runs the files named *.full.test.ts. */
const isFull = process.env["TEST_ROUNDS"] === "full";

/** Files that take long though they are short: they start, kill or wait for processes, or play many rounds. */
const longFile =
  /\/tests\/(faults|processes|launch|clocks|copy-database|nginx|caddy|[\w-]*kill)|\/main\/worker\.|-(histories|crashes|concurrency)\.|\/(official-client|charge\/card-payments|refunds|prepare-export|deliveries)\./;

/** These begin first, or the run would end with one of them alone while a core stands still. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's own, which answers a new list
    const specs = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longFile.test(moduleId);
    return [...specs.filter(isLong), ...specs.filter((spec) => !isLong(spec))];
  }
}

/** Tests run against a real PostgreSQL, made once a run, and a real browser. */
export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(isFull ? [] : ["**/*.full.test.ts"])],
    allowOnly: false, // a test that runs alone is chosen by -t, and cannot be forgotten so
    reporters: ["default", "./scripts/test-reporter.mjs"],
    globalSetup: ["tests/support/global-setup.ts"],
    // A busy machine is late, not wrong: these end what hangs, and are no promise of any speed.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongFilesFirst },
    pool: "forks",
    execArgv: ["--max-semi-space-size=32"], // MiB: with 16 as by default, collecting garbage took a tenth of the time
    fsModuleCache: true, // what is made of a module stays for the next run
    isolate: false, // each file opens servers and databases of its own; loading the product anew took a second
    maxWorkers: 4, // on 2 cores: most of the time a test waits for a browser or a database
  },
});
