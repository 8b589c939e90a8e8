import { expect, onTestFinished, test } from "vitest";
import { openDatabase, openPool } from "#kit/db/database.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { anEarlierDatabase } from "#tests/support/earlier-database.ts";

/*
 * How migrations convert old card payments, and charges not applied to a debit, from before transactions
 * were recorded.
 */

const tables = [
  "ledger_entries",
  "debits",
  "payments",
  "payment_allocations",
  "card_payments",
  "card_refunds",
  "unapplied_payments",
];

/**
 * Card payments of $5.00 each on a debit of $100.00: captured, refunded, failed, and with a failed refund
 * and nothing left to pay. Charges of which $4.00 was not applied: all of it, or in addition to $5.00,
 * refunded with the whole or separately.
 */
const payments = [
  { id: 1, transaction: "captured", state: "captured" },
  { id: 2, transaction: "refunded", state: "refunded" },
  { id: 3, transaction: "failed", state: "failed" },
  { id: 4, transaction: "refund failed", state: "refunded", unapplied: 500 },
  {
    id: 5,
    transaction: "refund failed, refunded",
    state: "refunded",
    unapplied: 500,
    resolved: true,
  },
  { id: 6, transaction: "came through, refunded", state: "failed", unapplied: 500, resolved: true },
  { id: 7, transaction: "part open", state: "captured", part: 400 },
  { id: 8, transaction: "part refunded", state: "captured", part: 400, resolved: true },
  { id: 9, transaction: "part open, rest refunded", state: "refunded", part: 400 },
  { id: 10, transaction: "both refunded", state: "refunded", part: 400, resolved: true },
  { id: 13, transaction: "refund of both failed", state: "refunded", unapplied: 900 },
  {
    id: 14,
    transaction: "refund of both failed, refunded",
    state: "refunded",
    unapplied: 900,
    resolved: true,
  },
  { id: 15, transaction: "failed with its part", state: "failed", part: 400, wentWithWhole: true },
  { id: 16, transaction: "refunded as a whole", state: "refunded", part: 400, wentWithWhole: true },
];

const at = "'2026-02-01T12:00Z'";
const later = "'2026-02-02T12:00Z'";

const records = `
  insert into networks (id, name, time_zone) values (1, 'Harbor', 'America/New_York');
  insert into attorneys (network_id, id, first_name, last_name, email) values (1, 1, 'Maya', 'Okafor', 'm@example.org');
  insert into charges (network_id, id, name, amount_cents, due_on) values (1, 1, 'Late fee', 10000, '2026-01-01');
  insert into debits (network_id, id, attorney_id, charge_id, due_on, amount_cents, balance_cents)
    values (1, 1, 1, 1, '2026-01-01', 10000, 8500);
  insert into ledger_entries (network_id, debit_id, kind, amount_cents, created_at)
    values (1, 1, 'charge', 10000, '2026-01-01T12:00Z');
  insert into card_processors (network_id, id, processor, live, brandmarks, public_keys, encrypted_secrets, key_version)
    values (1, 1, 'stripe', false, '{visa}', '{}', 'x', 1);
  ${payments
    .map(
      ({ id, transaction, state, unapplied, part, resolved = false, wentWithWhole = false }) => `
  insert into payments (network_id, id, attorney_id, method, amount_cents, created_at) values (1, ${id}, 1, 'online', 500, ${at});
  insert into payment_allocations (network_id, id, attorney_id, payment_id, debit_id, amount_cents, status, decided_at)
    values (1, ${id}, 1, ${id}, 1, 500, '${state === "captured" ? "approved" : state}', ${at});
  insert into card_payments (network_id, payment_id, attorney_id, processor, card_processor_id, reference, token_hash,
      shares_hash, state, transaction_id, settled_at, refunded_at, failed_at)
    values (1, ${id}, 1, 'stripe', 1, '${`${id}`.padStart(12, "A")}', 't${id}', 's${id}', '${state}', '${transaction}', ${at},
      ${state === "refunded" ? later : "null"}, ${state === "failed" ? later : "null"});
  insert into ledger_entries (network_id, debit_id, kind, amount_cents, allocation_id, created_at)
    values (1, 1, 'payment', -500, ${id}, ${at}) ${state === "captured" ? "" : `, (1, 1, 'reversal', 500, ${id}, ${later})`};
  ${
    unapplied === undefined && part === undefined
      ? ""
      : `
  insert into unapplied_payments (network_id, id, attorney_id, processor, card_processor_id, transaction_id, reference,
      payment_id, amount_cents, charged_cents, created_at, resolved_at)
    values (1, ${id}, 1, 'stripe', 1, '${transaction}', '${`${id}`.padStart(12, "B")}', ${part === undefined ? "null" : id},
      ${part ?? unapplied}, ${part === undefined ? unapplied : 900}, ${at}, ${resolved || wentWithWhole ? later : "null"});`
  }
  ${
    resolved
      ? `
  insert into card_refunds (network_id, processor, card_processor_id, transaction_id, unapplied_payment_id, reference,
      amount_cents, reason, requested_by, requested_by_name, state, kind, settled_at)
    values (1, 'stripe', 1, '${transaction}', ${id}, '${`${id}`.padStart(12, "C")}', ${part ?? unapplied}, 'Not owed', 7, 'Ada Min', 'done',
      'refunded', ${later});`
      : ""
  }`,
    )
    .join("")}
  insert into unapplied_payments (network_id, id, attorney_id, processor, card_processor_id, transaction_id, reference,
      amount_cents, charged_cents, created_at, resolved_at) values
    (1, 11, 1, 'stripe', 1, 'whole open', 'REFERENCE111', 400, 400, ${at}, null),
    (1, 12, 1, 'stripe', 1, 'whole refunded', 'REFERENCE112', 400, 400, ${at}, ${later});
  insert into card_refunds (network_id, processor, card_processor_id, transaction_id, unapplied_payment_id, reference,
      amount_cents, reason, requested_by, requested_by_name, state, kind, settled_at)
    values (1, 'stripe', 1, 'whole refunded', 12, 'REFERENCE212', 400, 'Not owed', 7, 'Ada Min', 'done', 'refunded', ${later});
`;

