import { type RawBuilder, sql } from "kysely";
import { type Day, formatDay } from "#kit/domain/day.ts";
import { periodOf } from "#kit/domain/periods.ts";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Actor } from "#kit/domain/actor.ts";
import { addressLines } from "#kit/db/address-lines.ts";
import type { Db } from "#kit/db/database.ts";
import { debitNames, debitTitle } from "#kit/db/debit-names.ts";
import { type RawJson, selectJson } from "#kit/db/json-query.ts";
import { moneyText } from "#kit/db/money-text.ts";
import { jsonWhere, listJson, shapeJson } from "#kit/db/shape-json.ts";
import { invalid } from "#kit/contract/refusal.ts";
import { refuseUnknownAttorney } from "#panel/known-attorney.ts";
import { brandJson } from "#access/networks/brand.ts";
import { type Between, Statement } from "#dues/ledger/statements/contract.ts";

/** The most lines in one statement. Ask for a longer one in parts. */
export const maxLines = 5_000;

/**
 * An attorney's statement, from entries only. Throws 404 if the actor may not see the attorney, 422 for an invalid
 * period or too many lines. Descriptions longer than `letters` are cut; null: none are. Source: domain rules §12.
 */
export async function readStatement(
  db: Db,
  actor: Actor,
  wanted: { attorneyId: number; between: Between },
  today: PlainDate,
  { letters = null }: { letters?: number | null } = {},
): Promise<RawJson<Statement>> {
  await refuseUnknownAttorney(db, actor, wanted.attorneyId);
  const period = readPeriod(wanted.between, today.toString());
  const sums = (column: string) => sql.ref(`sums.${column}`);
  const line = shapeJson(Statement.shape.lines.element, {
    date: sql`listed.day`,
    kind: sql`listed.kind`,
    description: shortened(letters),
    charge: sql`greatest(listed.amount_cents, 0)`,
    payment: sql`greatest(-listed.amount_cents, 0)`,
    balance: sql`sums.opening_cents + listed.moved_cents`,
    credit: sql`listed.credit_cents`,
  });
  const statement = shapeJson(Statement, {
    attorneyId: sql`a.id`,
    attorneyName: sql`a.first_name || ' ' || a.last_name`,
    attorneyAddress: addressLines,
    brand: brandJson,
    from: sql`${period.from}::date`,
    to: sql`${period.to}::date`,
    asOf: sql`${period.asOf}::date`,
    opening: sums("opening_cents"),
    lines: listJson(line, {
      from: sql`(
        select *, sum(amount_cents) over (order by day, at, first_id)::bigint as moved_cents
        from lines) as listed`,
      order: sql`listed.day, listed.at, listed.first_id`,
    }),
    charged: sums("charged_cents"),
    paid: sums("paid_cents"),
    takenBack: sums("taken_back_cents"),
    adjusted: sums("adjusted_cents"),
    closing: sql`sums.opening_cents + sums.charged_cents - sums.paid_cents + sums.taken_back_cents
      + sums.adjusted_cents`,
    credit: sql`(select coalesce(sum(q.credit_cents), 0)::bigint from entries q
      where q.network_id = a.network_id and q.attorney_id = a.id and q.credit_id is not null
        and q.day <= ${period.to}::date)`,
  });
  const isShort = sql`(select count(*) from lines) <= ${maxLines}::integer`;
  const made = await selectJson(db, jsonWhere(isShort, statement), {
    isPrepared: true,
    with: sql`${statementParts(actor, wanted.attorneyId, period)}, sums as (
      select coalesce(sum(owed_cents) filter (where day < ${period.from}::date), 0)::bigint as opening_cents,
        ${sumsByKind(sql`day >= ${period.from}::date`)}
      from own_entries l)`,
    from: sql`attorneys a join networks n on n.id = a.network_id cross join sums
      where a.network_id = ${actor.networkId} and a.id = ${wanted.attorneyId}`,
  });
  if (made) return made;
  throw invalid(
    "from",
    `A statement can have at most ${maxLines.toLocaleString("en-US")} lines. Choose a shorter period.`,
  );
}

const shortened = (letters: number | null) =>
  letters === null
    ? sql`listed.description`
    : sql`case when length(listed.description) > ${letters}::integer
        then left(listed.description, ${letters}::integer) || ${"…"} else listed.description end`;

/**
 * Sums of the entries `l` that meet `when`: `charged_cents`, `paid_cents` (with applied credit),
 * `taken_back_cents` (reversed payments and applied credit) and `adjusted_cents` (negative if less is owed).
 * Source: domain rules §12.
 */
export function sumsByKind(when: RawBuilder<unknown>): RawBuilder<unknown> {
  const total = (of: RawBuilder<unknown>) =>
    sql`coalesce(sum(${of}) filter (where ${when}), 0)::bigint`;
  const follows = sql`l.cause in ('payment', 'reversal', 'credit_applied', 'credit_taken_off')`;
  return sql`
    ${total(sql`case when l.cause = 'charge' then l.owed_cents end`)} as charged_cents,
    ${total(sql`case when ${follows} and l.owed_cents < 0 then -l.owed_cents end`)} as paid_cents,
    ${total(sql`case when ${follows} and l.owed_cents > 0 then l.owed_cents end`)} as taken_back_cents,
    ${total(sql`case when l.cause = 'adjustment' then l.owed_cents end`)} as adjusted_cents`;
}

