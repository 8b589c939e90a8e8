import { expect, onTestFinished, test } from "vitest";
import { openDatabase, openPool } from "#kit/db/database.ts";
import { migrate } from "#kit/db/migrate.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { anEarlierDatabase } from "#tests/support/earlier-database.ts";

/* The migration of the two older ledgers and the journal's five sources into `entries`. */

const tables = [
  "ledger_entries",
  "credit_entries",
  "credits",
  "debits",
  "payments",
  "payment_allocations",
  "received_checks",
  "card_payments",
];

/**
 * A database before the migration, with a debit of dues ($50.00) and of a fee ($25.00), and payments:
 * check 77 with credit, banked and returned; 78, of which $3.00 was denied, banked; 79, returned before its deposit was
 * banked with 80; and cards: $5.00 that was refunded, $9.00 for which nothing was owed (that becomes credit).
 */
async function aDatabaseBeforeTheBook() {
  const { insert, ...earlier } = await anEarlierDatabase("0074");
  await insert(tables, records);
  return earlier;
}

const records = `
  insert into networks (id, name, time_zone) values (1, 'Harbor', 'America/New_York');
  insert into attorneys (network_id, id, first_name, last_name, email) values (1, 1, 'Maya', 'Okafor', 'm@example.org');
  insert into plans (network_id, id, name, amount_cents, frequency_in_months) values (1, 1, 'Panel dues', 5000, 1);
  insert into enrolments (network_id, id, attorney_id, plan_id, start_date, enrolled_on, first_period)
    values (1, 1, 1, 1, '2026-01-01', '2025-12-31', 0);
  insert into charges (network_id, id, name, amount_cents, due_on) values (1, 1, 'Late fee', 2500, '2026-01-01');
  insert into debits (network_id, id, attorney_id, enrolment_id, period, charge_id, due_on, amount_cents, balance_cents) values
    (1, 1, 1, 1, 0, null, '2026-01-01', 5000, 5000), (1, 2, 1, null, null, 1, '2026-01-01', 2500, 1200);
  insert into deposits (network_id, id, number, deposited_on, account_name, created_at, banked_at) values
    (1, 1, 1, '2026-02-01', 'Operating', '2026-02-01T12:00Z', '2026-02-02T03:30Z'),
    (1, 2, 2, '2026-02-05', 'Savings', '2026-02-05T12:00Z', '2026-02-05T12:00Z'),
    (1, 3, 3, '2026-02-06', 'Savings', '2026-02-06T12:00Z', '2026-02-08T12:00Z');
  insert into received_checks (network_id, id, attorney_id, check_number, amount_cents, received_on, status, decided_at,
      deposit_id, returned_on, returned_at) values
    (1, 1, 1, '77', 5000, '2026-01-31', 'returned', '2026-02-01T12:00Z', 1, '2026-02-10', '2026-02-10T12:00Z'),
    (1, 2, 1, '78', 1000, '2026-02-03', 'mixed', '2026-02-04T12:00Z', 2, null, null),
    (1, 3, 1, '79', 100, '2026-02-03', 'returned', '2026-02-04T12:00Z', 3, '2026-02-07', '2026-02-07T12:00Z'),
    (1, 4, 1, '80', 200, '2026-02-03', 'approved', '2026-02-04T12:00Z', 3, null, null);
  insert into payments (network_id, id, attorney_id, method, amount_cents, credit_cents, check_number, received_check_id) values
    (1, 1, 1, 'check', 5000, 2000, '77', 1), (1, 2, 1, 'check', 1000, 0, '78', 2), (1, 3, 1, 'check', 100, 0, '79', 3),
    (1, 4, 1, 'check', 200, 0, '80', 4), (1, 5, 1, 'online', 500, 0, null, null);
  insert into payment_allocations (network_id, id, attorney_id, payment_id, debit_id, amount_cents, check_number, status,
      decided_at) values
    (1, 1, 1, 1, 1, 3000, '77', 'returned', '2026-02-10T12:00Z'), (1, 2, 1, 2, 2, 700, '78', 'approved', '2026-02-04T12:00Z'),
    (1, 3, 1, 2, 1, 300, '78', 'denied', '2026-02-04T12:00Z'), (1, 4, 1, 3, 2, 100, '79', 'returned', '2026-02-07T12:00Z'),
    (1, 5, 1, 4, 2, 200, '80', 'approved', '2026-02-04T12:00Z'), (1, 6, 1, 5, 1, 500, null, 'refunded', '2026-02-12T12:00Z');
  insert into card_processors (network_id, id, processor, live, brandmarks, public_keys, encrypted_secrets, key_version)
    values (1, 1, 'stripe', false, '{visa}', '{}', 'x', 1);
  insert into card_payments (network_id, payment_id, attorney_id, processor, card_processor_id, reference, token_hash,
      shares_hash, state, transaction_id, settled_at, refunded_at)
    values (1, 5, 1, 'stripe', 1, 'REFERENCE001', 't', 's', 'refunded', 'T1', '2026-02-11T12:00Z', '2026-02-12T12:00Z');
  insert into unapplied_payments (network_id, id, attorney_id, processor, card_processor_id, transaction_id, reference,
      amount_cents, charged_cents, created_at)
    values (1, 1, 1, 'stripe', 1, 'T2', 'REFERENCE002', 900, 900, '2026-02-13T12:00Z');
  insert into credits (network_id, id, attorney_id, payment_id, amount_cents, left_cents) values (1, 1, 1, 1, 2000, 0);
  insert into credit_entries (network_id, id, attorney_id, credit_id, kind, amount_cents, debit_id, cause, created_at) values
    (1, 1, 1, 1, 'received', 2000, null, 'Check 77', '2026-02-01T12:00Z'),
    (1, 2, 1, 1, 'applied', -500, 2, 'automatically', '2026-02-01T13:00Z'),
    (1, 3, 1, 1, 'given_back', -300, null, 'Sent back', '2026-02-03T12:00Z'),
    (1, 4, 1, 1, 'reversed', 500, 2, 'Check 77 was returned', '2026-02-10T12:00Z'),
    (1, 5, 1, 1, 'reversed', -1700, null, 'Check 77 was returned', '2026-02-10T12:00Z');
  insert into ledger_entries (network_id, id, debit_id, kind, amount_cents, allocation_id, credit_entry_id, note, created_at) values
    (1, 1, 1, 'charge', 5000, null, null, '', '2026-01-01T12:00Z'), (1, 2, 2, 'charge', 2500, null, null, '', '2026-01-01T12:00Z'),
    (1, 3, 1, 'payment', -3000, 1, null, '', '2026-02-01T12:00Z'), (1, 4, 2, 'credit', -500, null, 2, '', '2026-02-01T13:00Z'),
    (1, 5, 2, 'payment', -700, 2, null, '', '2026-02-04T12:00Z'), (1, 6, 2, 'payment', -100, 4, null, '', '2026-02-04T12:00Z'),
    (1, 7, 2, 'payment', -200, 5, null, '', '2026-02-04T12:00Z'), (1, 8, 2, 'reversal', 100, 4, null, '', '2026-02-07T12:00Z'),
    (1, 9, 2, 'adjustment', -400, null, null, 'Waived', '2026-02-09T03:30Z'),
    (1, 10, 1, 'reversal', 3000, 1, null, '', '2026-02-10T12:00Z'), (1, 11, 2, 'credit', 500, null, 4, '', '2026-02-10T12:00Z'),
    (1, 12, 1, 'payment', -500, 6, null, '', '2026-02-11T12:00Z'), (1, 13, 1, 'reversal', 500, 6, null, '', '2026-02-12T12:00Z');
`;

