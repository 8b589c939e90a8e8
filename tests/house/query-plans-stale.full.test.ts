import "#main/reports.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { attorneyImport, importAttorneys } from "#people/import-attorneys.ts";
import { previewReview, reviewNetwork } from "#referrals/suspension/suspension.ts";
import { dryRunBilling, runBilling } from "#dues/ledger/billing-run.ts";
import { findDueButNotBilled, hasMissingDebit } from "#dues/ledger/billing-runs.ts";
import { countUnbilled } from "#dues/ledger/unbilled.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { seed } from "#main/demo/seed.ts";
import { queueReminders } from "#referrals/suspension/reminders.ts";
import { importMatters } from "#referrals/matters/import-matters.ts";
import { exportTypes } from "#kit/list/offered-reports.ts";
import { writeExport } from "#office/reports/write-export.ts";
import { previewUndoEnrollAll, undoEnrollAll } from "#dues/plans/enrolment-batches.ts";
import { endEnrolment, enrollAll } from "#dues/plans/enrolments.ts";
import { previewEnrollAll, archivePlanAndEnrolments } from "#dues/plans/plans.ts";
import { planImport } from "#kit/imports/csv-import.ts";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { anExplainingDatabase, type ExplainingDatabase } from "#tests/support/explain-plans.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

/*
 * A new network imports a panel, enrols everybody and bills them within minutes, before the database has
 * analyzed the tables. It then expects one row where there are thousands. No work on a whole network may then
 * read a table once for each row of another: the rows that each step of a plan has read show it. The
 * statistics are: none; of empty tables; of another network's few rows, the most misleading, since they have
 * no row of this network.
 */

const size = inBriefOr(600, 2_000);
/** A few rows and reads for each attorney; a read for each row would need millions. */
const mostRows = 30 * size;
/** Inserts maintain a dozen indexes, and the pages of each are counted. */
const mostPages = 200 * size;

const today = plainDate("2026-07-01");
const now = "2026-07-01T12:00:00Z";

type Statistics = [string, (db: Db) => Promise<void>];

const statistics: Statistics[] = [
  ["no statistics", async () => undefined],
  ...inBriefOr<Statistics[]>(
    [],
    [["the statistics of empty tables", async (db) => void (await sql`analyze`.execute(db))]],
  ),
  [
    "the statistics of another network",
    async (db) => {
      const other = await makeNetwork(db, { timeZone: "UTC" });
      await seed(db, other.admin, { attorneys: 40, plans: 2, months: 3, seed: 1, today });
      await sql`
        insert into matters (network_id, first_name, last_name, status, attorney_id, referred_at, report_due_on)
        select network_id, 'Cleo', 'Client', 'open', id, now(), '2026-07-01' from attorneys`.execute(
        db,
      );
      await reportOnEachMatter(db);
      await sql`analyze`.execute(db);
    },
  ],
];

