import { sql } from "kysely";
import { Temporal } from "temporal-polyfill";
import { beforeEach, describe, expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { networksToBill, recordBillingFailure } from "#dues/ledger/billing-progress.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { billingJobs } from "#dues/ledger/jobs.ts";
import { enrollAttorney } from "#dues/plans/enrolments.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeEnrolment } from "#tests/support/records/dues.ts";
import { dueDatesOf } from "#tests/support/ledger.ts";
import { databaseMetrics } from "#main/metrics.ts";
import { serializeError } from "#kit/ops/log.ts";
import { app, appTest } from "#tests/support/app-test.ts";

let honolulu: MadeNetwork;
let newYork: MadeNetwork;

const test = appTest({ asOwner: true });
beforeEach(async () => {
  honolulu = await makeNetwork(app.db, { timeZone: "Pacific/Honolulu" });
  newYork = await makeNetwork(app.db, { timeZone: "America/New_York" });
});

/** Run the worker's hourly job. */
async function theHourlyJob(instant: string, { db = app.db }: { db?: Db } = {}): Promise<void> {
  for (const job of billingJobs)
    await job.run({
      ...app,
      db,
      now: () => Temporal.Instant.from(instant),
      log: () => undefined,
      dataDir: "",
      publicUrl: "",
      mail: { smtpUrl: null, from: "no-reply@example.test" },
    });
}

/** The networks of this test that wait to be billed, and the day. */
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
      .selectFrom("billingProgress")
      .select("billedThrough")
      .where("networkId", "=", network.id)
      .executeTakeFirstOrThrow()
  ).billedThrough;

async function someoneEnrolled(network: MadeNetwork, startDate: string): Promise<number> {
  const attorney = await makeAttorney(app.db, network);
  return await makeEnrolment(app.db, attorney, await makePlan(app.db, network), {
    startDate,
    enrolledOn: "2026-01-01",
  });
}

