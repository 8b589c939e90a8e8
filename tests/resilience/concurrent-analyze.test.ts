import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { cents } from "#kit/domain/money.ts";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { analyzeReferred } from "#kit/db/planner-settings.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { importAttorneys } from "#people/import-attorneys.ts";
import { inviteAttorneys } from "#people/invitations.ts";
import { makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeEnrolments } from "#tests/support/records/dues.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { seed } from "#main/demo/seed.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { chargeAttorneys } from "#dues/ledger/charges.ts";
import { importMatters } from "#referrals/matters/import-matters.ts";
import { undoEnrollAll } from "#dues/plans/enrolment-batches.ts";
import { endEnrolments, enrollAll, enrollChosen } from "#dues/plans/enrolments.ts";
import { archivePlanAndEnrolments } from "#dues/plans/plans.ts";
import { ledgerOffences } from "#tests/support/ledger.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

/*
 * In a database without other rows, another session analyzes the tables the whole time while many rows are
 * inserted, after a first try was rolled back. The statistics then say that the tables are empty
 * (docs/decisions/087). The tests compare PostgreSQL's counts: index entries read, tables read from end to
 * end, and the indexes used.
 */

const size = 1_100;
/** An enrolment is looked up a few times, for its debit, its ledger entry and its credit. */
const mostEntries = 40 * size;
const mostScans = 60;

const today = plainDate("2026-07-01");

let database: TestDatabase;
let owner: pg.Client;
let pool: pg.Pool;
let db: Db;
let network: MadeNetwork;
let folder: string;

beforeEach(async () => {
  database = await aTestDatabase(); // per test: rows of an earlier test would change the statistics
  owner = new pg.Client({ connectionString: database.ownerConnectionString });
  await owner.connect();
  pool = openPool({ connectionString: database.connectionString, connections: 2 });
  db = openDatabase(pool);
  network = await makeNetwork(db, { timeZone: "UTC" });
  folder = mkdtempSync(join(tmpdir(), "referral-network-analyzed-"));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await owner.end();
  await pool.end();
  await database.drop();
});

const growing = [
  "attorneys",
  "firms",
  "enrolments",
  "debits",
  "entries",
  "credits",
  "payments",
  "payment_allocations",
  "matters",
  "matter_referrals",
  "users",
  "sign_in_links",
  "mails",
];

/** Tables that rows of the same transaction refer to: by a unique key, so that one row is found. */
const referred = ["enrolments", "debits", "matters", "firms", "users"];

/** During `act` another session analyzes the tables that it inserts into. */
async function whileAnalyzed<Answer>(act: () => Promise<Answer>): Promise<Answer> {
  const analyze = `analyze ${growing.join(", ")}`;
  const others = new pg.Client({ connectionString: database.ownerConnectionString });
  await others.connect();
  const done = new AbortController();
  const analyzing = (async () => {
    while (!done.signal.aborted) await others.query(analyze);
  })();
  try {
    return await act();
  } finally {
    done.abort();
    await analyzing;
    await others.end();
  }
}

/** The same work, tried first and rolled back at its commit. */
async function tryAndRollBack(act: () => Promise<unknown>, insertedInto: string): Promise<void> {
  await owner.query(`
    create function refuse_commit() returns trigger language plpgsql as $$ begin raise 'Not today.'; end $$;
    create constraint trigger refuse_commit after insert on ${insertedInto} deferrable initially deferred
      for each row execute function refuse_commit()`);
  await act().catch(() => undefined);
  await owner.query("drop function refuse_commit cascade");
  await owner.query(`analyze ${growing.join(", ")}`);
}

interface Counts {
  entries: number;
  fullReads: number;
  otherIndexes: number;
}

async function readCounts(): Promise<Counts> {
  const clients = await Promise.all([pool.connect(), pool.connect()]); // each connection reports its own counts
  for (const client of clients) await client.query("select pg_stat_force_next_flush()");
  for (const client of clients) client.release();
  await owner.query("select pg_stat_clear_snapshot()");
  const { rows } = await owner.query<Record<keyof Counts, string>>(
    `select (select sum(idx_tup_read) from pg_stat_user_indexes where relname = any($1)) as entries,
      (select sum(seq_scan) from pg_stat_user_tables where relname = any($1)) as "fullReads",
      (select sum(s.idx_scan) from pg_stat_user_indexes s join pg_index i using (indexrelid)
        where s.relname = any($2) and not i.indisunique) as "otherIndexes"`,
    [growing, referred],
  );
  const { entries, fullReads, otherIndexes } = rows[0] ?? {};
  return {
    entries: Number(entries),
    fullReads: Number(fullReads),
    otherIndexes: Number(otherIndexes),
  };
}