export interface StatementPeriod {
  from: Day;
  to: Day;
  /** Its last day, or today if that is earlier. */
  asOf: Day;
}

/** This month unless days are given. The last day may be in the future, the first may not: 422. */
export function readPeriod(between: Between, today: Day): StatementPeriod {
  const month = periodOf("this_month", between.to ?? between.from ?? today);
  const from = between.from ?? month.from;
  const to = between.to ?? (from > today ? from : today);
  if (from > today) throw invalid("from", `From must be today, ${formatDay(today)}, or earlier.`);
  if (from > to) throw invalid("from", "From must not be later than To.");
  return { from, to, asOf: to > today ? today : to };
}

/**
 * `own_entries`: the attorney's entries on debits and credit through the end of the period.
 * `lines`: the statement's lines in the period, one for all shares of a payment or returned check: `day`, `at`,
 * `first_id`, `kind`, `amount_cents`, `credit_cents`, `description`.
 */
function statementParts(
  { networkId }: Pick<Actor, "networkId">,
  attorneyId: number,
  { from, to }: StatementPeriod,
): RawBuilder<unknown> {
  const columns = sql`l.id, l.debit_id, l.cause, l.owed_cents, l.credit_cents, l.allocation_id, l.note, l.day,
    l.created_at as at`;
  // Used twice, since charges have one index and later entries another.
  const ofAttorney = (which: RawBuilder<unknown>) => sql`
    select ${columns} from debits d
    join entries l on l.network_id = d.network_id and l.debit_id = d.id and ${which}
    where d.network_id = ${networkId} and d.attorney_id = ${attorneyId} and l.day <= ${to}::date`;
  return sql`own_entries as materialized (
      ${ofAttorney(sql`l.cause = 'charge'`)} union all ${ofAttorney(sql`l.cause <> 'charge'`)}
      union all
      select ${columns} from entries l
      where l.network_id = ${networkId} and l.attorney_id = ${attorneyId} and l.credit_id is not null
        and l.debit_id is null and l.day <= ${to}::date
    ), lines as materialized (
      select l.day, l.at, min(l.id) as first_id, ${kindOfLine} as kind, sum(l.owed_cents)::bigint as amount_cents,
        sum(l.credit_cents)::bigint as credit_cents,
        case ${kindOfLine}
          when 'charge' then ${debitTitle}
          when 'adjustment' then concat_ws(': ', 'Adjustment of ' || ${debitTitle}, nullif(l.note, ''))
          when 'credit' then case l.cause
            when 'credit_applied' then 'Credit applied to ' || ${debitTitle}
            when 'credit_taken_off' then 'Credit reversed from ' || ${debitTitle}
            when 'credit_received' then concat_ws(': ', 'Credit received', nullif(l.note, ''))
            when 'credit_given_back' then concat_ws(': ', 'Credit refunded', nullif(l.note, ''))
            else concat_ws(': ', 'Credit reversed', nullif(l.note, '')) end
          when 'payment' then ${methodWords} || ${creditSuffix}
          else ${reversalReason} || ${methodWords} end as description
      from own_entries l
      left join payment_allocations s on s.network_id = ${networkId} and s.id = l.allocation_id
      left join payments y on y.network_id = s.network_id and y.id = s.payment_id
      left join card_payments c on c.network_id = s.network_id and c.payment_id = s.payment_id
      left join debits d on s.id is null and d.network_id = ${networkId} and d.id = l.debit_id ${debitNames}
      where l.day >= ${from}::date
      group by l.day, l.at, l.cause, y.network_id, y.id, c.network_id, c.payment_id,
        case when s.id is null then l.id end, d.network_id, d.id, l.note, p.name, charge.name
    )`;
}

/** Every cause that changes credit has the kind `credit`. */
const kindOfLine = sql`case when starts_with(l.cause, 'credit_') then 'credit' else l.cause end`;

/** "Check 1020", "Card payment, Visa ending in 4242". */
const methodWords = sql`case when y.method = 'check' then 'Check ' || y.check_number
  else 'Card payment' || coalesce(', ' || nullif(concat_ws(' ending in ', nullif(c.card_brand, ''),
    nullif(c.card_last_four, '')), ''), '') end`;

const notDenied = sql`y.amount_cents - (
  select coalesce(sum(denied.amount_cents), 0) from payment_allocations denied
  where denied.network_id = y.network_id and denied.payment_id = y.id and denied.status = 'denied')::bigint`;

const creditSuffix = sql`case when y.credit_cents > 0
  then ' (' || ${moneyText(sql`(${notDenied})`)} || ', including ' || ${moneyText(sql`y.credit_cents`)} || ' kept as credit)'
  else '' end`;

/** The reason stored in the reversal's entry, whatever becomes of its share later. Source: book rule 2. */
const reversalReason = sql`case l.note when 'returned' then 'Returned by the bank: ' when 'refunded' then 'Refunded: '
  when 'failed' then 'Not collected: ' when 'charged back' then 'Charged back: ' else 'Reversed: ' end`;
