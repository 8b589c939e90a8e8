import { listAttorneys } from "#panel/contract.ts";
import { listPlans } from "#dues/plans/plans.list.ts";
import { sql } from "kysely";
import { describe, expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { listActivity } from "#office/activity/contract.ts";
import * as attorneys from "#people/contract.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import {
  adjustDebit,
  changeCredit,
  createCharge,
  listOutstanding,
  previewCharges,
  showCredit,
} from "#dues/ledger/contract.ts";
import * as checks from "#payments/checks/contract.ts";
import { confirmChecks, payByCheck } from "#payments/contract.ts";
import { showStatement } from "#dues/ledger/statements/contract.ts";
import * as subscriptions from "#dues/plans/contract.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan, type MadePlan } from "#main/demo/records/dues.ts";
import { makeEnrolments } from "#tests/support/records/dues.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/*
 * With a large panel, no everyday call reads a growing table from end to end. The test makes a call and
 * compares PostgreSQL's own counts.
 */

let network: MadeNetwork;
let admin: Visitor;
let panel: number[];
let plan: MadePlan;

const growing = [
  "enrolments",
  "debits",
  "entries",
  "payments",
  "payment_allocations",
  "credits",
  "received_checks",
  "audit_entries",
  "sessions",
  "sign_in_links",
];

const test = appTest({ clock: "2026-07-01T12:00:00Z", connections: 1, asOwner: true });
test.beforeAll(async () => {
  network = await makeNetwork(app.db, { timeZone: "UTC" });
  admin = await signedIn(app, "admin", network);
  panel = await makePanel(app.db, network, 1_500);
  plan = await makePlan(app.db, network);
  const terms = { startDate: "2026-02-01", enrolledOn: "2026-01-31" };
  await makeEnrolments(app.db, panel, plan, terms);
  await runBilling(app.db, network.admin, plainDate("2026-06-30"));
  await payOneCheckEach();
  await receiveCreditOfEach();
  await sql`insert into audit_entries (network_id, actor_name, action, record_type, record_id)
    select ${network.id}, 'Ada Min', 'changed', 'attorney', attorney_id
    from unnest(${panel}::bigint[]) as attorney_id, generate_series(1, 4)`.execute(app.db);
  await sql`insert into sessions (user_id, token, expires_at)
    select ${network.admin.userId}, 'token-' || k, now() from generate_series(1, 2000) as k`.execute(
    app.db,
  );
  await sql`insert into sign_in_links (network_id, user_id, purpose, code_hash, expires_at)
    select ${network.id}, ${network.admin.userId}, 'invitation', 'hash-' || k, now()
    from generate_series(1, 2000) as k`.execute(app.db);
  await sql`analyze`.execute(app.db);
});

/** One pending check for each attorney, on the oldest debit. */
async function payOneCheckEach(): Promise<void> {
  await sql`with paid as (
      insert into payments (network_id, attorney_id, method, amount_cents, check_number)
      select ${network.id}, attorney_id, 'check', 100, '1' from unnest(${panel}::bigint[]) as attorney_id
      returning network_id, id, attorney_id)
    insert into payment_allocations (network_id, attorney_id, payment_id, debit_id, amount_cents, check_number)
    select paid.network_id, paid.attorney_id, paid.id, d.id, 100, '1'
    from paid join debits d on d.attorney_id = paid.attorney_id and d.period = 0`.execute(app.db);
}

/** A check for each attorney that becomes credit. */
async function receiveCreditOfEach(): Promise<void> {
  await sql`with received as (
      insert into received_checks (network_id, attorney_id, check_number, amount_cents, received_on)
      select ${network.id}, attorney_id, 'C', 9000, '2026-06-30' from unnest(${panel}::bigint[]) as attorney_id
      returning *)
    insert into payments (network_id, attorney_id, method, amount_cents, credit_cents, check_number, received_check_id)
    select network_id, attorney_id, 'check', amount_cents, amount_cents, check_number, id from received`.execute(
    app.db,
  );
  await sql`update received_checks set status = 'approved', decided_at = now()
    where network_id = ${network.id} and check_number = 'C'`.execute(app.db);
}

