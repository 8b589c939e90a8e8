import * as fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PlainDate, plainDate } from "#kit/domain/calendar.ts";
import { isPaused } from "#panel/vacation.ts";
import {
  isOverdue,
  isTooLate,
  suspensionDecisions,
  tooLateOn,
} from "#referrals/suspension/rule.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { rounds } from "#tests/support/rounds.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { mustSuspend, type SuspensionPolicy } from "#tests/support/suspension-world.ts";

let app: RunningApp;
let network: MadeNetwork;
let attorney: MadeAttorney;

beforeAll(async () => {
  app = await anApp();
  network = await makeNetwork(app.db);
  attorney = await makeAttorney(app.db, network);
});
afterAll(async () => await app.close());

const today = plainDate("2026-11-21");
const dueDaysAgo = (days: number) => today.subtract({ days });
const policy = { enabled: true, threshold: 2, periodInDays: 30 };

/** Whether the product's rule suspends an attorney with these open matters. */
async function suspends(
  due: PlainDate[],
  { periodInDays, ...rules }: SuspensionPolicy,
  on = today,
): Promise<boolean> {
  await app.db
    .updateTable("networks")
    .set({ overduePeriodInDays: periodInDays })
    .where("id", "=", network.id)
    .execute();
  const matters = sql`(
    select ${network.id}::bigint as network_id, ${attorney.id}::bigint as attorney_id, 'open' as status, report_due_on
    from unnest(${due.map(String)}::date[]) as due (report_due_on))`;
  const { rows } = await sql<{ mustSuspend: boolean }>`
    select must_suspend from ${suspensionDecisions({ networkId: network.id, today: on, rules, matters })} as standing`.execute(
    app.db,
  );
  expect(rows).toHaveLength(1);
  return rows[0]?.mustSuspend ?? false;
}

describe("suspension for overdue reports", () => {
  test.each([
    [[], false],
    [[-30], false],
    [[0], false],
    [[59], false],
    [[60], false], // exactly two periods are tolerated
    [[61], true],
    [[0, 61, 5], true],
    [[60, 60], false], // each report counts separately, they do not add up
  ])("with reports due %j days ago: %s", async (daysAgo, suspended) => {
    const due = daysAgo.map(dueDaysAgo);
    expect(await suspends(due, policy)).toBe(suspended);
    expect(mustSuspend(due, policy, today)).toBe(suspended);
  });

  test("a grace period of 0 tolerates no overdue day, and one of 120 a great many", async () => {
    const none = { ...policy, threshold: 0 };
    expect(await suspends([dueDaysAgo(0)], none)).toBe(false);
    expect(await suspends([dueDaysAgo(1)], none)).toBe(true);
    const most = { ...policy, threshold: 120 };
    expect(await suspends([dueDaysAgo(3600)], most)).toBe(false);
    expect(await suspends([dueDaysAgo(3601)], most)).toBe(true);
  });

  test("turned off, nothing suspends", async () => {
    expect(await suspends([dueDaysAgo(9999)], { ...policy, enabled: false })).toBe(false);
  });

  test("only the most overdue report counts, and a longer grace period never suspends more", async () => {
    const ages = fc.array(fc.integer({ min: -400, max: 4000 }));
    const rules = fc.record({
      enabled: fc.boolean(),
      threshold: fc.integer({ min: 0, max: 119 }),
      periodInDays: fc.integer({ min: 1, max: 365 }),
    });
    await fc.assert(
      fc.asyncProperty(ages, rules, async (days, rule) => {
        const reports = days.map(dueDaysAgo);
        const suspended = await suspends(reports, rule);
        const tolerated = rule.threshold * rule.periodInDays;
        expect(suspended).toBe(rule.enabled && days.length > 0 && Math.max(...days) > tolerated);
        expect(mustSuspend(reports, rule, today)).toBe(suspended);
        expect(await suspends(reports.toReversed(), rule)).toBe(suspended);
        const longer = { ...rule, threshold: rule.threshold + 1 };
        expect((await suspends(reports, longer)) && !suspended).toBe(false);
      }),
      { numRuns: rounds(50, 200) },
    );
  });

  test("days are counted correctly across daylight saving changes", async () => {
    const rule = { enabled: true, threshold: 1, periodInDays: 1 };
    const due = [plainDate("2026-03-07")];
    expect(await suspends(due, rule, plainDate("2026-03-08"))).toBe(false);
    expect(await suspends(due, rule, plainDate("2026-03-09"))).toBe(true);
  });
});

test("a report is overdue the day after it was due, and too late on the predicted day", async () => {
  const { rows } = await sql<{ dueOn: string; overdue: boolean; late: boolean; lateOn: string }>`
    select m.report_due_on as due_on, ${isOverdue(today)} as overdue, ${isTooLate(today)} as late,
      ${tooLateOn(sql`m.report_due_on`)} as late_on
    from (select 'open' as status, ${today.toString()}::date - days as report_due_on
      from generate_series(-70, 70) as days) as m
    cross join (values (0), (1), (60)) as policy (tolerated_days)`.execute(app.db);
  expect(rows).toHaveLength(3 * 141);
  for (const { dueOn, overdue, late, lateOn } of rows) {
    expect(overdue).toBe(dueOn < today.toString());
    expect(late).toBe(lateOn <= today.toString());
  }
});

test.each([
  [null, false],
  ["2026-11-20", false],
  ["2026-11-21", false], // today is accepted and means not paused
  ["2026-11-22", true],
  ["2199-12-31", true],
])("on vacation until %s: paused %s", async (until, paused) => {
  const { rows } = await sql<{ paused: boolean }>`
    select ${isPaused(today)} as paused from (select ${until}::date as paused_until) as a`.execute(
    app.db,
  );
  expect(rows).toEqual([{ paused }]);
});
