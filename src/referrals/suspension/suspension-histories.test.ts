import fc from "fast-check";
import { expect } from "vitest";
import { inTransaction } from "#kit/db/transaction.ts";
import { reviewNetwork } from "#referrals/suspension/suspension.ts";
import { outcomes } from "#referrals/matters/contract.ts";
import { fileReport } from "#referrals/matters/reports.ts";
import { writeSettings } from "#referrals/suspension/settings.ts";
import { inBriefOr, rounds } from "#tests/support/rounds.ts";
import {
  aSuspensionWorld,
  type Step,
  type SuspensionWorld,
} from "#tests/support/suspension-world.ts";
import { app, appTest } from "#tests/support/app-test.ts";

const test = appTest();

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("days pass" as const),
      days: fc.integer({ min: 1, max: 12 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("refer" as const), attorney: fc.nat(5) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("import" as const),
      attorney: fc.nat(5),
      dueDaysAgo: fc.integer({ min: -5, max: 20 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("file" as const),
      matter: fc.nat(20),
      outcome: fc.nat(outcomes.length - 1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("switch" as const), enabled: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("grace" as const), threshold: fc.nat(3) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("review" as const) }) },
);

test("an attorney is suspended if and only if the rule says so, after every step of any history", async () => {
  let suspensions = 0;
  const history = fc.array(step, { minLength: 10, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(history, fc.constantFrom(1, 5, 30), async (steps, periodInDays) => {
      const world = await aSuspensionWorld(app.db, periodInDays);
      await world.take({ kind: "switch", enabled: true });
      for (const one of steps) {
        await world.take(one);
        await world.compare();
        if (world.attorneys.some((attorney) => world.must(attorney))) suspensions += 1;
      }
    }),
    { numRuns: rounds(4, 25) },
  );
  expect(suspensions).toBeGreaterThan(inBriefOr(0, 20)); // enough histories suspend somebody
});

/** What the next test does concurrently: file all open reports but some, with reviews and settings between. */
interface AtOnce {
  leftOut: number[];
  outcome: number;
  threshold: number;
  enabled: boolean;
  order: number;
}

test("whatever happens concurrently, in any order of commits, the rule holds at the end", async () => {
  const atOnce: fc.Arbitrary<AtOnce> = fc.record({
    leftOut: fc.array(fc.nat(8), { maxLength: 4 }),
    outcome: fc.nat(outcomes.length - 1),
    threshold: fc.nat(3),
    enabled: fc.boolean(),
    order: fc.integer(),
  });
  let filings = 0;
  await fc.assert(
    fc.asyncProperty(atOnce, async (wanted) => {
      const world = await aSuspensionWorld(app.db);
      for (let matter = 0; matter < 9; matter += 1)
        await world.take({ kind: "import", attorney: matter, dueDaysAgo: 4 * (matter % 5) });
      await world.take({ kind: "switch", enabled: true });
      filings += await doAtOnce(world, wanted);
      await world.compare();
    }),
    { numRuns: rounds(3, 15) },
  );
  expect(filings).toBeGreaterThan(inBriefOr(12, 60));
});

/** Returns how many reports were filed. */
async function doAtOnce(world: SuspensionWorld, wanted: AtOnce): Promise<number> {
  const { db, network, today } = world;
  const outcome = outcomes[wanted.outcome] ?? "consulted";
  const filed = world.open.filter((_, index) => !wanted.leftOut.includes(index));
  const review = () =>
    inTransaction(db, (tx) => reviewNetwork(tx, { ...network.admin, userId: null }, today));
  const write = (change: Parameters<typeof writeSettings>[2]) =>
    inTransaction(db, (tx) => writeSettings(tx, network.admin, change, today));
  const deeds = [
    review,
    review,
    () => write({ overdue_periods_suspension_threshold: wanted.threshold }),
    () => write({ suspends_overdue_attorneys: wanted.enabled }),
    ...filed.map(
      (matter) => () =>
        inTransaction(db, (tx) =>
          fileReport(tx, matter.attorney, matter.id, { outcome, note: "" }, today),
        ),
    ),
  ];
  const shift = Math.abs(wanted.order) % deeds.length;
  await Promise.all([...deeds.slice(shift), ...deeds.slice(0, shift)].map((deed) => deed()));
  world.threshold = wanted.threshold;
  world.enabled = wanted.enabled;
  for (const matter of filed) world.noteFiled(matter, outcome);
  return filed.length;
}
