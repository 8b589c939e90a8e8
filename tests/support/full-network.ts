import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import { cents } from "#kit/domain/money.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { encrypt } from "#kit/ops/encryption.ts";
import { makeAccount, type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeChecks } from "#tests/support/records/checks.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolment } from "#tests/support/records/dues.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { lockPayment, processorAsDoer } from "#cards/charge/locked-payment.ts";
import { recordTransaction } from "#cards/transactions/record-transaction.ts";
import { sessionOwner } from "#cards/settings/card-accounts.ts";
import { takesCards } from "#tests/support/card-network.ts";
import type { RunningApp } from "#tests/support/running-app.ts";
import { giveAuthenticatorApp } from "#tests/support/second-factors.ts";
import { anEndpoint } from "#tests/support/webhook-receiver.ts";

export interface FullNetwork extends MadeNetwork {
  attorney: MadeAttorney;
}

/**
 * A network with a row in every table, and with work for every job that looks through networks, overdue so
 * that each finds it at its first look. Webhooks are posted to `hooks`.
 */
export async function makeFullNetwork(
  app: Pick<RunningApp, "db" | "secret">,
  hooks = "http://127.0.0.1:9/hooks",
): Promise<FullNetwork> {
  const network = await makeNetwork(app.db);
  await takesCards(app, network, "stripe");
  await anEndpoint(app, network, { url: hooks });
  const attorney = await makeAttorney(app.db, network);
  await inTransaction(app.db, async (tx) => {
    await writeOffice(tx, network, attorney);
    await writeMoney(tx, network, attorney);
    await writeCards(tx, network, attorney, app.secret);
    await writeSignIns(tx, network, attorney);
    await writeReports(tx, network);
  });
  await giveAuthenticatorApp(app, network.admin);
  return { ...network, attorney };
}

/** Settings with daily work; one overdue report, and one due today. */
async function writeOffice(tx: Db, { id }: MadeNetwork, attorney: MadeAttorney): Promise<void> {
  await sql`
    update networks set statement_day = 1, statements_begun_on = '2025-01-01', suspends_overdue_attorneys = true,
      overdue_periods_suspension_threshold = 0, overdue_period_in_days = 1
    where id = ${id}`.execute(tx);
  const matter = await makeMatter(tx, { id }, { attorney, dueOn: "2026-01-01" });
  const other = await makeAttorney(tx, { id });
  await makeMatter(tx, { id }, { attorney: other, dueOn: "2026-01-01" });
  await sql`update matters set report_due_on = (now() at time zone 'America/New_York')::date
    where network_id = ${id} and attorney_id = ${other.id}`.execute(tx);
  await sql`
    insert into matter_reports (network_id, matter_id, attorney_id, outcome, filed_on)
    values (${id}, ${matter}, ${attorney.id}, 'consulted', '2026-01-01')`.execute(tx);
  await sql`insert into firms (network_id, name) values (${id}, 'Hale LLP')`.execute(tx);
  await sql`
    insert into network_logos (network_id, media_type, bytes, width, height, digest)
    values (${id}, 'image/png', '\\x00', 1, 1, '0123456789abcdef')`.execute(tx);
  await sql`
    insert into mails (network_id, occasion, recipient, subject, body)
    values (${id}, 'full', 'jane@example.test', 'To be sent', 'Once.')`.execute(tx);
  await sql`
    insert into webhook_messages (network_id, type, data, created_at)
    values (${id}, 'debit.created', '{}', now() - interval '31 days')`.execute(tx);
  await sql`
    insert into imports_under_way (network_id, record_type, file_name, begun_by, step, rows_read, rows_in_all)
    values (${id}, 'attorney', 'a.csv', 'Ada Min', 'reading', 0, 1)`.execute(tx);
  await sql`
    insert into import_columns (network_id, record_type, heading, holds)
    values (${id}, 'attorney', 'cell', 'phone')`.execute(tx);
}