/** What was read too often; empty if nothing. */
async function excessiveReads(
  act: () => Promise<unknown>,
  { insertsInto }: { insertsInto: string },
): Promise<string[]> {
  await tryAndRollBack(act, insertsInto);
  const before = await readCounts();
  await whileAnalyzed(act);
  const after = await readCounts();
  const most: Counts = { entries: mostEntries, fullReads: mostScans, otherIndexes: mostScans };
  return (Object.keys(most) as (keyof Counts)[])
    .filter((count) => !(after[count] - before[count] <= most[count]))
    .map((count) => `${count}: ${after[count] - before[count]}`);
}

const file = (name: string, lines: string[]) => {
  const path = join(folder, name);
  writeFileSync(path, lines.join("\n"));
  return { path, encoding: "utf-8" as const, skipsBad: false, today };
};
const numbers = Array.from({ length: size }, (_, number) => number);

const subscribeAll = async (planId: number) =>
  await inTransaction(db, (tx) => enrollAll(tx, network.admin, { ...termsOf(planId) }, today));

const termsOf = (planId: number) => ({
  lrs_subscription_id: planId,
  start_date: "2026-06-01",
  note: "",
  bill_immediately: true,
});

const chargeOf = (attorneyIds: number[]) => ({
  attorneyIds,
  name: "Directory",
  amountCents: cents(5_000),
  dueOn: "2026-07-01",
  note: "",
});

const charge = (panel: number[]) => async () =>
  await inTransaction(db, (tx) => chargeAttorneys(tx, network.admin, chargeOf(panel)));

/** Everybody is in a plan and not yet billed. */
async function anEnrolledPanel(startDate: string) {
  const panel = await makePanel(db, network, size);
  const plan = await makePlan(db, network);
  const enrolments = await makeEnrolments(db, panel, plan, { startDate, enrolledOn: startDate });
  return { panel, plan, enrolments };
}

/** A check for each attorney that becomes credit. */
async function receiveCreditOfEach(attorneyIds: number[]): Promise<void> {
  await sql`with received as (
      insert into received_checks (network_id, attorney_id, check_number, amount_cents, received_on)
      select ${network.id}, attorney_id, 'C', 3000, '2026-06-30' from unnest(${attorneyIds}::bigint[]) as attorney_id
      returning *)
    insert into payments (network_id, attorney_id, method, amount_cents, credit_cents, check_number, received_check_id)
    select network_id, attorney_id, 'check', amount_cents, amount_cents, check_number, id from received`.execute(
    db,
  );
  await sql`update received_checks set status = 'approved', decided_at = now()
    where network_id = ${network.id}`.execute(db);
}