/** How often each growing table was read from end to end; the one connection reports all its reads. */
async function fullReads(): Promise<Record<string, number>> {
  await sql`select pg_stat_force_next_flush()`.execute(app.db);
  await sql`select pg_stat_clear_snapshot()`.execute(app.db);
  const { rows } = await sql<{ name: string; reads: number }>`
    select relname as name, seq_scan as reads from pg_stat_user_tables
    where relname = any(${growing})`.execute(app.db);
  return Object.fromEntries(rows.map(({ name, reads }) => [name, reads]));
}

async function readFully(act: () => Promise<unknown>): Promise<string[]> {
  const before = await fullReads();
  await act();
  const later = await fullReads();
  return growing.filter((table) => later[table] !== before[table]);
}

async function attorneyWithDebit(attorneyId: number) {
  const { object } = await admin.ask(attorneys.showAttorney, { params: { id: attorneyId } });
  const [debit] = object.debits;
  const [enrolment] = object.subscriptionInstances;
  if (!debit || !enrolment) throw new Error("Everyone is enrolled and owes something.");
  return { debit, enrolment, share: debit.pendingPayments[0]?.id ?? 0 };
}

describe("with 9,000 debits, none of these reads a growing table from end to end:", () => {
  test("(but counting the rows would be noticed)", async () => {
    expect(
      await readFully(() => sql`select max(amount_cents) from debits`.execute(app.db)),
    ).toEqual(["debits"]);
  });

  test("an attorney's record", async () => {
    const act = () => admin.call(attorneys.showAttorney, { params: { id: panel[700] } });
    expect(await readFully(act)).toEqual([]);
  });

  test("the panel, its pages and its search", async () => {
    const act = async () => {
      await admin.call(listAttorneys);
      await admin.call(listAttorneys, { query: { page: 8, per_page: 200 } });
      await admin.call(listAttorneys, { query: { search: "Member 700" } });
    };
    expect(await readFully(act)).toEqual([]);
  });

  test("an attorney's balance and enrolments", async () => {
    const query = { attorney_id: panel[701] };
    const act = async () => {
      await admin.call(listOutstanding, { query });
      await admin.call(subscriptions.listEnrolments, { query });
    };
    expect(await readFully(act)).toEqual([]);
  });

  test("an attorney's history, including changes made to many", async () => {
    const query = { attorney_id: panel[701] };
    const { items } = await admin.call(listActivity, { query });
    expect(items.map(({ action }) => action)).toContain("billed");
    expect(await readFully(() => admin.call(listActivity, { query }))).toEqual([]);
  });

  test("the plans, with their counts", async () => {
    expect(await readFully(() => admin.call(listPlans))).toEqual([]);
  });

  test("paying, deciding and adjusting", async () => {
    const { debit, share } = await attorneyWithDebit(panel[702] ?? 0);
    const act = async () => {
      await admin.call(payByCheck, {
        body: { payment_hash: { [debit.id]: "1.00" }, check_number: "2" },
      });
      await admin.call(confirmChecks, { body: { statuses: { [share]: "approved" } } });
      await admin.call(adjustDebit, { body: { debit_id: debit.id, amount: "1.00" } });
    };
    expect(await readFully(act)).toEqual([]);
  });

  test("credit, and a charge that it pays", async () => {
    const { debit } = await attorneyWithDebit(panel[705] ?? 0);
    const params = { id: panel[705] };
    const whom = { attorney_ids: [panel[705], panel[706]], amount: "25.00" };
    const act = async () => {
      await admin.call(changeCredit, {
        params,
        body: { action: "apply", debit_id: debit.id, amount: "1.00" },
      });
      await admin.call(changeCredit, {
        params,
        body: { action: "give_back", amount: "1.00", note: "Sent back" },
      });
      await admin.call(showCredit, { params });
      await admin.call(showStatement, { params, query: { from: "2026-02-01" } });
      await admin.call(previewCharges, { body: whom });
      await admin.call(createCharge, { body: { ...whom, name: "Late fee", due_on: "2026-07-01" } });
      await admin.call(listActivity, { query: { attorney_id: panel[705] } });
    };
    expect(await readFully(act)).toEqual([]);
  });

  test("recording, deciding and returning checks", async () => {
    const { debit } = await attorneyWithDebit(panel[704] ?? 0);
    const act = async () => {
      const { id } = await admin.call(checks.recordWholeCheck, {
        body: {
          check_number: "7",
          amount: "3.00",
          received_on: "2026-07-01",
          attorney_id: panel[704],
          shares: { [debit.id]: "1.00" },
          credits: { [panel[704] ?? 0]: "2.00" },
        },
      });
      await admin.call(checks.decideWholeChecks, { body: { approve: [id] } });
      await admin.call(checks.previewReturn, { params: { id } });
      const params = { id };
      await admin.call(checks.returnCheck, { params, body: { returned_on: "2026-07-01" } });
      await admin.call(checks.showCheck, { params });
      await admin.call(listActivity, { query: { record_type: "received check", record_id: id } });
    };
    expect(await readFully(act)).toEqual([]);
  });

  test("the list of checks, except for counting them", async () => {
    const act = async () => {
      for (const query of [{}, { attorney_id: panel[705] }, { search: "Member 705" }])
        await admin.call(checks.listChecks, { query: { ...query, per_page: 20 } });
    };
    expect((await readFully(act)).filter((table) => table !== "received_checks")).toEqual([]);
  });

  test("enrolling, the next dates, and unsubscribing", async () => {
    const { enrolment } = await attorneyWithDebit(panel[703] ?? 0);
    const act = async () => {
      await admin.call(subscriptions.enrolAttorney, {
        body: {
          attorney_id: panel[703],
          lrs_subscription_id: plan.id,
          start_date: "2026-07-01",
          bill_immediately: true,
        },
      });
      await admin.call(subscriptions.showUpcoming, { params: { id: enrolment.id } });
      await admin.call(subscriptions.unsubscribe, {
        params: { id: enrolment.id },
        body: { archived: true },
      });
    };
    expect(await readFully(act)).toEqual([]);
  });

  test("a billing run for a date already billed", async () => {
    const act = () => runBilling(app.db, network.admin, plainDate("2026-06-30"));
    await act(); // newer enrolments make the run check
    expect(await readFully(act)).toEqual([]);
  });

  test("an invitation", async () => {
    const act = () => admin.call(attorneys.inviteAttorney, { params: { id: panel[704] } });
    expect(await readFully(act)).toEqual([]);
  });
});

test("a search of 20,000 attorneys, by name or by phone number, reads the index of their text", async () => {
  await sql`insert into attorneys (network_id, first_name, last_name, email, phone)
    select ${network.id}, 'Roster', 'Member' || k, 'roster-' || k || '@example.test',
      '(617) 5' || lpad((k % 100)::text, 2, '0') || '-' || lpad((k % 10000)::text, 4, '0')
    from generate_series(1, 20000) as k`.execute(app.db);
  await sql`vacuum analyze attorneys`.execute(app.db);
  const reads = async () => {
    const { rows } = await sql<{ reads: number }>`select seq_scan as reads
      from pg_stat_user_tables where relname = 'attorneys'`.execute(app.db);
    return rows[0]?.reads;
  };
  for (const search of ["member19999", "617.599.9999", "(617) 599-9999", "617-599-999"]) {
    await fullReads();
    const before = await reads();
    const { items } = await admin.call(listAttorneys, { query: { search } });
    expect(items[0]?.phone).toBe("(617) 599-9999");
    await fullReads();
    expect([search, await reads()]).toEqual([search, before]);
  }
});