/** Unbilled dues, a charge, a check with credit, a deposit, books closed through an earlier year. */
async function writeMoney(tx: Db, { id }: MadeNetwork, attorney: MadeAttorney): Promise<void> {
  const plan = await makePlan(tx, { id });
  await makeEnrolment(tx, attorney, plan);
  await sql`insert into enrolment_batches (network_id, plan_id) values (${id}, ${plan.id})`.execute(
    tx,
  );
  await sql`insert into billing_runs (network_id, as_of, started_by, finished_at)
    values (${id}, '2026-01-01', 'Ada Min', now())`.execute(tx);
  await sql`insert into unbilled_counts (network_id, counted_on, debits, counted_at)
    values (${id}, '2026-01-01', 3, '2026-01-01')`.execute(tx);
  await sql`
    with charge as (
      insert into charges (network_id, name, amount_cents, due_on)
      values (${id}, 'Late fee', 500, '2026-01-01') returning id)
    insert into debits (network_id, attorney_id, charge_id, due_on, amount_cents, balance_cents)
    select ${id}, ${attorney.id}, id, '2026-01-01', 500, 500 from charge`.execute(tx);
  const debitId = await makeDebit(tx, { id }, attorney, { amountCents: 20_000 });
  const shares = [{ debitId, amountCents: 1_000 }];
  const decided = { status: "approved", at: "2026-02-01T12:00:00Z", by: 1 } as const;
  await makeChecks(tx, { id }, [{ attorneyId: attorney.id, checkNumber: "1", shares, decided }]);
  const { rows } = await sql<{ id: number }>`
    insert into received_checks (network_id, attorney_id, check_number, amount_cents, received_on)
    values (${id}, ${attorney.id}, '2', 300, '2026-01-01') returning id`.execute(tx);
  const paid = await sql<{ id: number }>`
    insert into payments (network_id, attorney_id, method, amount_cents, credit_cents, check_number, received_check_id)
    values (${id}, ${attorney.id}, 'check', 300, 100, '2', ${rows[0]?.id}) returning id`.execute(
    tx,
  );
  await sql`
    insert into payment_allocations (network_id, attorney_id, payment_id, debit_id, amount_cents, check_number)
    values (${id}, ${attorney.id}, ${paid.rows[0]?.id}, ${debitId}, 200, '2')`.execute(tx);
  await sql`update payment_allocations set status = 'approved', decided_at = now()
    where network_id = ${id} and check_number = '2'`.execute(tx);
  await sql`insert into deposits (network_id, number, deposited_on, account_name)
    values (${id}, 1, '2026-01-01', 'Operating')`.execute(tx);
  await sql`insert into book_closings (network_id, action, through, actor_name, balances)
    values (${id}, 'close', '2024-12-31', 'Ada Min', '{}')`.execute(tx);
}

/**
 * A charge with an unknown result, one that may still fail, refunds of both kinds, the session of a lost
 * browser.
 */
async function writeCards(
  tx: Db,
  { id }: MadeNetwork,
  { id: attorneyId }: MadeAttorney,
  secret: string,
): Promise<void> {
  const account = await tx
    .selectFrom("cardProcessors")
    .select("id")
    .where("networkId", "=", id)
    .executeTakeFirstOrThrow();
  const debit = await makeDebit(tx, { id }, { id: attorneyId }, { amountCents: 90_000 });
  for (const [place, state] of ["processing", "captured", "captured", "captured"].entries()) {
    const reference = referenceOf();
    const payment = await sql<{ id: number }>`
      insert into payments (network_id, attorney_id, method, amount_cents)
      values (${id}, ${attorneyId}, 'online', ${1_000 + place}) returning id`.execute(tx);
    const paymentId = payment.rows[0]?.id ?? 0;
    await sql`
      insert into payment_allocations (network_id, attorney_id, payment_id, debit_id, amount_cents)
      values (${id}, ${attorneyId}, ${paymentId}, ${debit}, ${1_000 + place})`.execute(tx);
    await sql`
      insert into card_payments (network_id, payment_id, attorney_id, processor, card_processor_id, reference,
        token_hash, shares_hash, next_look_at, created_at)
      values (${id}, ${paymentId}, ${attorneyId}, 'stripe', ${account.id}, ${reference}, ${`t${place}`},
        ${`s${place}`}, '2026-01-01', now() - interval '10 days')`.execute(tx);
    if (state === "captured")
      await sql`
        update card_payments set state = 'captured', transaction_id = ${`pi_${reference}`}, next_look_at = null,
          settled_at = '2026-01-01', follow_at = '2026-01-02'
        where network_id = ${id} and payment_id = ${paymentId}`.execute(tx);
    if (place < 2) continue;
    const isDone = place === 3;
    const { rows: refunds } = await sql<{ id: number }>`
      insert into card_refunds (network_id, processor, card_processor_id, transaction_id, payment_id, reference,
        amount_cents, reason, requested_by_name, state, kind, next_look_at, settled_at, follow_at)
      values (${id}, 'stripe', ${account.id}, ${`pi_${reference}`}, ${paymentId}, ${referenceOf()}, 1000, 'Asked',
        'Ada Min', ${isDone ? "done" : "requested"}, ${isDone ? "refunded" : null},
        ${isDone ? null : "2026-01-01"}, ${isDone ? "2026-01-01" : null}, ${isDone ? "2026-01-02" : null})
      returning id`.execute(tx);
    if (!isDone) continue;
    const locked = await lockPayment(tx, { networkId: id, attorneyId, paymentId });
    const one = { on: "2026-01-01", processorId: null, by: "here" } as const;
    const author = processorAsDoer(locked);
    const refunded = {
      ...one,
      kind: "refund",
      amountCents: cents(1000),
      refundId: refunds[0]?.id,
    } as const;
    await recordTransaction(tx, locked, refunded, { author });
    await recordTransaction(
      tx,
      locked,
      { ...one, kind: "chargeback", amountCents: cents(1) },
      { author },
    );
  }
  const reference = referenceOf();
  await sql`
    insert into card_sessions (network_id, attorney_id, processor, card_processor_id, reference, handle,
      encrypted_secret, amount_cents, next_look_at, created_at)
    values (${id}, ${attorneyId}, 'stripe', ${account.id}, ${reference}, 'h',
      ${encrypt("secret of the session", sessionOwner(id, reference), secret)}, 1000, '2026-01-01',
      now() - interval '10 days')`.execute(tx);
  await sql`insert into webhook_events (network_id, processor, event_id, event_type)
    values (${id}, 'stripe', 'evt', 'charge.updated')`.execute(tx);
}

