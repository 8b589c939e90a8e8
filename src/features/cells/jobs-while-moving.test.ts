import { sql } from "kysely";
import { Temporal } from "temporal-polyfill";
import { beforeEach, expect } from "vitest";
import { plainDate } from "#domain/calendar.ts";
import { guardNetwork, unguardNetwork } from "#features/cells/guard.ts";
import { endMove } from "#features/cells/network-moves.ts";
import { makeAttorney } from "#features/demo/records/attorneys.ts";
import { makeDebit, makeEnrolment, makePlan } from "#features/demo/records/dues.ts";
import { makeMatter } from "#features/demo/records/matters.ts";
import { makeNetwork, type MadeNetwork } from "#features/demo/records/networks.ts";
import { scheduleExport } from "#features/exports/contract.ts";
import { runDueSchedules } from "#features/exports/schedules.ts";
import { runBilling } from "#features/ledger/billing-run.ts";
import { billNetworksWhoseDayHasTurned } from "#features/ledger/daily-billing.ts";
import { countUnbilled } from "#features/ledger/unbilled.ts";
import { mailDueStatements } from "#features/statements/mail-statements.ts";
import { reviewEveryNetwork } from "#features/suspension/suspension.ts";
import { sendDueWebhooks } from "#features/webhooks/send-webhooks.ts";
import { app } from "#tests/support/app-test.ts";
import { cellTest, moveNetworkTo, owner } from "#tests/support/moving-networks.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { anEndpoint, loopbackOnly, WebhookReceiver } from "#tests/support/webhook-receiver.ts";

/*
 * A job has looked up which networks are served here, and one of them is paused in this moment: its writes are
 * refused. The other networks' work is done by the same run, and nothing is on record as having failed.
 */

const test = cellTest();

let moving: MadeNetwork;
let other: MadeNetwork;

beforeEach(async () => {
  moving = await makeNetwork(app.db, { timeZone: "UTC" }); // comes first in each job
  other = await makeNetwork(app.db, { timeZone: "UTC" });
});

const networks = () => [moving, other];
const beginPause = async () => {
  await moveNetworkTo(owner.db, moving.id, "copying");
  await guardNetwork(owner.pool, moving.id);
};
const endPause = async () => {
  await unguardNetwork(owner.pool, moving.id);
  await endMove(owner.db, moving.id);
};

/** Of which of the two networks a table has rows. */
async function networksIn(table: string): Promise<string[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct network_id as id from ${sql.table(table)}
    where network_id in (${moving.id}, ${other.id})`.execute(app.db);
  return rows.map(({ id }) => (id === moving.id ? "moving" : "other")).toSorted();
}

test("scheduled reports of the others are ordered", async () => {
  app.setClock("2026-11-18T17:00:00Z");
  for (const network of networks()) {
    const admin = await signedIn(app, "admin", network);
    const body = { report_type: "attorneys", columns: ["email"], frequency: "weekly" as const };
    await admin.call(scheduleExport, { body });
  }
  await beginPause();
  await runDueSchedules(app.db, "2026-11-23T12:00:00Z");
  expect(await networksIn("data_exports")).toEqual(["other"]);
  await endPause();
  await runDueSchedules(app.db, "2026-11-23T12:00:00Z");
  expect(await networksIn("data_exports")).toEqual(["moving", "other"]);
});

test("webhooks of the others are posted", async () => {
  const receiver = await WebhookReceiver.start();
  const sending = { db: app.db, secret: app.secret, reach: loopbackOnly };
  for (const network of networks()) await anEndpoint(app, network, { url: receiver.url });
  for (const network of networks())
    await makeDebit(app.db, network, await makeAttorney(app.db, network));
  await beginPause();
  expect(await sendDueWebhooks(sending)).toBe(1);
  expect(receiver.received).toHaveLength(1);
  await endPause();
  expect(await sendDueWebhooks(sending)).toBe(1);
  await receiver.close();
});

const enrolBoth = async () => {
  for (const network of networks())
    await makeEnrolment(
      app.db,
      await makeAttorney(app.db, network),
      await makePlan(app.db, network),
    );
};

test("the others are billed and counted, and this one has not failed", async () => {
  await enrolBoth();
  const now = "2026-12-31T12:00:00Z";
  const context = { ...app, now: () => Temporal.Instant.from(now) };
  await beginPause();
  await billNetworksWhoseDayHasTurned(context);
  await countUnbilled(app.db, now);
  const tables = ["debits", "billing_runs", "unbilled_counts"];
  for (const table of tables) expect([table, await networksIn(table)]).toEqual([table, ["other"]]);
  const failing = await sql`select from billing_progress where failed_at is not null`.execute(
    app.db,
  );
  expect(failing.rows).toEqual([]);
  await endPause();
  await billNetworksWhoseDayHasTurned(context);
  expect(await networksIn("debits")).toEqual(["moving", "other"]);
});

test("the others are reviewed and mailed their statements, and this one has not failed", async () => {
  for (const network of networks()) {
    const attorney = await makeAttorney(app.db, network);
    await makeMatter(app.db, network, { attorney, dueOn: "2026-01-01" });
    await app.db
      .updateTable("networks")
      .set({ suspendsOverdueAttorneys: true, statementDay: 1, statementsBegunOn: "2026-11-01" })
      .where("id", "=", network.id)
      .execute();
  }
  await beginPause();
  const now = "2026-12-02T12:00:00Z";
  await reviewEveryNetwork(app.db, now);
  await mailDueStatements(app.db, now);
  const done = async () => {
    const { rows } = await sql`
      select n.id from networks n join attorneys a on a.network_id = n.id
      where n.id in (${moving.id}, ${other.id}) and a.suspended_at is not null
        and n.statements_mailed_through = '2026-11-30' order by n.id`.execute(app.db);
    return rows;
  };
  expect(await done()).toEqual([{ id: other.id }]);
  await endPause();
  await reviewEveryNetwork(app.db, now);
  await mailDueStatements(app.db, now);
  expect(await done()).toEqual([{ id: moving.id }, { id: other.id }]);
});

test("a billing run that the pause cuts off is not on record as one with failures", async () => {
  await enrolBoth();
  // As when the pause begins between the run's start and its debits, and ends before the run does.
  await sql`
    create trigger pause_begins before insert on debits for each row
      when (new.network_id = ${sql.lit(moving.id)})
      execute function refuse_unserved(${sql.lit(String(moving.id))})`.execute(owner.db);
  const run = () => runBilling(app.db, moving.admin, plainDate("2026-12-31"));
  await expect(run()).rejects.toMatchObject({ code: "RN503" });
  await sql`drop trigger pause_begins on debits`.execute(owner.db);
  expect(await run()).toMatchObject({ failures: 0 });
  const { rows } = await sql`
    select from billing_runs where network_id = ${moving.id} and failures > 0`.execute(app.db);
  expect(rows).toEqual([]);
  expect(await networksIn("debits")).toEqual(["moving"]);
});
