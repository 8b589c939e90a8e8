import { type RawBuilder, sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Admin } from "#kit/domain/actor.ts";
import type { Cents } from "#kit/domain/money.ts";
import type { Db } from "#kit/db/database.ts";
import { isRefundFailed, isStillOwed } from "#cards/card-lists.ts";
import { heldCharges } from "#cards/reconcile/held-charges.ts";
import { waitingOfCheck } from "#payments/checks/checks.rows.ts";
import { heldOf } from "#payments/deposits/held-money.ts";
import { reportRows } from "#office/reports/reports.rows.ts";
import { countDueButNotBilled } from "#dues/ledger/billing-runs.ts";
import { isEmailRefused } from "#outgoing/mail/email-refusal.ts";
import { mailRows } from "#outgoing/mail/mail.rows.ts";
import { isOverdue } from "#referrals/suspension/rule.ts";
import { type Attention, type AttentionKind, attentionKinds } from "#office/desk/today/contract.ts";
import { mondayOf } from "#office/desk/today/figures.ts";
import { isListed } from "#kit/list/rows-of.ts";

/** Older unsent email no longer needs attention. */
const mailDays = 14;

interface AttentionQuery {
  /** The list of exactly these. */
  path: string;
  /** Selects one row: `count`, and any of `amount_cents`, `since`, `recent`. */
  query: RawBuilder<unknown>;
}

/**
 * What needs a person, of each kind with any. The conditions are those of the lists behind the paths, where they are
 * more than a status.
 */
export async function findAttention(tx: Db, admin: Admin, today: PlainDate): Promise<Attention[]> {
  const waiting = attentionQueries(admin, today);
  const counts = Object.entries(waiting).map(
    ([kind, { query }]) => sql`select ${kind}::text as kind, * from (${query}) as counted`,
  );
  const { rows } = await sql<CountedRow>`
    select * from (${sql.join(counts, sql` union all `)}) as kinds where count > 0`.execute(tx);
  const found = new Map(
    rows.map(({ kind, count, amountCents, since, recent }): [AttentionKind, Attention] => [
      kind,
      {
        kind,
        count,
        path: waiting[kind].path,
        ...(amountCents !== null && { amount: amountCents }),
        ...(since !== null && { since }),
        ...(recent !== null && { recent }),
      },
    ]),
  );
  const unbilled = await countDueButNotBilled(tx, admin, today);
  if (unbilled.count > 0)
    found.set("due_but_not_billed", {
      kind: "due_but_not_billed",
      count: unbilled.count,
      amount: unbilled.amountCents,
      path: "/admin/due-but-not-billed",
    });
  return attentionKinds.flatMap((kind) => found.get(kind) ?? []);
}

type CountedKind = Exclude<AttentionKind, "due_but_not_billed">;

interface CountedRow {
  kind: CountedKind;
  count: number;
  amountCents: Cents | null;
  since: string | null;
  recent: number | null;
}

function attentionQueries(admin: Admin, today: PlainDate): Record<CountedKind, AttentionQuery> {
  const { networkId, timeZone } = admin;
  const monday = mondayOf(today).toString();
  const context = { ...admin, today: today.toString() };
  const exportsThat = (waiting: "ready" | "failed") =>
    sql`data_exports x where ${isListed(reportRows, context, { waiting })}`;
  const mailFrom = today.subtract({ days: mailDays }).toString();
  return {
    checks_to_confirm: {
      path: "/admin/checks",
      query: counted({
        from: sql`received_checks c where c.network_id = ${networkId} and c.status = 'pending'`,
        amount: waitingOfCheck,
      }),
    },
    held_money: {
      path: "/admin/deposits",
      query: counted({
        from: sql`${heldOf(networkId)} as held`,
        amount: sql`amount_cents`,
        since: sql`min(created_at)`,
      }),
    },
    referrals_without_attorney: {
      path: "/admin/matters?status=new",
      query: counted({
        from: sql`matters where network_id = ${networkId} and status = 'new'`,
        since: sql`min(submitted_at)`,
      }),
    },
    overdue_reports: {
      path: "/admin/matters?status=overdue",
      query: counted({
        from: sql`matters m where m.network_id = ${networkId} and ${isOverdue(today)}`,
      }),
    },
    suspended_attorneys: {
      path: "/admin/attorneys?status=suspended",
      query: counted({
        from: sql`attorneys where network_id = ${networkId} and suspended_at is not null and left_on is null`,
        recent: sql`suspended_at >= ${monday}::date::timestamp at time zone ${timeZone}`,
      }),
    },
    card_payments_held: {
      path: "/admin/card-payments?show=held",
      query: counted({
        from: sql`${heldCharges(networkId)} as held`,
        amount: sql`amount_cents`,
        since: sql`min(held_at)`,
      }),
    },
    card_chargebacks: {
      path: "/admin/card-payments?show=chargebacks",
      query: counted({
        from: sql`(
          select sum(amount_cents) as amount_cents from card_transactions
          where network_id = ${networkId} and kind = 'chargeback' and seen_at is null
          group by payment_id) as charged_back`,
        amount: sql`amount_cents`,
      }),
    },
    card_refunds_failed: {
      path: "/admin/card-payments?show=refunds",
      query: counted({
        from: sql`${cardPayments} where c.network_id = ${networkId} and ${isRefundFailed(networkId)}`,
        amount: sql`p.amount_cents`,
      }),
    },
    card_settlements_failed: {
      path: "/admin/card-payments?show=settlements",
      query: counted({
        from: sql`${cardPayments} where c.network_id = ${networkId} and c.state = 'failed' and ${isStillOwed}`,
        amount: sql`p.amount_cents`,
      }),
    },
    reports_failed: {
      path: "/admin/reports?show=failed",
      query: counted({ from: exportsThat("failed") }),
    },
    reports_ready: {
      path: "/admin/reports?show=ready",
      query: counted({ from: exportsThat("ready") }),
    },
    emails_refused: {
      path: "/admin/attorneys?email=refused",
      query: counted({
        from: sql`attorneys a where a.network_id = ${networkId} and a.left_on is null and ${isEmailRefused}`,
      }),
    },
    mail_not_sent: {
      path: `/admin/mail?status=gave_up&from=${mailFrom}`,
      query: counted({
        from: sql`mails m where ${isListed(mailRows, context, { status: "gave_up", from: mailFrom })}`,
      }),
    },
  };
}

const cardPayments = sql`card_payments c join payments p on p.network_id = c.network_id and p.id = c.payment_id`;

function counted({
  from,
  amount,
  since = sql`null`,
  recent,
}: {
  /** Tables and conditions. */
  from: RawBuilder<unknown>;
  amount?: RawBuilder<unknown>;
  since?: RawBuilder<unknown>;
  recent?: RawBuilder<unknown>;
}): RawBuilder<unknown> {
  return sql`select count(*) as count, ${amount ? sql`sum(${amount})` : sql`null`}::bigint as amount_cents,
    iso(${since}::timestamptz) as since,
    ${recent ? sql`count(*) filter (where ${recent})` : sql`null`}::bigint as recent
    from ${from}`;
}