test("older records become entries between accounts, on the network's days", async () => {
  const { client, address } = await aDatabaseBeforeTheBook();
  await migrate(address);
  const { rows } = await client.query<{ entry: string }>(`
    select concat_ws(' ', to_char(day, 'MM/DD'), cause, dollars(amount_cents), from_account, '→', to_account,
      case when note <> '' then '(' || note || ')' end) as entry
    from entries where created_at < '2026-03-01' order by created_at, id`);
  expect(rows.map(({ entry }) => entry)).toEqual([
    "01/01 charge 50.00 dues_income:Panel dues → receivable",
    "01/01 charge 25.00 other_income → receivable",
    "02/01 payment 30.00 receivable → undeposited",
    "02/01 credit_received 20.00 credit → undeposited (Check 77)",
    "02/01 credit_applied 5.00 receivable → credit (automatically)",
    "02/01 deposit 50.00 undeposited → bank:Operating (1 check)",
    "02/03 credit_given_back 3.00 bank:Operating → credit (Sent back)",
    "02/04 payment 7.00 receivable → undeposited",
    "02/04 payment 1.00 receivable → undeposited",
    "02/04 payment 2.00 receivable → undeposited",
    "02/05 deposit 10.00 undeposited → bank:Savings (1 check)",
    "02/05 held 3.00 held → undeposited (Denied part of a deposited check)",
    "02/07 reversal 1.00 undeposited → receivable (returned)",
    "02/08 deposit 2.00 undeposited → bank:Savings (1 check)",
    "02/08 adjustment 4.00 receivable → adjustments (Waived)",
    "02/10 reversal 30.00 bank:Operating → receivable (returned)",
    "02/10 credit_taken_off 5.00 credit → receivable (Check 77 was returned)",
    "02/10 credit_reversed 17.00 bank:Operating → credit (Check 77 was returned)",
    "02/10 return_charged 3.00 bank:Operating → other_income (Credit of a returned check that was given back)",
    "02/11 payment 5.00 receivable → clearing:stripe",
    "02/12 reversal 5.00 clearing:stripe → receivable (refunded)",
    "02/13 unapplied 9.00 clearing:stripe (unapplied) → clearing:stripe (Unapplied charge)",
  ]);
  const { rows: adjusted } = await client.query(
    "select id::int from entries where cause = 'adjustment'",
  );
  expect(adjusted).toEqual([{ id: 9 }]);

  const pool = openPool({ connectionString: address, connections: 1 });
  onTestFinished(() => pool.end());
  const checks = await verifyLedger(openDatabase(pool), null);
  expect(checks.filter(({ offenders }) => offenders > 0)).toEqual([]);
});

test("a balance that differs from its entries stops the migration, and nothing changes", async () => {
  const { client, address } = await aDatabaseBeforeTheBook();
  await client.query(`alter table debits disable trigger user; update debits set balance_cents = 4900 where id = 1;
    alter table debits enable trigger user`);
  await expect(migrate(address)).rejects.toThrow(
    "debit 1 of network 1 owes 4900 cents, by its entries 5000. Run verify-ledger with the release before.",
  );
  const { rows } = await client.query(
    "select to_regclass('entries') as entries, (select count(*)::int from ledger_entries) as before",
  );
  expect(rows).toEqual([{ entries: null, before: 13 }]);
});
