import { sql } from "kysely";
import { Temporal } from "temporal-polyfill";
import { beforeEach, describe, expect } from "vitest";
import { plainDate } from "#domain/calendar.ts";
import { inTransaction } from "#db/transaction.ts";
import { networksToBill, runBilling } from "#features/ledger/billing-run.ts";
import { billingJobs } from "#features/ledger/jobs.ts";
import { enrollAttorney } from "#features/subscriptions/enrolments.ts";
import { makeNetwork, type MadeNetwork } from "#features/demo/records/networks.ts";
import { makeAttorney } from "#features/demo/records/attorneys.ts";
import { makeEnrolment, makePlan } from "#features/demo/records/dues.ts";
import { dueDatesOf } from "#tests/support/ledger.ts";
import { app, appTest } from "#tests/support/app-test.ts";

let honolulu: MadeNetwork;
let newYork: MadeNetwork;

const test = appTest({ asOwner: true });
beforeEach(async () => {
  honolulu = await makeNetwork(app.db, { timeZone: "Pacific/Honolulu" });
  newYork = await makeNetwork(app.db, { timeZone: "America/New_York" });
});

/** Do what the worker does at an hour. */
async function theHourlyJob(instant: string): Promise<void> {
  for (const job of billingJobs)
    await job.run({
      ...app,
      now: () => Temporal.Instant.from(instant),
      log: () => undefined,
      dataDir: "",
      publicUrl: "",
      mail: { smtpUrl: null, from: "no-reply@example.test" },
    });
}

/** Which of this test's two networks wait to be billed, and for which day. */
async function waitingAt(instant: string) {
  const waiting = await networksToBill(app.db, instant);
  const nameOf = new Map([
    [honolulu.id, "Honolulu"],
    [newYork.id, "New York"],
  ]);
  return waiting.flatMap(({ id, today }) => (nameOf.has(id) ? [`${nameOf.get(id)} ${today}`] : []));
}

const billedThrough = async (network: MadeNetwork) =>
  (
    await app.db
      .selectFrom("networks")
      .select("billedThrough")
      .where("id", "=", network.id)
      .executeTakeFirstOrThrow()
  ).billedThrough;

async function someoneEnrolled(network: MadeNetwork, startDate: string): Promise<number> {
  const attorney = await makeAttorney(app.db, network);
  return await makeEnrolment(app.db, attorney, await makePlan(app.db, network), {
    startDate,
    enrolledOn: "2026-01-01",
  });
}

describe("each network's day turns at its own midnight", () => {
  test("a network that was never billed waits for its present day", async () => {
    expect(await waitingAt("2026-03-31T12:00:00Z")).toEqual([
      "Honolulu 2026-03-31",
      "New York 2026-03-31",
    ]);
  });

  test("New York turns six hours before Honolulu does, in summer", async () => {
    await theHourlyJob("2026-06-30T20:00:00Z");
    expect(await waitingAt("2026-07-01T03:59:59Z")).toEqual([]);
    expect(await waitingAt("2026-07-01T04:00:00Z")).toEqual(["New York 2026-07-01"]);
    await theHourlyJob("2026-07-01T04:00:00Z");
    expect(await waitingAt("2026-07-01T09:59:59Z")).toEqual([]);
    expect(await waitingAt("2026-07-01T10:00:00Z")).toEqual(["Honolulu 2026-07-01"]);
  });

  test("and five hours before it in winter", async () => {
    await theHourlyJob("2026-12-30T20:00:00Z");
    expect(await waitingAt("2026-12-31T04:59:59Z")).toEqual([]);
    expect(await waitingAt("2026-12-31T05:00:00Z")).toEqual(["New York 2026-12-31"]);
  });

  test.each([
    [
      "begins",
      "2026-03-07T20:00:00Z",
      [
        "New York 2026-03-07 at 2026-03-07T20:00:00Z",
        "Honolulu 2026-03-07 at 2026-03-07T20:00:00Z",
        "New York 2026-03-08 at 2026-03-08T05:00:00Z",
        "Honolulu 2026-03-08 at 2026-03-08T10:00:00Z",
        "New York 2026-03-09 at 2026-03-09T04:00:00Z",
        "Honolulu 2026-03-09 at 2026-03-09T10:00:00Z",
      ],
    ],
    [
      "ends",
      "2026-10-31T20:00:00Z",
      [
        "New York 2026-10-31 at 2026-10-31T20:00:00Z",
        "Honolulu 2026-10-31 at 2026-10-31T20:00:00Z",
        "New York 2026-11-01 at 2026-11-01T04:00:00Z",
        "Honolulu 2026-11-01 at 2026-11-01T10:00:00Z",
        "New York 2026-11-02 at 2026-11-02T05:00:00Z",
        "Honolulu 2026-11-02 at 2026-11-02T10:00:00Z",
      ],
    ],
  ])(
    "hour by hour over the night when summer time %s, each day once",
    async (_, from, expected) => {
      let hour = Temporal.Instant.from(from);
      const turned: string[] = [];
      for (let count = 0; count < 50; count += 1) {
        const waiting = await waitingAt(hour.toString());
        turned.push(...waiting.map((name) => `${name} at ${hour.toString()}`));
        await theHourlyJob(hour.toString());
        hour = hour.add({ hours: 1 });
      }
      expect(turned.toSorted()).toEqual(expected.toSorted());
    },
  );
});