const referenceOf = () => randomBytes(6).toString("hex").toUpperCase();

/** Expired records, which are deleted after their time. */
async function writeSignIns(tx: Db, network: MadeNetwork, attorney: MadeAttorney): Promise<void> {
  const { id } = network;
  const { userId } = network.admin;
  const account = await makeAccount(tx, network, attorney);
  await sql`insert into email_changes (network_id, user_id, old_email, new_email, asked_by, asked_at,
      old_code_hash, new_code_hash, confirmed_by_new_at)
    values (${id}, ${account.userId}, ${attorney.email}, ${`new-${attorney.email}`}, 'Ada Min', now() - interval '8 days',
      'old', 'new', now())`.execute(tx);
  await sql`insert into accounts (user_id, account_id, provider_id, password)
    values (${userId}, ${userId}, 'credential', 'x')`.execute(tx);
  await sql`insert into sessions (user_id, token, expires_at)
    values (${userId}, ${`token-${id}`}, '2026-01-01')`.execute(tx);
  await sql`insert into sign_in_links (network_id, user_id, purpose, code_hash, expires_at)
    values (${id}, ${userId}, 'invitation', ${`code-${id}`}, '2026-01-01')`.execute(tx);
  await sql`insert into passkeys (user_id, public_key, credential_id, counter, device_type, backed_up)
    values (${userId}, 'k', ${`c-${id}`}, 0, 'singleDevice', false)`.execute(tx);
  await sql`insert into saved_filters (network_id, user_id, list, name, query)
    values (${id}, ${userId}, 'debits', 'Mine', '')`.execute(tx);
  await sql`insert into api_tokens (network_id, name, scope, hash, last_four, created_by)
    values (${id}, 'Books', 'read', ${randomBytes(32).toString("hex")}, 'abcd', 'Ada Min')`.execute(
    tx,
  );
  await sql`insert into idempotency_keys (network_id, caller, path, key, request_hash, created_at)
    values (${id}, 'user 1', '/checks', 'k', 'h', '2026-01-01')`.execute(tx);
  await sql`insert into audit_entries (network_id, actor_name, action, record_type, record_id, created_at)
    values (${id}, 'Ada Min', 'signed in', 'sign-in', ${userId}, '2020-01-01')`.execute(tx);
}

/** One waiting, one expired, and one made every week. */
async function writeReports(tx: Db, { id }: MadeNetwork): Promise<void> {
  await sql`
    insert into data_export_schedules (network_id, frequency, report_type, columns, next_on, created_by)
    values (${id}, 'weekly', 'receivables_aging', '{}', current_date - 1, 'Ada Min')`.execute(tx);
  await sql`
    insert into data_exports (network_id, id, report_type, columns, status, attempt, file_name, file_bytes,
      requested_by, finished_at, expires_at)
    values (${id}, ${reportId}, 'receivables_aging', '{}', 'ready', 1, 'aging.csv', 4, 'Ada Min', '2026-01-01', '2026-01-02')`.execute(
    tx,
  );
  await sql`
    insert into data_export_pieces (network_id, export_id, attempt, start_byte, bytes)
    values (${id}, ${reportId}, 1, 0, ${Buffer.from("a,b\n")})`.execute(tx);
  await sql`
    insert into data_exports (network_id, report_type, columns, requested_by, expires_at)
    values (${id}, 'receivables_aging', '{}', 'Ada Min', now() + interval '30 days')`.execute(tx);
}

const reportId = 900;

/** All rows of a network, by table name. */
export async function rowsOf(
  db: Db,
  networkId: number,
  tables: { name: string; networkColumn: string }[],
) {
  const found: Record<string, unknown[]> = {};
  for (const { name, networkColumn } of tables) {
    const { rows } = await sql`
      select to_jsonb(t) - 'search_text' as row from ${sql.table(name)} t where ${sql.ref(`t.${networkColumn}`)} = ${networkId}
      order by to_jsonb(t)::text`.execute(db);
    found[name] = rows;
  }
  return found;
}
