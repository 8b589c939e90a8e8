import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import type { Day } from "#kit/domain/day.ts";
import { queueReminders } from "#referrals/suspension/reminders.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";

let app: RunningApp;
let network: MadeNetwork;
let attorney: MadeAttorney;

beforeAll(async () => {
  app = await anApp();
});
afterAll(async () => await app.close());
beforeEach(async () => {
  network = await makeNetwork(app.db, { timeZone: "UTC" });
  attorney = await makeAttorney(app.db, network);
  await rules({ suspendsOverdueAttorneys: true });
});

const rules = (
  wanted: Partial<{
    suspendsOverdueAttorneys: boolean;
    overduePeriodsSuspensionThreshold: number;
    overduePeriodInDays: number;
  }>,
) => app.db.updateTable("networks").set(wanted).where("id", "=", network.id).execute();

const dueOn = "2026-05-01";
const suspendedOn = plainDate("2026-07-01"); // 2 periods of 30 days, and a day
const owing = (day: Day) => makeMatter(app.db, network, { attorney, dueOn: day });

/** Run a day's jobs several times. Returns the subjects of the emails that they sent. */
async function remindOn(day: Day): Promise<string[]> {
  const before = await mails();
  for (const hour of ["00", "06", "23"]) await queueReminders(app.db, `${day}T${hour}:30:00Z`);
  return (await mails()).slice(before.length).map(({ subject }) => subject);
}

const mails = () => mailsOf(app.db, network);

const warning = "You will be suspended on 07/01/2026 unless you report";

describe("a warning before a suspension", () => {
  test("is sent once 7 days and once 1 day before, and on no other day", async () => {
    await owing(dueOn);
    const said: Record<string, string[]> = {};
    for (let days = 12; days >= 0; days -= 1) {
      const subjects = await remindOn(suspendedOn.subtract({ days }).toString());
      if (subjects.length > 0) said[`${days} before`] = subjects;
    }
    expect(said).toEqual({ "7 before": [warning], "1 before": [warning] });
    expect((await mails()).map(({ body }) => body)).toEqual([
      `Dear Grace,\n\nA status report that was due on 05/01/2026 has not been filed. If you do not file it, you will be suspended on 07/01/2026 (in 7 days) and will receive no new referrals until you do.\n\nFile it here:`,
      expect.stringContaining("you will be suspended on 07/01/2026 (tomorrow)"),
    ]);
  });

  test("missed while no worker ran is sent the next day", async () => {
    await owing(dueOn);
    expect(await remindOn("2026-06-27")).toEqual([warning]);
    expect((await mails())[0]?.body).toContain("in 4 days");
    expect(await remindOn("2026-06-28")).toEqual([]);
    expect(await remindOn("2026-06-30")).toEqual([warning]);
  });

  test("is sent before the report is due if there is no grace period", async () => {
    await rules({ overduePeriodsSuspensionThreshold: 0 });
    await owing("2026-06-30");
    expect(await remindOn("2026-06-23")).toEqual([]);
    expect(await remindOn("2026-06-24")).toEqual([warning]);
    expect((await mails())[0]?.body).toContain("A status report due on 06/30/2026");
    expect(await remindOn("2026-06-30")).toEqual(["A status report is due today", warning]);
  });

  test("is sent again for another day if the grace period changes", async () => {
    await owing(dueOn);
    expect(await remindOn("2026-06-24")).toEqual([warning]);
    await rules({ overduePeriodsSuspensionThreshold: 3 });
    expect(await remindOn("2026-06-25")).toEqual([]);
    expect(await remindOn("2026-07-24")).toEqual([
      "You will be suspended on 07/31/2026 unless you report",
    ]);
  });

  test("is not sent while suspensions are off, nor to suspended attorneys", async () => {
    await owing(dueOn);
    await rules({ suspendsOverdueAttorneys: false });
    expect(await remindOn("2026-06-30")).toEqual([]);
    await rules({ suspendsOverdueAttorneys: true });
    await app.db
      .updateTable("attorneys")
      .set({ suspendedAt: "2026-06-30T00:00:00Z", suspensionReason: "Late." })
      .where("id", "=", attorney.id)
      .execute();
    expect(await remindOn("2026-06-30")).toEqual([]);
  });
});

describe("a reminder of reports", () => {
  test("is sent on the day they are due, one for all of them", async () => {
    await rules({ suspendsOverdueAttorneys: false });
    for (const day of ["2026-06-01", "2026-06-02", "2026-06-02"]) await owing(day);
    expect(await remindOn("2026-05-31")).toEqual([]);
    expect(await remindOn("2026-06-01")).toEqual(["A status report is due today"]);
    expect(await remindOn("2026-06-02")).toEqual(["2 status reports are due today"]);
    expect(await remindOn("2026-06-03")).toEqual([]);
    for (const { recipient, pagePath } of await mails()) {
      expect(recipient).toBe(attorney.email);
      expect(pagePath).toBe("/dashboard/referrals");
    }
  });

  test("is also sent to suspended attorneys", async () => {
    await owing(dueOn);
    await app.db
      .updateTable("attorneys")
      .set({ suspendedAt: "2026-04-01T00:00:00Z", suspensionReason: "Late." })
      .where("id", "=", attorney.id)
      .execute();
    expect(await remindOn(dueOn)).toEqual(["A status report is due today"]);
  });

  test("is sent once by two workers at the same time", async () => {
    await owing(dueOn);
    await Promise.all(
      Array.from({ length: 6 }, () => queueReminders(app.db, `${dueOn}T12:00:00Z`)),
    );
    expect(await mails()).toHaveLength(1);
  });
});
