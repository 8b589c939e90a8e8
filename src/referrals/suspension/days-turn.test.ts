import { Temporal } from "temporal-polyfill";
import { beforeEach, describe, expect } from "vitest";
import { dayIn, plainDate } from "#kit/domain/calendar.ts";
import { showAttorney, pauseAttorney } from "#people/contract.ts";
import { listAttorneys } from "#panel/contract.ts";
import { reviewEveryNetwork } from "#referrals/suspension/suspension.ts";
import { fileReport, listReports, showMatter } from "#referrals/matters/contract.ts";
import { showSuspensionStatus } from "./contract.ts";
import { listActivity } from "#office/activity/contract.ts";
import { queueReminders } from "#referrals/suspension/reminders.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/* A network's day begins at its own midnight: for suspensions, warnings, vacations and reports. */

const test = appTest();

/** Midnights, worked out by hand from each zone's offset. */
const midnights = [
  ["Pacific/Honolulu", "2026-03-09", "2026-03-09T10:00:00Z"], // never has daylight saving
  ["America/New_York", "2026-03-08", "2026-03-08T05:00:00Z"], // the day on which it begins
  ["America/New_York", "2026-03-09", "2026-03-09T04:00:00Z"], // the day after
  ["America/New_York", "2026-11-01", "2026-11-01T04:00:00Z"], // the day on which it ends
  ["America/New_York", "2026-11-02", "2026-11-02T05:00:00Z"], // the day after
  ["America/Phoenix", "2026-03-09", "2026-03-09T07:00:00Z"],
] as const;

describe.each(midnights)("in %s, %s begins at %s:", (timeZone, day, midnight) => {
  const before = Temporal.Instant.from(midnight).subtract({ seconds: 1 }).toString();
  const yesterday = plainDate(day).subtract({ days: 1 }).toString();
  let network: MadeNetwork;
  let attorney: MadeAttorney;
  let admin: Visitor;

  beforeEach(async () => {
    network = await makeNetwork(app.db, { timeZone });
    attorney = await makeAttorney(app.db, network);
    admin = await signedIn(app, "admin", network);
  });

  const letSuspend = (threshold: number) =>
    app.db
      .updateTable("networks")
      .set({
        suspendsOverdueAttorneys: true,
        overduePeriodsSuspensionThreshold: threshold,
        overduePeriodInDays: 1,
      })
      .where("id", "=", network.id)
      .execute();

  test("a report becomes overdue, and the suspension begins", async () => {
    await letSuspend(0);
    await makeMatter(app.db, network, { attorney, dueOn: yesterday });
    const suspendedAt = async (instant: string) => {
      await reviewEveryNetwork(app.db, instant);
      const { items } = await admin.call(listAttorneys, { query: { status: "suspended" } });
      return items.length;
    };
    expect(await suspendedAt(before)).toBe(0);
    expect(await suspendedAt(midnight)).toBe(1);
  });

  test("the last warning is sent, not a second earlier", async () => {
    await letSuspend(1);
    await makeMatter(app.db, network, { attorney, dueOn: yesterday });
    const warnings = async (instant: string) => {
      await queueReminders(app.db, instant);
      const rows = await app.db
        .selectFrom("mails")
        .select("occasion")
        .where("networkId", "=", network.id)
        .where("occasion", "like", "%:day")
        .execute();
      return rows.length;
    };
    expect(await warnings(before)).toBe(0);
    expect(await warnings(midnight)).toBe(1);
  });

  test("a vacation until that day ends automatically", async () => {
    app.setClock(before);
    const paused = async () => (await admin.call(listAttorneys)).items.map((one) => one.paused);
    await admin.ask(pauseAttorney, { body: { attorney_id: attorney.id, paused_until: day } });
    expect(await paused()).toEqual([true]);
    const lawyer = await signedIn(app, attorney, network);
    expect(await lawyer.call(showSuspensionStatus)).toMatchObject({
      paused: true,
      pausedUntil: day,
    });
    app.setClock(midnight);
    expect(await paused()).toEqual([false]);
    expect(await lawyer.call(showSuspensionStatus)).toMatchObject({
      paused: false,
      pausedUntil: day,
    });
  });

  test("a report filed then has that date, and the next one is due a period later", async () => {
    await letSuspend(120);
    const matter = await makeMatter(app.db, network, { attorney, dueOn: yesterday });
    const lawyer = await signedIn(app, attorney, network);
    for (const [instant, filedOn] of [
      [before, yesterday],
      [midnight, day],
    ] as const) {
      app.setClock(instant);
      await lawyer.call(fileReport, { params: { id: matter }, body: { outcome: "consulted" } });
      const [report] = await lawyer.call(listReports, { params: { id: matter } });
      expect(report?.filedOn).toBe(filedOn);
      const { reportDueOn } = await admin.call(showMatter, { params: { id: matter } });
      expect(reportDueOn).toBe(plainDate(filedOn).add({ days: 1 }).toString());
    }
  });
});

