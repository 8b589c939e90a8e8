import { expectSame, oneRow, setTriggers, type World } from "./world.ts";

/** Give every tenth attorney of a network credit of $5.00 to $95.00, received with a check. */
export async function giveCredit({ client }: World, networkId: number): Promise<void> {
  await client.query("begin");
  await setTriggers(client, "disable");
  await client.query(
    `with holder as (
       select network_id, id as attorney_id, 500 + 1000 * (id / 10 % 10) as amount_cents
       from attorneys where network_id = $1 and id % 10 = 0
     ), received as (
       insert into received_checks (network_id, attorney_id, check_number, amount_cents, received_on,
         status, decided_at)
       select network_id, attorney_id, '1', amount_cents, '2026-03-01', 'approved', now() from holder
       returning *
     ), paid as (
       insert into payments (network_id, attorney_id, method, amount_cents, credit_cents, check_number,
         received_check_id)
       select network_id, attorney_id, 'check', amount_cents, amount_cents, check_number, id from received
       returning *
     ), held as (
       insert into credits (network_id, attorney_id, payment_id, amount_cents, left_cents)
       select network_id, attorney_id, id, amount_cents, amount_cents from paid
       returning *
     )
     insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id,
       received_check_id, note)
     select h.network_id, 'credit_received', 'credit', 'undeposited', h.amount_cents, '2026-03-01', h.attorney_id, h.id,
       paid.received_check_id, 'Check 1'
     from held h join paid on paid.id = h.payment_id`,
    [networkId],
  );
  await setTriggers(client, "enable");
  await client.query("commit");
  await client.query("vacuum analyze credits, entries");
}

/** The raw statements that write the same as applying credit to one debit of each attorney. */
export async function payFromCreditRaw({ client }: World, networkId: number): Promise<void> {
  await client.query(
    `insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id,
       debit_id, note)
     select d.network_id, 'credit_applied', 'receivable', 'credit', least(c.left_cents, d.balance_cents),
       current_date, d.attorney_id, c.id, d.id, 'automatically'
     from credits c
     join debits d on d.network_id = c.network_id and d.attorney_id = c.attorney_id
     where c.network_id = $1`,
    [networkId],
  );
  await client.query(
    `update credits c set left_cents = left_cents + x.credit_cents from entries x
     where x.network_id = $1 and x.cause = 'credit_applied' and c.network_id = $1 and c.id = x.credit_id`,
    [networkId],
  );
  await client.query(
    `update debits d set balance_cents = balance_cents + x.owed_cents from entries x
     where x.network_id = $1 and x.cause = 'credit_applied' and d.network_id = $1 and d.id = x.debit_id`,
    [networkId],
  );
}

/** Check that every receipt paid its attorney's debit as far as it goes, and that the ledgers agree. */
export async function expectFromCredit(
  world: World,
  networkId: number,
  dueCents: number,
): Promise<void> {
  const found = await oneRow(
    world,
    `select count(*) as receipts, sum(left_cents) - sum(greatest(0, amount_cents - $2)) as wrongly_left,
       (select sum(amount_cents - balance_cents) from debits where network_id = $1)
         - sum(least(amount_cents, $2)) as wrongly_paid,
       (select sum(amount_cents) from entries where network_id = $1 and cause = 'credit_applied')
         - sum(least(amount_cents, $2)) as wrongly_posted
     from credits where network_id = $1`,
    [networkId, dueCents],
  );
  const { count } = await oneRow(
    world,
    "select count(*) from attorneys where network_id = $1 and id % 10 = 0",
    [networkId],
  );
  expectSame("what credit paid", found, {
    receipts: count,
    wrongly_left: 0,
    wrongly_paid: 0,
    wrongly_posted: 0,
  });
}