test("unapplied money becomes credit of its payment, and returned money a refund", async () => {
  const { client, address, insert, upToDate } = await anEarlierDatabase("0074");
  await insert(tables, records);
  await upToDate();
  const { rows } = await client.query<{ payment: string }>(`
    select c.transaction_id || ': ' || c.state || ' ' || dollars(p.amount_cents) || ' received ' || dollars(c.received_cents)
      || ', ' || coalesce((
        select string_agg(t.kind || ' ' || dollars(t.amount_cents) || ' ' || t.done_by, ', ' order by t.id)
        from card_transactions t where t.network_id = c.network_id and t.payment_id = c.payment_id), 'nothing')
      || coalesce((select ', credit ' || dollars(sum(k.left_cents)::bigint) from credits k
        where k.network_id = c.network_id and k.payment_id = c.payment_id), '') as payment
    from card_payments c join payments p on p.network_id = c.network_id and p.id = c.payment_id
    order by c.payment_id`);
  expect(rows.map(({ payment }) => payment)).toEqual([
    "captured: captured 5.00 received 5.00, purchase 5.00 processor",
    "refunded: refunded 5.00 received 0.00, purchase 5.00 processor, refund 5.00 processor",
    "failed: failed 5.00 received 0.00, purchase 5.00 processor, failed 5.00 processor",
    "refund failed: captured 5.00 received 5.00, purchase 5.00 processor, credit 5.00",
    "refund failed, refunded: refunded 5.00 received 0.00, purchase 5.00 processor, refund 5.00 here",
    "came through, refunded: refunded 5.00 received 0.00, purchase 5.00 processor, refund 5.00 here",
    "part open: captured 9.00 received 9.00, purchase 9.00 processor, credit 4.00",
    "part refunded: captured 9.00 received 5.00, purchase 9.00 processor, refund 4.00 here",
    "part open, rest refunded: captured 9.00 received 4.00, purchase 9.00 processor, refund 5.00 processor, credit 4.00",
    "both refunded: refunded 9.00 received 0.00, purchase 9.00 processor, refund 5.00 processor, refund 4.00 here",
    "refund of both failed: captured 9.00 received 9.00, purchase 9.00 processor, credit 9.00",
    "refund of both failed, refunded: refunded 9.00 received 0.00, purchase 9.00 processor, refund 9.00 here",
    "failed with its part: failed 9.00 received 0.00, purchase 9.00 processor, failed 9.00 processor",
    "refunded as a whole: refunded 9.00 received 0.00, purchase 9.00 processor, refund 9.00 processor",
    "whole open: captured 4.00 received 4.00, purchase 4.00 processor, credit 4.00",
    "whole refunded: refunded 4.00 received 0.00, purchase 4.00 processor, refund 4.00 here",
  ]);

  const { rows: accounts } = await client.query<{ account: string }>(`
    select account || ' ' || dollars(sum(cents)::bigint) as account from entries
    cross join lateral (values (to_account, amount_cents), (from_account, -amount_cents)) as line (account, cents)
    group by account having sum(cents) <> 0 order by account`);
  expect(accounts.map(({ account }) => account)).toEqual([
    "clearing:stripe 41.00",
    "credit -26.00",
    "other_income -100.00",
    "receivable 85.00",
  ]);

  const { rows: listed } = await client.query<{ line: string }>(`
    select actor_name || ' ' || action || ' of ' || (after ->> 'transactionId') || ': ' || (after ->> 'amount') as line
    from audit_entries order by after ->> 'transactionId'`);
  expect(listed.map(({ line }) => line)).toEqual(
    [
      "part open: 4.00",
      "part open, rest refunded: 4.00",
      "refund failed: 5.00",
      "refund of both failed: 9.00",
      "whole open: 4.00",
    ].map((one) => `Software update made an unapplied charge credit of ${one}`),
  );

  const pool = openPool({ connectionString: address, connections: 1 });
  onTestFinished(() => pool.end());
  const checks = await verifyLedger(openDatabase(pool), null);
  expect(checks.filter(({ offenders }) => offenders > 0)).toEqual([]);
});

test("a card payment whose state contradicts its entries stops the migration, and nothing changes", async () => {
  const { client, insert, upToDate } = await anEarlierDatabase("0074");
  await insert(tables, records);
  await insert(
    tables,
    `update card_payments set state = 'refunded', refunded_at = ${later} where payment_id = 1;`,
  );
  await expect(upToDate()).rejects.toThrow(
    "payment 1 of network 1 received 0 cents, by its entries 500. Run verify-ledger with the release before.",
  );
  const { rows } = await client.query(
    "select to_regclass('card_transactions') as after, (select count(*)::int from unapplied_payments) as before",
  );
  expect(rows).toEqual([{ after: null, before: 13 }]);
});