describe("no lookup reads all of the network's rows while another session analyzes them:", () => {
  test("Subscribe all with the first debits", async () => {
    await makePanel(db, network, size);
    const plan = await makePlan(db, network);
    const act = () => subscribeAll(plan.id);
    expect(await excessiveReads(act, { insertsInto: "enrolments" })).toEqual([]);
    expect(await ledgerOffences(db, network.id)).toEqual([]);
  });

  test("subscribing chosen attorneys", async () => {
    const panel = await makePanel(db, network, size);
    const plan = await makePlan(db, network);
    const { admin } = network;
    const wanted = { ...termsOf(plan.id), attorney_ids: panel };
    const act = () => inTransaction(db, (tx) => enrollChosen(tx, admin, wanted, today));
    expect(await excessiveReads(act, { insertsInto: "enrolments" })).toEqual([]);
  });

  test("a billing run where everybody has credit", async () => {
    const { panel } = await anEnrolledPanel("2026-05-01");
    await receiveCreditOfEach(panel);
    const act = () => runBilling(db, network.admin, today);
    expect(await excessiveReads(act, { insertsInto: "debits" })).toEqual([]);
    expect(await ledgerOffences(db, network.id)).toEqual([]);
  });

  test("a charge for many where everybody has credit", async () => {
    const panel = await makePanel(db, network, size);
    await receiveCreditOfEach(panel);
    expect(await excessiveReads(charge(panel), { insertsInto: "debits" })).toEqual([]);
    expect(await ledgerOffences(db, network.id)).toEqual([]);
  });

  test("the undo of Subscribe all", async () => {
    await receiveCreditOfEach(await makePanel(db, network, size));
    const plan = await makePlan(db, network);
    const { batchId } = await subscribeAll(plan.id);
    const act = () => inTransaction(db, (tx) => undoEnrollAll(tx, network.admin, batchId));
    expect(await excessiveReads(act, { insertsInto: "entries" })).toEqual([]);
    expect(await ledgerOffences(db, network.id)).toEqual([]);
  });

  test("archiving a plan before anybody was billed", async () => {
    const { plan } = await anEnrolledPanel("2026-05-01");
    const act = () =>
      inTransaction(db, (tx) => archivePlanAndEnrolments(tx, network.admin, plan.id, today));
    expect(await excessiveReads(act, { insertsInto: "debits" })).toEqual([]);
  });

  test("ending enrolments before anybody was billed", async () => {
    const { enrolments } = await anEnrolledPanel("2026-05-01");
    const ids = enrolments.slice(0, 1_000);
    const act = () => inTransaction(db, (tx) => endEnrolments(tx, network.admin, ids, today));
    expect(await excessiveReads(act, { insertsInto: "debits" })).toEqual([]);
  });

  test("an import of attorneys, each of a firm of their own", async () => {
    const panel = file("panel.csv", [
      "first name,last name,email,firm",
      ...numbers.map((k) => `Ada,Number ${k},ada-${k}@example.test,Firm ${k}`),
    ]);
    const act = () =>
      importAttorneys(db, network.admin, { ...panel, publicUrl: "http://localhost:3000" });
    expect(await excessiveReads(act, { insertsInto: "attorneys" })).toEqual([]);
  });

  test("an invitation of many", async () => {
    const ids = await makePanel(db, network, size);
    const mailing = {
      sendsMail: true,
      publicUrl: "http://localhost:3000",
      from: { address: "127.0.0.1", device: "" },
    };
    const chosen = { attorney_ids: ids };
    const act = () =>
      inTransaction(db, (tx) => inviteAttorneys(tx, network.admin, { chosen, today, ...mailing }));
    expect(await excessiveReads(act, { insertsInto: "users" })).toEqual([]);
  });

  test("an import of referrals", async () => {
    const attorneys = await makePanel(db, network, size);
    await sql`update attorneys set email = 'ada-' || id - ${attorneys[0]} || '@example.test'`.execute(
      db,
    );
    const referrals = file("referrals.csv", [
      "reference,first name,last name,submitted on,attorney",
      ...numbers.map((k) => `R${k},Client,Number ${k},2026-06-01,ada-${k}@example.test`),
    ]);
    const author = { ...network.admin, permitsMatterEditing: true };
    const act = () => importMatters(db, author, referrals);
    expect(await excessiveReads(act, { insertsInto: "matters" })).toEqual([]);
  });

  test("seeding an enrolled panel", async () => {
    const wanted = { attorneys: size, plans: 1, months: 0, seed: 1, today };
    const act = () => seed(db, network.admin, wanted);
    expect(await excessiveReads(act, { insertsInto: "attorneys" })).toEqual([]);
  });
});

describe("a table that new rows of the same transaction refer to", () => {
  /** True if no other session may analyze attorneys until this many new ones are committed. */
  async function isHeldAfter(attorneys: number): Promise<boolean> {
    return await inTransaction(db, async (tx) => {
      await makePanel(tx, network, attorneys);
      await analyzeReferred(tx, attorneys, "attorneys");
      await owner.query("begin");
      const analyzed = owner.query("lock table attorneys in share update exclusive mode nowait");
      const isHeld = await analyzed.then(
        () => false,
        () => true,
      );
      await owner.query("rollback");
      return isHeld;
    });
  }

  test("is analyzed by no other session before the commit, if it has few other rows", async () => {
    expect(await isHeldAfter(999)).toBe(false);
    expect(await isHeldAfter(1_500)).toBe(true);
    await owner.query("analyze attorneys");
    expect(await isHeldAfter(1_500)).toBe(false);
  });

  test("is not waited for while another session vacuums it", async () => {
    await makePanel(db, network, 1_000);
    const plan = await makePlan(db, network);
    await owner.query("begin; lock table enrolments in share update exclusive mode");
    expect(await subscribeAll(plan.id)).toMatchObject({ subscribed: 1_000, debitsCreated: 1_000 });
    await owner.query("rollback");
  });

  test("does not deadlock with another network's inserts", async () => {
    const networks = [network, await makeNetwork(db), await makeNetwork(db)];
    const acts: (() => Promise<unknown>)[] = [];
    for (const each of networks) {
      const panel = await makePanel(db, each, 1_000);
      const { id } = await makePlan(db, each);
      acts.push(
        () => inTransaction(db, (tx) => enrollAll(tx, each.admin, termsOf(id), today)),
        () => inTransaction(db, (tx) => chargeAttorneys(tx, each.admin, chargeOf(panel))),
      );
    }
    await Promise.all(acts.map((act) => act()));
    const { rows } = await sql<{ deadlocks: number; debits: number }>`
      select deadlocks, (select count(*) from debits) as debits
      from pg_stat_database where datname = current_database()`.execute(db);
    expect(rows).toEqual([{ deadlocks: 0, debits: 6_000 }]);
  });
});