describe.each(statistics)("with %s, no table is read once for each row of another by", (_, lay) => {
  let database: TestDatabase;
  let explaining: ExplainingDatabase;
  let db: Db;
  let network: MadeNetwork;
  let folder: string;

  beforeAll(async () => {
    database = await aTestDatabase();
    const plain = openDatabase(openPool({ connectionString: database.ownerConnectionString }));
    await lay(plain);
    network = await makeNetwork(plain, { timeZone: "UTC" });
    await plain.destroy();
    explaining = anExplainingDatabase(database.connectionString);
    db = explaining.db;
    folder = mkdtempSync(join(tmpdir(), "referral-network-plans-"));
  });
  afterAll(async () => {
    await explaining.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  /** Steps that read far too much. Throws if the answer says that the work was not done. */
  async function tooOften<Answer>(
    act: () => Promise<Answer>,
    isDone: (answer: Answer) => boolean,
  ): Promise<string[]> {
    explaining.taken();
    const answer = await act();
    if (!isDone(answer))
      throw new Error(`The work was not done: ${JSON.stringify(answer).slice(0, 500)}.`);
    return explaining
      .taken()
      .filter(({ rows, pages }) => rows > mostRows || pages > mostPages)
      .map(({ rows, step, pages, text }) => `${rows} rows, ${pages} pages, ${step}: ${text}`);
  }

  const file = (name: string, lines: string[]) => {
    const path = join(folder, name);
    writeFileSync(path, lines.join("\n"));
    return { path, encoding: "utf-8" as const, skipsBad: false, today, publicUrl: "" };
  };
  const numbers = Array.from({ length: size }, (__, number) => number);

  const panel = (phone: string) =>
    file("panel.csv", [
      "first name,last name,email,phone,bar number",
      ...numbers.map((k) => `Member,Number ${k},member-${k}@example.test,${phone},M${k}`),
    ]);
  const referrals = (phone: string) =>
    file("referrals.csv", [
      "reference,first name,last name,phone,submitted on,attorney",
      ...numbers.map((k) => {
        const attorney = k % 3 ? `Member-${k}@example.test` : `M${k}`;
        return `${k % 2 ? `R${k}` : ""},Client ${k},Smith,${phone},2026-01-01,${attorney}`;
      }),
    ]);

  const subscribeAll = async (bill: boolean, id?: number) => {
    const planId = id ?? (await makePlan(db, network)).id;
    const terms = { lrs_subscription_id: planId, start_date: "2026-06-01", note: "" };
    const counts = await inTransaction(db, (tx) =>
      enrollAll(tx, network.admin, { ...terms, bill_immediately: bill }, today),
    );
    return { planId, ...counts };
  };

  test("importing a panel, the same panel again, and one that changes everybody", async () => {
    const bring = (phone: string) => () => importAttorneys(db, network.admin, panel(phone));
    const check = (phone: string) => () =>
      inTransaction(db, (tx) =>
        planImport(tx, panel(phone), attorneyImport(network.admin, ""), () => undefined),
      );
    const [one, other] = ["(555) 010-0001", "(555) 010-0002"];
    expect(await tooOften(check(one), ({ added }) => added === size)).toEqual([]);
    expect(await tooOften(bring(one), ({ inserted }) => inserted === size)).toEqual([]);
    expect(await tooOften(bring(one), ({ unchanged }) => unchanged === size)).toEqual([]);
    expect(await tooOften(check(other), ({ changed }) => changed === size)).toEqual([]);
    expect(await tooOften(bring(other), ({ updated }) => updated === size)).toEqual([]);
  });

  test("subscribing all when nobody is subscribed yet, and when everybody is", async () => {
    let plan = 0;
    const first = async () => {
      const { planId, subscribed } = await subscribeAll(false);
      plan = planId;
      return subscribed;
    };
    expect(await tooOften(first, (subscribed) => subscribed === size)).toEqual([]);
    const again = async () => (await subscribeAll(false, plan)).alreadySubscribed;
    expect(await tooOften(again, (already) => already === size)).toEqual([]);
    const billed = async () => (await subscribeAll(true)).debitsCreated;
    expect(await tooOften(billed, (debits) => debits === size)).toEqual([]);
    const preview = () => previewEnrollAll(db, network.admin, plan);
    expect(await tooOften(preview, (found) => found.alreadySubscribed === size)).toEqual([]);
  });

  test("billing, a later month, and the lists of what is due", async () => {
    const rehearse = () => dryRunBilling(db, network.id, plainDate("2026-09-02"));
    expect(await tooOften(rehearse, ({ debits }) => debits > size)).toEqual([]);
    const unbilled = () => countUnbilled(db, "2026-09-02T12:00:00Z");
    expect(await tooOften(unbilled, () => true)).toEqual([]);
    const bill = (day: string) => () => runBilling(db, network.admin, plainDate(day));
    expect(await tooOften(bill("2026-09-02"), ({ debits }) => debits > size)).toEqual([]);
    expect(await tooOften(bill("2026-10-02"), ({ debits }) => debits > size)).toEqual([]);
    const look = () => hasMissingDebit(db, network.id, "2026-10-02");
    expect(await tooOften(look, (found) => !found)).toEqual([]);
    const due = () => findDueButNotBilled(db, network.admin, plainDate("2026-11-02"));
    expect(await tooOften(due, (found) => found.length === 1000)).toEqual([]);
  });

  test("importing referrals, suspending for late reports, and reminding", async () => {
    await rule({ suspends: true });
    const author = { ...network.admin, permitsMatterEditing: true };
    const bring = (phone: string) => () => importMatters(db, author, referrals(phone));
    const first = bring("(555) 010-0001");
    expect(await tooOften(first, (made) => made.suspended === size)).toEqual([]);
    expect(await tooOften(first, ({ unchanged }) => unchanged === size)).toEqual([]);
    const second = bring("(555) 010-0002");
    expect(await tooOften(second, ({ updated }) => updated === size)).toEqual([]);
    const preview = () => previewReview(db, network.id, { enabled: true, threshold: 12 }, today);
    expect(await tooOften(preview, ({ lifted }) => lifted === size)).toEqual([]);
    await rule({ suspends: false });
    const review = () => inTransaction(db, (tx) => reviewNetwork(tx, network.admin, today));
    expect(await tooOften(review, ({ lifted }) => lifted === size)).toEqual([]);
    await rule({ suspends: true });
    expect(await tooOften(review, ({ suspended }) => suspended === size)).toEqual([]);
    const remind = () => queueReminders(db, now);
    expect(await tooOften(remind, () => true)).toEqual([]);
  });

  const rule = async ({ suspends }: { suspends: boolean }) =>
    await db
      .updateTable("networks")
      .set({ suspendsOverdueAttorneys: suspends, overduePeriodsSuspensionThreshold: 2 })
      .where("id", "=", network.id)
      .execute();

  test("seeding, with payments and adjustments", async () => {
    const wanted = { attorneys: size, plans: 1, months: 2, seed: 2, today };
    const made = () => seed(db, network.admin, wanted);
    expect(await tooOften(made, ({ debits }) => debits === 2 * size)).toEqual([]);
  });

  test("every report", async () => {
    await reportOnEachMatter(db);
    await depositEachCheck(db, network.id);
    await foundFirms(db, network.id);
    await addOfficeRecords(db, network.id);
    for (const { value, columns } of exportTypes) {
      const client = await explaining.pool.connect();
      const write = () =>
        writeExport({
          db,
          client,
          choices: {
            reportType: value,
            columns: columns.map((column) => column.value),
            attorneyId: null,
            timeFilterMode: null,
            firstOn: null,
            lastOn: null,
            filters: null,
          },
          context: { networkId: network.id, timeZone: "UTC", today: today.toString() },
          write: async () => undefined,
          onProgress: () => undefined,
        });
      try {
        const fewest = value === "subscriptions" ? 1 : size / 10; // no network has hundreds
        expect([value, await tooOften(write, (rows) => rows > fewest)]).toEqual([value, []]);
      } finally {
        client.release();
      }
    }
  });

  test("verifying the ledger", async () => {
    const verify = (networkId: number | null) => () => verifyLedger(db, networkId);
    const isWhole = (checks: { offenders: number }[]) =>
      checks.every(({ offenders }) => offenders === 0);
    expect(await tooOften(verify(network.id), isWhole)).toEqual([]);
    expect(await tooOften(verify(null), isWhole)).toEqual([]);
  });

  test("archiving a plan with everybody in it, one of them already unsubscribed", async () => {
    const { planId } = await subscribeAll(false);
    const { id } = await db
      .selectFrom("enrolments")
      .select("id")
      .where("planId", "=", planId)
      .orderBy("id")
      .limit(1)
      .executeTakeFirstOrThrow();
    const end = () => inTransaction(db, (tx) => endEnrolment(tx, network.admin, id, today));
    expect(await tooOften(end, () => true)).toEqual([]);
    const archive = () =>
      inTransaction(db, (tx) => archivePlanAndEnrolments(tx, network.admin, planId, today));
    expect(await tooOften(archive, () => true)).toEqual([]);
    const plan = db.selectFrom("plans").select("enrolledCount").where("id", "=", planId);
    expect(await plan.executeTakeFirst()).toEqual({ enrolledCount: 0 });
  });

  test("undoing a Subscribe all, and its preview", async () => {
    const { batchId } = await subscribeAll(true);
    const look = () => previewUndoEnrollAll(db, network.admin, batchId);
    expect(await tooOften(look, ({ debits }) => debits >= size)).toEqual([]);
    const undo = () => inTransaction(db, (tx) => undoEnrollAll(tx, network.admin, batchId));
    expect(await tooOften(undo, ({ ended }) => ended >= size)).toEqual([]);
  });
});

async function reportOnEachMatter(db: Db): Promise<void> {
  await sql`
    insert into matter_reports (network_id, matter_id, attorney_id, outcome, filed_on)
    select network_id, id, attorney_id, 'consulted', '2026-02-01' from matters`.execute(db);
}

/** As many changes, mails and ordered reports as there are attorneys. */
async function addOfficeRecords(db: Db, networkId: number): Promise<void> {
  await sql`
    insert into mails (network_id, occasion, recipient, subject, body)
    select network_id, 'test:' || id, email, 'A mail', 'Dear you' from attorneys
    where network_id = ${networkId}`.execute(db);
  await sql`
    insert into audit_entries (network_id, actor_name, action, record_type, record_id)
    select network_id, 'Ada Min', 'changed details', 'attorney', id from attorneys
    where network_id = ${networkId}`.execute(db);
  await sql`
    insert into data_exports (network_id, report_type, requested_by, expires_at, columns)
    select network_id, 'attorneys', 'Ada Min', now(), '{}' from attorneys
    where network_id = ${networkId}`.execute(db);
}

/** Each attorney in a firm of their own. */
async function foundFirms(db: Db, networkId: number): Promise<void> {
  await sql`
    with made as (
      insert into firms (network_id, name)
      select network_id, 'Firm ' || id from attorneys where network_id = ${networkId}
      returning id, name
    )
    update attorneys a set firm_id = made.id from made
    where a.network_id = ${networkId} and made.name = 'Firm ' || a.id`.execute(db);
}

/** Each approved check in a deposit of its own. */
async function depositEachCheck(db: Db, networkId: number): Promise<void> {
  await sql`
    with approved as (
      select id, row_number() over (order by id) as number from received_checks
      where network_id = ${networkId} and status = 'approved'
    ), made as (
      insert into deposits (network_id, number, deposited_on, account_name)
      select ${networkId}, number, '2026-07-01', 'Operating' from approved
      returning id, number
    )
    update received_checks c set deposit_id = made.id
    from approved join made using (number)
    where c.network_id = ${networkId} and c.id = approved.id`.execute(db);
}