describe("each network's day changes at its own midnight", () => {
  test("a network that was never billed waits for its current day", async () => {
    expect(await waitingAt("2026-03-31T12:00:00Z")).toEqual([
      "Honolulu 2026-03-31",
      "New York 2026-03-31",
    ]);
  });

  test("changes in New York six hours before Honolulu, in summer", async () => {
    await theHourlyJob("2026-06-30T20:00:00Z");
    expect(await waitingAt("2026-07-01T03:59:59Z")).toEqual([]);
    expect(await waitingAt("2026-07-01T04:00:00Z")).toEqual(["New York 2026-07-01"]);
    await theHourlyJob("2026-07-01T04:00:00Z");
    expect(await waitingAt("2026-07-01T09:59:59Z")).toEqual([]);
    expect(await waitingAt("2026-07-01T10:00:00Z")).toEqual(["Honolulu 2026-07-01"]);
  });

  test("and five hours before in winter", async () => {
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

  test("catches up after days without a worker", async () => {
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

  test("of two workers in the same hour bills once", async () => {
    const enrolment = await someoneEnrolled(newYork, "2026-01-31");
    await Promise.all([theHourlyJob("2026-02-28T12:00:00Z"), theHourlyJob("2026-02-28T12:00:00Z")]);
    expect(await dueDatesOf(app.db, enrolment)).toEqual(["2026-01-31", "2026-02-28"]);
  });

  test("runs for a network once a day, and is recorded as Daily billing", async () => {
    await theHourlyJob("2026-02-28T12:00:00Z");
    await theHourlyJob("2026-02-28T13:00:00Z");
    const runs = await app.db
      .selectFrom("billingRuns")
      .select(["asOf", "startedBy"])
      .where("networkId", "=", newYork.id)
      .execute();
    expect(runs).toEqual([{ asOf: "2026-02-28", startedBy: "Daily billing" }]);
  });

  /** Enroll an attorney in both networks, with a debit due in each. */
  async function bothEnrolled() {
    return {
      stuck: await someoneEnrolled(honolulu, "2026-01-31"),
      fine: await someoneEnrolled(newYork, "2026-01-31"),
    };
  }

  /** The metric behind the alert. */
  async function failing(): Promise<number | undefined> {
    const metrics = await databaseMetrics(app.pool)();
    return Number(/^billing_networks_failing (\d+)$/m.exec(metrics)?.[1]);
  }

  test.each([
    [
      "a trigger on its runs fails",
      (id: number) => `create trigger refuse_billing before insert on billing_runs for each row
        when (new.network_id = ${id}) execute function refuse_billing()`,
      "drop trigger refuse_billing on billing_runs",
    ],
    [
      "the last statement of its run fails",
      (id: number) => `create trigger refuse_billing before update on billing_progress for each row
        when (new.network_id = ${id} and new.failed_at is null) execute function refuse_billing()`,
      "drop trigger refuse_billing on billing_progress",
    ],
    [
      "the database does not know its time zone",
      (id: number) => `update networks set time_zone = 'America/Nowhere' where id = ${id}`,
      "update networks set time_zone = 'Pacific/Honolulu' where time_zone = 'America/Nowhere'",
    ],
  ] as const)(
    "bills the others when for one network %s, reports it, and catches up later",
    async (_, spoil, mend) => {
      await sql`create or replace function refuse_billing() returns trigger language plpgsql as $$
        begin raise exception 'Not today.'; end $$`.execute(app.db);
      const { stuck, fine } = await bothEnrolled();
      await sql.raw(spoil(honolulu.id)).execute(app.db);
      const problem = await theHourlyJob("2026-01-31T12:00:00Z").catch(serializeError);
      expect(problem).toMatchObject({
        message: "Some networks were not billed.",
        causes: [{ message: `Network ${honolulu.id} was not billed.`, causes: [{}] }],
      });
      expect(await dueDatesOf(app.db, fine)).toEqual(["2026-01-31"]);
      expect(await billedThrough(newYork)).toBe("2026-01-31");
      expect(await billedThrough(honolulu)).toBeNull();
      expect(await failing()).toBe(1);
      await sql.raw(mend).execute(app.db);
      await theHourlyJob("2026-02-28T13:00:00Z");
      expect(await dueDatesOf(app.db, stuck)).toEqual(["2026-01-31", "2026-02-28"]);
      expect(await billedThrough(honolulu)).toBe("2026-02-28");
      expect(await failing()).toBe(0);
    },
  );

  test("bills a network whose settings are being changed, and does not wait for a locked one", async () => {
    const { stuck, fine } = await bothEnrolled();
    const [editor, locker] = [await app.sessions.connect(), await app.sessions.connect()];
    const impatient = openPool({ connectionString: app.connectionString, connections: 2 });
    Object.assign(impatient.options, { lock_timeout: 100 });
    try {
      await editor.query("begin");
      await editor.query("update networks set name = name where id = $1", [newYork.id]);
      await locker.query("begin");
      await locker.query("select from networks where id = $1 for update", [honolulu.id]);
      const db = openDatabase(impatient);
      await expect(theHourlyJob("2026-01-31T12:00:00Z", { db })).rejects.toThrow("not billed");
      expect(await dueDatesOf(app.db, fine)).toEqual(["2026-01-31"]);
      expect(await dueDatesOf(app.db, stuck)).toEqual([]);
      expect(await failing()).toBe(1);
      await locker.query("rollback");
      await theHourlyJob("2026-01-31T13:00:00Z");
      expect(await dueDatesOf(app.db, stuck)).toEqual(["2026-01-31"]);
      expect(await failing()).toBe(0);
    } finally {
      await Promise.all([editor.query("rollback"), locker.query("rollback")]);
      editor.release();
      locker.release();
      await impatient.end();
    }
  });

  test("tries networks that failed last time after the others", async () => {
    await recordBillingFailure(app.db, honolulu.id, "2026-01-30T12:00:00Z");
    expect(await waitingAt("2026-01-31T12:00:00Z")).toEqual([
      "New York 2026-01-31",
      "Honolulu 2026-01-31",
    ]);
  });

  test("finds an enrolment whose first date is before the day of an earlier run ahead", async () => {
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
