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

/** Each list in a record holds at most its newest 1,000 items. Source: api.md, Shapes. */
const maxListed = 1000;

/** The newest shares (alias `s`, with their debits' names) that match the condition `which`. */
const shares = <Share>(share: JsonSql<Share>, which: RawBuilder<unknown>) =>
  listJson(share, {
    from: sql`payment_allocations s
      join debits d on d.network_id = s.network_id and d.id = s.debit_id ${debitNames}
      where s.network_id = a.network_id and s.attorney_id = a.id and ${which}`,
    order: sql`s.id desc`,
    limit: maxListed,
  });

/** The oldest payment with a listed share. An older payment's credit is left out, as it would look like the whole payment. */
const oldestListed = (which: RawBuilder<unknown>) => sql`coalesce((
  select s.payment_id from payment_allocations s
  where s.network_id = a.network_id and s.attorney_id = a.id and ${which}
  order by s.id desc offset ${maxListed - 1} limit 1), 0)`;

/** Whether the attorney can sign in, as one of `accountStates`. */
const accountState = sql`coalesce((
  select case
    when ${canSignIn} then 'active'
    when ${isInUse} then 'new_password'
    when exists (select from sign_in_links l
      where l.network_id = u.network_id and l.user_id = u.id and l.used_at is null and l.expires_at > now())
      then 'invited'
    else 'invitation_ended' end
  from users u where u.network_id = a.network_id and u.attorney_id = a.id), 'none')`;

/** The unconfirmed new email address of an attorney (alias `a`) with an account. */
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

/** An attorney's (alias `a`) open referrals, and the reports that lift a suspension. Source: domain rules §6. */
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
 * An attorney's record as published JSON: details, enrolments, debits and payments. One statement, so one consistent
 * state. Only administrators get the plans. Throws 404 unless the actor may read the attorney.
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

/** The statement that reads the record. `attorneyId` may be a query that selects the id. */
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

/** The newest debits with a balance of an attorney (alias `a`), sorted by due date. */
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
