import { beforeEach, describe, expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { listActivity } from "#office/activity/contract.ts";
import { showAttorney } from "#people/contract.ts";
import { reviewEveryNetwork, reviewNetwork } from "#referrals/suspension/suspension.ts";
import { fileReport, listMyMatters, recordMatter } from "#referrals/matters/contract.ts";
import { showSuspensionStatus } from "./contract.ts";
import {
  changeSettings,
  previewSuspensions,
  showSettings,
} from "#referrals/suspension/contract.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { admin, app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";

/** Noon in New York on 30 June 2026. */
const clock = "2026-06-30T16:00:00Z";
const today = plainDate("2026-06-30");
const daysAgo = (days: number) => today.subtract({ days }).toString();

const test = appTest({ lawyer: true, clock, network: {}, attorney: {} });
beforeEach(async () => {
  app.setClock(clock);
});

const change = (body: object) => admin.ask(changeSettings, { body });
const switchOn = () => change({ suspends_overdue_attorneys: true });
const standingOf = async (one: MadeAttorney) => {
  const { suspended, suspensionReason } = await admin.call(showAttorney, {
    params: { id: one.id },
  });
  return { suspended, suspensionReason };
};
const isSuspended = async (one = attorney) => (await standingOf(one)).suspended;
const overdue = (days: number, owner = attorney) =>
  makeMatter(app.db, network, { attorney: owner, dueOn: daysAgo(days) });
const fileOn = (matterId: number) =>
  lawyer.ask(fileReport, { params: { id: matterId }, body: { outcome: "consulted" } });

describe("automatic suspension", () => {
  test("is off by default, with a grace period of 2 periods of 30 days", async () => {
    expect(await admin.call(showSettings)).toEqual({
      suspendsOverdueAttorneys: false,
      overduePeriodsSuspensionThreshold: 2,
      overduePeriodInDays: 30,
    });
    await overdue(400);
    await change({ overdue_periods_suspension_threshold: 1 });
    expect(await isSuspended()).toBe(false);
  });

  test("suspends at 61 days, not at 60, once it is turned on, and says why", async () => {
    const punctual = await makeAttorney(app.db, network);
    await overdue(60, punctual);
    await overdue(61);
    expect((await switchOn()).object).toMatchObject({ suspendsOverdueAttorneys: true });
    expect(await standingOf(punctual)).toEqual({ suspended: false, suspensionReason: null });
    expect(await standingOf(attorney)).toEqual({
      suspended: true,
      suspensionReason: "1 status report is more than 60 days late, the oldest due 04/30/2026.",
    });
  });

  test("is lifted before the call for the last overdue report returns, and not by an earlier one", async () => {
    const [first, second] = [await overdue(61), await overdue(90)];
    await switchOn();
    expect((await standingOf(attorney)).suspensionReason).toMatch(/^2 status reports are/);
    await fileOn(first);
    expect((await standingOf(attorney)).suspensionReason).toMatch(/^1 status report is/);
    expect((await fileOn(second)).status).toBe(200);
    expect(await isSuspended()).toBe(false);
  });

  test("is lifted by a longer grace period, and returns with a shorter one", async () => {
    await overdue(61);
    await switchOn();
    await change({ overdue_periods_suspension_threshold: 3 });
    expect(await isSuspended()).toBe(false);
    await change({ overdue_periods_suspension_threshold: 0 });
    expect(await isSuspended()).toBe(true);
  });

  test("without a grace period begins the day after a report was due", async () => {
    await overdue(0);
    await change({ overdue_periods_suspension_threshold: 0 });
    await switchOn();
    expect(await isSuspended()).toBe(false);
    app.setClock("2026-07-01T04:00:00Z");
    await reviewEveryNetwork(app.db, "2026-07-01T04:00:00Z");
    expect((await standingOf(attorney)).suspensionReason).toBe(
      "1 status report is late, the oldest due 06/30/2026.",
    );
  });

  test("is reviewed every hour only in networks with a change to make, without waiting for others", async () => {
    const settled = await makeNetwork(app.db);
    await overdue(61);
    await switchOn();
    await overdue(70);
    await inTransaction(app.db, async (tx) => {
      await reviewNetwork(tx, { networkId: settled.id, userId: null, name: "Review" }, today);
      await reviewEveryNetwork(app.db, clock); // would wait for the lock that this transaction holds
    });
    expect((await standingOf(attorney)).suspensionReason).toBe(
      "2 status reports are more than 60 days late, the oldest due 04/21/2026.",
    );
  });

  test("ends for everybody when it is turned off", async () => {
    const other = await makeAttorney(app.db, network);
    await overdue(100);
    await overdue(100, other);
    await switchOn();
    await change({ suspends_overdue_attorneys: false });
    expect([await isSuspended(), await isSuspended(other)]).toEqual([false, false]);
  });

  test("stays within its network", async () => {
    const theirs = await makeNetwork(app.db);
    const stranger = await makeAttorney(app.db, theirs);
    await makeMatter(app.db, theirs, { attorney: stranger, dueOn: daysAgo(500) });
    await switchOn();
    const row = await app.db
      .selectFrom("attorneys")
      .select("suspendedAt")
      .where("id", "=", stranger.id)
      .executeTakeFirst();
    expect(row).toEqual({ suspendedAt: null });
  });

  test("records who, why and when in the activity, and emails the attorney", async () => {
    const matter = await overdue(61);
    await switchOn();
    await fileOn(matter);
    const about = { record_type: "attorney", record_id: attorney.id };
    const { items } = await admin.call(listActivity, { query: about });
    expect(items).toMatchObject([
      {
        who: `${attorney.firstName} ${attorney.lastName}`,
        action: "lifted suspension",
        after: { suspended: false, reason: "No report is overdue beyond the grace period." },
      },
      {
        who: "Ada Min",
        action: "suspended",
        before: { suspended: false },
        after: { suspended: true, reason: expect.stringMatching(/^1 status report is more/) },
      },
    ]);
    await overdue(61);
    await reviewEveryNetwork(app.db, clock);
    await change({ suspends_overdue_attorneys: false });
    expect((await admin.call(listActivity, { query: about })).items).toMatchObject([
      { who: "Ada Min", after: { reason: "Automatic suspensions are switched off." } },
      { who: "Daily review" },
      {},
      {},
    ]);
    const mails = await mailsOf(app.db, network);
    for (const { recipient, body, pagePath } of mails) {
      expect(recipient).toBe(attorney.email);
      expect(body).toMatch(/^Dear \S+,\n\nYou.*:$/s);
      expect(pagePath).toBe("/dashboard/referrals");
    }
    expect(mails.map(({ subject }) => subject)).toEqual([
      "You are suspended from receiving referrals",
      "Your suspension is lifted",
      "You are suspended from receiving referrals",
      "Your suspension is lifted",
    ]);
  });

  test("reviewed repeatedly, changes, sends and records nothing more", async () => {
    await overdue(61);
    await switchOn();
    const review = () => inTransaction(app.db, (tx) => reviewNetwork(tx, network.admin, today));
    expect(await review()).toEqual({ suspended: 0, lifted: 0 });
    expect(await review()).toEqual({ suspended: 0, lifted: 0 });
    const { total } = await admin.call(listActivity, { query: { record_type: "attorney" } });
    expect(total).toBe(1);
  });

  test("and vacation are separate: either may begin and end without the other", async () => {
    await overdue(61);
    const vacation = (until: string) =>
      admin.send("POST", "/attorneys/update", { attorney_id: attorney.id, paused_until: until });
    const states = async () => {
      const { paused, suspended } = await admin.call(showAttorney, { params: { id: attorney.id } });
      return { paused, suspended };
    };
    await vacation("2199-01-01");
    await switchOn();
    expect(await states()).toEqual({ paused: true, suspended: true });
    await vacation("off");
    expect(await states()).toEqual({ paused: false, suspended: true });
    await vacation("2199-01-01");
    await change({ suspends_overdue_attorneys: false });
    expect(await states()).toEqual({ paused: true, suspended: false });
  });
});

describe("settings", () => {
  test.each([
    [{}],
    [{ suspends_overdue_attorneys: true, overdue_periods_suspension_threshold: 1 }],
    [{ overdue_period_in_days: 10 }],
    [{ overdue_periods_suspension_threshold: -1 }],
    [{ overdue_periods_suspension_threshold: 121 }],
    [{ overdue_periods_suspension_threshold: 1.5 }],
    [{ overdue_periods_suspension_threshold: "2" }],
    [{ suspends_overdue_attorneys: "true" }],
    [{ suspends_overdue_attorneys: null }],
  ])("refuse %j", async (body) => {
    expect((await change(body)).status).toBe(422);
  });

  test.each([0, 120])("accept a grace period of %i", async (threshold) => {
    const reply = await change({ overdue_periods_suspension_threshold: threshold });
    expect(reply.object).toMatchObject({ overduePeriodsSuspensionThreshold: threshold });
  });

  test("are recorded with their old values and their effect", async () => {
    await overdue(61);
    await switchOn();
    const [entry] = (await admin.call(listActivity, { query: { record_type: "network" } })).items;
    expect(entry).toMatchObject({
      action: "changed suspension rules",
      before: { suspendsOverdueAttorneys: false },
      after: { suspendsOverdueAttorneys: true, suspended: 1, lifted: 0 },
    });
  });

  test("can be previewed: who would be suspended, with nothing written", async () => {
    await overdue(61);
    const other = await makeAttorney(app.db, network, { firstName: "Al", lastName: "Aardvark" });
    await overdue(31, other);
    const preview = (query: object) => admin.call(previewSuspensions, { query: { ...query } });
    const grace = { id: attorney.id, name: `${attorney.firstName} ${attorney.lastName}` };
    const al = { id: other.id, name: "Al Aardvark" };
    expect(await preview({})).toEqual({ suspended: 1, lifted: 0, attorneys: [grace] });
    expect(await preview({ threshold: 1 })).toEqual({
      suspended: 2,
      lifted: 0,
      attorneys: [al, grace],
    });
    expect(await preview({ threshold: 120 })).toEqual({ suspended: 0, lifted: 0, attorneys: [] });
    expect(await isSuspended()).toBe(false);
    await switchOn();
    expect(await preview({ enabled: "false" })).toEqual({ suspended: 0, lifted: 1, attorneys: [] });
    expect(await preview({ threshold: 3 })).toEqual({ suspended: 0, lifted: 1, attorneys: [] });
  });
});

describe("an attorney's own standing", () => {
  const standing = () => lawyer.call(showSuspensionStatus);

  test("shows nothing while no report is due, and no warning while suspensions are off", async () => {
    const untroubled = {
      suspended: false,
      suspendedAt: null,
      reason: null,
      overdue: 0,
      mustFile: 0,
      suspendsOn: null,
      daysLeft: null,
      pausedUntil: null,
      paused: false,
      maySetVacation: false,
    };
    expect(await standing()).toEqual(untroubled);
    await overdue(90);
    expect(await standing()).toEqual({ ...untroubled, overdue: 1 });
  });

  test("shows the day of the suspension and the days left", async () => {
    await switchOn();
    await overdue(60);
    await overdue(0);
    await overdue(-30);
    expect(await standing()).toMatchObject({
      overdue: 1,
      suspendsOn: "2026-07-01",
      daysLeft: 1,
    });
    const [first] = await lawyer.call(listMyMatters);
    await fileOn(first?.id ?? 0);
    expect(await standing()).toMatchObject({ overdue: 0, suspendsOn: "2026-08-30", daysLeft: 61 });
  });

  test("once suspended, shows why and how many reports end it", async () => {
    await overdue(61);
    await overdue(62);
    await overdue(10);
    await switchOn();
    expect(await standing()).toMatchObject({
      suspended: true,
      reason: expect.stringMatching(/^2 status reports/),
      overdue: 3,
      mustFile: 2,
      suspendsOn: null,
    });
  });
});

test("an attorney who must be suspended receives no referral, even before the daily review", async () => {
  await switchOn();
  await overdue(61);
  const reply = await admin.ask(recordMatter, {
    body: { first_name: "Jane", last_name: "Doe", attorney_id: attorney.id },
  });
  expect(reply.status).toBe(409);
  expect(reply.message).toMatch(/is suspended and receives no new referrals\.$/);
});