test("two networks on one server begin their days hours apart", async () => {
  const [eastern, islands] = await Promise.all(
    ["America/New_York", "Pacific/Honolulu"].map(async (timeZone) => {
      const network = await makeNetwork(app.db, { timeZone });
      const attorney = await makeAttorney(app.db, network);
      await app.db
        .updateTable("networks")
        .set({ suspendsOverdueAttorneys: true, overduePeriodsSuspensionThreshold: 0 })
        .where("id", "=", network.id)
        .execute();
      await makeMatter(app.db, network, { attorney, dueOn: "2026-07-01" });
      return attorney.id;
    }),
  );
  const suspended = async (instant: string) => {
    await reviewEveryNetwork(app.db, instant);
    const rows = await app.db
      .selectFrom("attorneys")
      .select("id")
      .where("id", "in", [eastern ?? 0, islands ?? 0])
      .where("suspendedAt", "is not", null)
      .orderBy("id")
      .execute();
    return rows.map(({ id }) => id);
  };
  expect(await suspended("2026-07-02T03:59:59Z")).toEqual([]);
  expect(await suspended("2026-07-02T04:00:00Z")).toEqual([eastern]);
  expect(await suspended("2026-07-02T09:59:59Z")).toEqual([eastern]);
  expect(await suspended("2026-07-02T10:00:00Z")).toEqual(
    [eastern, islands].toSorted((a = 0, b = 0) => a - b),
  );
});

describe("a vacation", () => {
  const timeZone = "America/New_York";
  const now = Temporal.Now.instant(); // fixed, so that no day begins during the test
  const today = dayIn(timeZone, now);
  let network: MadeNetwork;
  let attorney: MadeAttorney;
  let admin: Visitor;

  beforeEach(async () => {
    app.setClock(now.toString());
    network = await makeNetwork(app.db, { timeZone });
    attorney = await makeAttorney(app.db, network);
    admin = await signedIn(app, "admin", network);
  });

  const until = (paused_until: unknown) =>
    admin.ask(pauseAttorney, { body: { attorney_id: attorney.id, paused_until } });
  const inDays = (days: number) => today.add({ days }).toString();

  test.each([
    ["tomorrow", 1, true],
    ["a year from now", 365, true],
    ["today, which means not paused", 0, false],
  ])("is accepted until %s", async (_, days, paused) => {
    const reply = await until(inDays(days));
    expect(reply.object).toMatchObject({ pausedUntil: inDays(days), paused });
    const page = await admin.call(listAttorneys, { query: { status: "paused" } });
    expect(page.total).toBe(paused ? 1 : 0);
  });

  test("is refused until a past day, or without a valid date", async () => {
    const past = await until(inDays(-1));
    expect(past.status).toBe(422);
    expect(past.errors).toEqual([
      { path: "paused_until", message: "Vacation until must be today or a later date." },
    ]);
    for (const odd of ["", "never", "OFF", "2027-02-29", "01/31/2027", null, 1, inDays(400_000)])
      expect((await until(odd)).status).toBe(422);
  });

  test("ends when it is turned off, and doing so twice is no error", async () => {
    await until(inDays(30));
    for (const _ of [1, 2])
      expect((await until("off")).object).toMatchObject({ pausedUntil: null, paused: false });
  });

  test("shows on the attorney's record and records who changed it, before and after", async () => {
    await until(inDays(30));
    await until("off");
    expect(await admin.call(showAttorney, { params: { id: attorney.id } })).toMatchObject({
      pausedUntil: null,
    });
    const { items } = await admin.call(listActivity, { query: { attorney_id: attorney.id } });
    expect(items).toMatchObject([
      {
        action: "ended vacation",
        before: { pausedUntil: inDays(30) },
        after: { pausedUntil: null },
      },
      { who: "Ada Min", action: "put on vacation", before: { pausedUntil: null } },
    ]);
  });
});
