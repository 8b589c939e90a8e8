import { type RawBuilder, sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Actor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { debitNames } from "#kit/db/debit-names.ts";
import { jsonQuery, type JsonRow, type RawJson, selectJsonQuery } from "#kit/db/json-query.ts";
import {
  aggregateJson,
  builtJson,
  firstJson,
  type JsonSql,
  listJson,
  listWhere,
  rowJson,
  shapeJson,
  tableJson,
} from "#kit/db/shape-json.ts";
import { notFound } from "#kit/contract/refusal.ts";
import { Attorney } from "#people/contract.ts";
import { canSignIn, isInUse } from "#access/sign-in/accounts.ts";
import { appliesOn } from "#access/sign-in/email-changes.ts";
import { emailRefusal } from "#outgoing/mail/email-refusal.ts";
import { isPaused } from "#panel/vacation.ts";
import { debitJson, namedDebits } from "#dues/ledger/debits.ts";
import {
  checkPaymentJson,
  creditPaymentJson,
  onlinePaymentJson,
  paymentsWithCredit,
  reversedOnlinePaymentJson,
} from "./attorney-payments.ts";
import { instanceJson } from "#dues/plans/enrolments.ts";
import { planJson } from "#dues/plans/plans.ts";
import { isOverdue, isTooLate, policies } from "#referrals/suspension/rule.ts";

/** Lists in one record hold the newest this many; older ones are in the exports. Published interface. */
const maxListed = 1000;

/** The newest shares of the attorney's payments (alias `s`, of debits with their names) for which `which` holds. */
const shares = <Share>(share: JsonSql<Share>, which: RawBuilder<unknown>) =>
  listJson(share, {
    from: sql`payment_allocations s
      join debits d on d.network_id = s.network_id and d.id = s.debit_id ${debitNames}
      where s.network_id = a.network_id and s.attorney_id = a.id and ${which}`,
    order: sql`s.id desc`,
    limit: maxListed,
  });

/** The payment before which no shares of `which` are listed: its credit alone would pass for the whole. */
const oldestListed = (which: RawBuilder<unknown>) => sql`coalesce((
  select s.payment_id from payment_allocations s
  where s.network_id = a.network_id and s.attorney_id = a.id and ${which}
  order by s.id desc offset ${maxListed - 1} limit 1), 0)`;

/** Whether the attorney can sign in, as the contract names it; attorneys who read their own record can. */
const accountState = sql`coalesce((
  select case
    when ${canSignIn} then 'active'
    when ${isInUse} then 'new_password'
    when exists (select from sign_in_links l
      where l.network_id = u.network_id and l.user_id = u.id and l.used_at is null and l.expires_at > now())
      then 'invited'
    else 'invitation_ended' end
  from users u where u.network_id = a.network_id and u.attorney_id = a.id), 'none')`;

/** Another address that was asked for, of an attorney (alias `a`) with an account. */
const pendingEmail = rowJson(
  tableJson(Attorney.shape.pendingEmail.unwrap(), "emailChanges as c", {
    email: sql`c.new_email`,
    confirmedByNew: sql`c.confirmed_by_new_at is not null`,
    confirmedByOld: sql`c.confirmed_by_old_at is not null`,
    appliesOn,
  }),
  sql`users u
    join email_changes c on c.network_id = u.network_id and c.user_id = u.id and c.ended_at is null
    join networks n on n.id = c.network_id
    where u.network_id = a.network_id and u.attorney_id = a.id`,
);

/** Open referrals, and what lifts a suspension, of an attorney (alias `a`). Source: domain rules §6. */
const referralCounts = (today: PlainDate) => {
  const { referrals } = Attorney.shape;
  const open = sql`matters m
    join ${policies()} as policy on policy.network_id = m.network_id
    where m.network_id = a.network_id and m.attorney_id = a.id and m.status = 'open'`;
  const late = tableJson(referrals.shape.late.element, "matters as m", {
    name: sql`m.first_name || ' ' || m.last_name`,
    reportDueOn: sql`m.report_due_on`,
  });
  return firstJson(
    shapeJson(referrals, {
      open: sql`count(*)`,
      overdue: sql`count(*) filter (where ${isOverdue(today)})`,
      mustFile: sql`count(*) filter (where ${isCause(today)})`,
      late: aggregateJson(late, {
        when: isCause(today),
        order: sql`m.report_due_on, m.id`,
        limit: maxLate,
      }),
    }),
    open,
  );
};

const isCause = (today: PlainDate) => sql`a.suspended_at is not null and ${isTooLate(today)}`;

const maxLate = 20;

/**
 * An attorney's whole record as JSON of the published interface: details, enrolments, what is owed and
 * what was paid. One statement, so one consistent state. Plans are for administrators alone. Throws 404 for
 * an attorney who is not the actor's.
 */
export async function showAttorneyRecord(
  tx: Db,
  actor: Actor,
  attorneyId: number,
  today: PlainDate,
): Promise<RawJson<Attorney>> {
  if (actor.role === "attorney" && actor.attorneyId !== attorneyId) throw notFound("attorney");
  const found = await jsonQuery(tx, attorneyRecordQuery(actor, attorneyId, today));
  if (!found) throw notFound("attorney");
  return found;
}

/** The statement that reads the record; the attorney may also be given by a query of their id. */
export function attorneyRecordQuery(
  actor: Actor,
  attorneyId: number | RawBuilder<unknown>,
  today: PlainDate,
): RawBuilder<JsonRow<Attorney>> {
  return selectJsonQuery(recordJson(actor, today), {
    from: sql`attorneys a
      cross join lateral (select ${debitsOwed} as debits offset 0) as owed -- once for both names
      where a.network_id = ${actor.networkId} and a.id = ${attorneyId}`,
    isPrepared: true,
  });
}

/** The newest debits with a balance of an attorney (alias `a`), oldest due first. */
const debitsOwed = listJson(builtJson(debitJson, sql`debit.body`), {
  from: sql`(
    select d.id, d.due_on, ${debitJson} as body from ${namedDebits}
    where d.network_id = a.network_id and d.attorney_id = a.id and d.balance_cents > 0
    order by d.id desc limit ${maxListed}) as debit`,
  order: sql`debit.due_on, debit.id`,
});

const ofChecks = sql`s.check_number is not null`;
const counting = sql`s.check_number is null and s.status in ('pending', 'approved')`;
const reversed = sql`s.check_number is null and s.status in ('refunded', 'failed', 'charged_back')`;

const creditPayments = listJson(creditPaymentJson, {
  from: paymentsWithCredit(sql`y.network_id = a.network_id and y.attorney_id = a.id
    and case y.method when 'check' then y.id >= ${oldestListed(ofChecks)}
      else y.id >= ${oldestListed(counting)} and y.id >= ${oldestListed(reversed)} end`),
  order: sql`kept.id desc`,
  limit: maxListed,
});

function recordJson(actor: Actor, today: PlainDate): JsonSql<Attorney> {
  const isAdmin = actor.role === "admin";
  const debits = builtJson(debitsOwed, sql`owed.debits`); // once for both names
  return shapeJson(Attorney, {
    id: sql`a.id`,
    name: sql`a.first_name || ' ' || a.last_name`,
    email: sql`a.email`,
    phone: sql`a.phone`,
    pausedUntil: sql`a.paused_until`,
    paused: isPaused(today),
    suspended: sql`a.suspended_at is not null`,
    leftOn: sql`a.left_on`,
    leftReason: sql`a.left_reason`,
    balance: sql`(select coalesce(sum(balance_cents), 0)::bigint from debits d
      where d.network_id = a.network_id and d.attorney_id = a.id)`,
    credit: sql`(select coalesce(sum(left_cents), 0)::bigint from credits c
      where c.network_id = a.network_id and c.attorney_id = a.id and c.left_cents > 0)`,
    hasHadCredit: sql`exists (
      select from credits c where c.network_id = a.network_id and c.attorney_id = a.id)`,
    firstName: sql`a.first_name`,
    lastName: sql`a.last_name`,
    barNumber: sql`a.bar_number`,
    addressLine1: sql`a.address_line_1`,
    addressLine2: sql`a.address_line_2`,
    addressCity: sql`a.address_city`,
    addressRegion: sql`a.address_region`,
    addressZip: sql`a.address_zip`,
    suspendedAt: sql`a.suspended_at`,
    suspensionReason: sql`a.suspension_reason`,
    account: isAdmin ? accountState : sql`'active'`,
    pendingEmail,
    emailRefusal: isAdmin ? emailRefusal : sql`null`,
    hasSecondFactor: sql`exists (select from users u
      where u.network_id = a.network_id and u.attorney_id = a.id and u.two_factor_enabled)`,
    firm: rowJson(
      tableJson(Attorney.shape.firm.unwrap(), "firms as f", {}),
      sql`firms f where f.network_id = a.network_id and f.id = a.firm_id`,
    ),
    referrals: referralCounts(today),
    subscriptions: listWhere(
      isAdmin ? sql`true` : sql`false`,
      listJson(planJson, {
        from: sql`plans p where p.network_id = a.network_id and p.archived_at is null`,
        order: sql`p.id desc`,
      }),
    ),
    subscriptionInstances: listJson(instanceJson, {
      from: sql`(select * from enrolments e where e.network_id = a.network_id and e.attorney_id = a.id
          and e.archived_at is null order by e.id desc limit ${maxListed}) as e
        join plans p on p.network_id = e.network_id and p.id = e.plan_id`,
      order: sql`e.id desc`,
    }),
    outstandingPayments: debits,
    debits,
    onlinePayments: shares(onlinePaymentJson, counting),
    reversedOnlinePayments: shares(reversedOnlinePaymentJson, reversed),
    checkPayments: shares(checkPaymentJson, ofChecks),
    creditPayments,
  });
}
