import * as fc from "fast-check";
import { expect } from "vitest";
import { verifyLedger } from "#features/ledger/verify-ledger.ts";
import { aWorld, type Step } from "#tests/support/dues-world.ts";
import { rounds } from "#tests/support/rounds.ts";
import { app, appTest } from "#tests/support/app-test.ts";

const test = appTest();

const choice = fc.nat({ max: 11 });
const startsIn = fc.integer({ min: -400, max: 60 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("days pass"), days: fc.nat({ max: 45 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("enrol"),
      attorney: choice,
      plan: choice,
      startsIn,
      atOnce: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("subscribe all"),
      plan: choice,
      startsIn,
      atOnce: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("undo"), batch: choice }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("unsubscribe"), enrolment: choice }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("archive"), plan: choice }) },
  // Backwards, today, and far ahead: the operator means it.
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("bill"), ahead: fc.integer({ min: -60, max: 120 }) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("hourly job") }) },
) as fc.Arbitrary<Step>;

test("whatever happens in whatever order, the debits are those of the schedule rule", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 4, maxLength: 24 }), async (history) => {
      const world = await aWorld(app.db);
      for (const step of history) await world.take(step);
      await world.compare();
      const broken = (await verifyLedger(app.db, world.network.id)).filter(
        (check) => check.offenders > 0,
      );
      expect(broken).toEqual([]);
    }),
    { numRuns: rounds(15, 40) },
  );
});

test("the day billed through hides nothing after a run that lay ahead", async () => {
  const world = await aWorld(app.db);
  await world.take({ kind: "bill", ahead: 120 });
  await world.take({ kind: "enrol", attorney: 0, plan: 0, startsIn: 10, atOnce: false });
  await world.take({ kind: "enrol", attorney: 1, plan: 0, startsIn: -40, atOnce: true });
  await world.take({ kind: "days pass", days: 10 });
  await world.take({ kind: "hourly job" });
  await world.take({ kind: "days pass", days: 40 });
  await world.take({ kind: "hourly job" });
  expect(world.today.toString()).toBe("2026-03-11");
  expect([...world.enrolments.values()].map(({ billed }) => [...billed.values()])).toEqual([
    ["2026-01-30", "2026-02-28"],
    ["2026-01-20", "2026-02-11", "2026-03-11"],
  ]);
});