describe("the hourly job", () => {
  test("bills a due date at the network's midnight, not at UTC's", async () => {
    const enrolment = await someoneEnrolled(honolulu, "2026-05-31");
    await theHourlyJob("2026-05-31T09:59:00Z");
    expect(await dueDatesOf(app.db, enrolment)).toEqual([]);
    await theHourlyJob("2026-05-31T10:00:00Z");
    expect(await dueDatesOf(app.db, enrolment)).toEqual(["2026-05-31"]);
  });

  test("makes up for the days on which no worker ran", async () => {
    const enrolment = await someoneEnrolled(newYork, "2026-01-31");
    await theHourlyJob("2026-01-31T12:00:00Z");
    await theHourlyJob("2026-05-01T12:00:00Z");
    expect(await dueDatesOf(app.db, enrolment)).toEqual([
      "2026-01-31",
      "2026-02-28",
      "2026-03-31",
      "2026-04-30",
    ]);
  });

  test("by two workers at the same hour bills once", async () => {
    const enrolment = await someoneEnrolled(newYork, "2026-01-31");
    await Promise.all([theHourlyJob("2026-02-28T12:00:00Z"), theHourlyJob("2026-02-28T12:00:00Z")]);
    expect(await dueDatesOf(app.db, enrolment)).toEqual(["2026-01-31", "2026-02-28"]);
  });

  test("runs for a network once a day, and is on record as what it is", async () => {
    await theHourlyJob("2026-02-28T12:00:00Z");
    await theHourlyJob("2026-02-28T13:00:00Z");
    const runs = await app.db
      .selectFrom("billingRuns")
      .select(["asOf", "startedBy"])
      .where("networkId", "=", newYork.id)
      .execute();
    expect(runs).toEqual([{ asOf: "2026-02-28", startedBy: "Daily billing" }]);
  });

  test("of one network goes wrong without holding up the others, and is tried again", async () => {
    const [stuck, fine] = [honolulu, newYork];
    await sql`create function refuse_run() returns trigger language plpgsql as $$
      begin raise exception 'No run today.'; end $$`.execute(app.db);
    await sql`create trigger refuse_run before insert on billing_runs for each row
      when (new.network_id = ${sql.lit(stuck.id)}) execute function refuse_run()`.execute(app.db);
    const enrolment = await someoneEnrolled(fine, "2026-01-31");
    await expect(theHourlyJob("2026-01-31T12:00:00Z")).rejects.toThrow("not billed");
    expect(await dueDatesOf(app.db, enrolment)).toEqual(["2026-01-31"]);
    await sql`drop trigger refuse_run on billing_runs`.execute(app.db);
    await theHourlyJob("2026-01-31T12:00:00Z");
    expect(await billedThrough(stuck)).toBe("2026-01-31");
  });

  test("finds an enrolment whose first date comes before the day that a run ahead had reached", async () => {
    await runBilling(app.db, newYork.admin, plainDate("2026-12-31"));
    const plan = await makePlan(app.db, newYork);
    const attorney = await makeAttorney(app.db, newYork);
    const wanted = {
      attorney_id: attorney.id,
      lrs_subscription_id: plan.id,
      start_date: "2026-03-10",
      bill_immediately: false,
      note: "",
    };
    await inTransaction(app.db, (tx) =>
      enrollAttorney(tx, newYork.admin, wanted, plainDate("2026-03-01")),
    );
    expect(await billedThrough(newYork)).toBe("2026-03-09");
    expect(await waitingAt("2026-03-09T12:00:00Z")).toEqual(["Honolulu 2026-03-09"]);
    expect(await waitingAt("2026-03-10T12:00:00Z")).toContain("New York 2026-03-10");
  });
});
