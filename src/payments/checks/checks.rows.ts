import { sql } from "kysely";
import { centsFromDollars, cleanAmount } from "#kit/domain/money.ts";
import { firstJson, listJson, shapeJson } from "#kit/db/shape-json.ts";
import { asSorted } from "#kit/db/sort.ts";
import { containsText, matchesSearch } from "#kit/db/text-search.ts";
import { checkJson } from "#payments/checks/checks.ts";
import { checks, checkStatuses } from "#payments/checks/checks.list.ts";
import { listChecks } from "#payments/checks/contract.ts";
import type { Sql } from "#kit/list/list-context.ts";
import { rowsOf } from "#kit/list/rows-of.ts";

/** The payer of a check (alias `c`). */
export const payerJoins = sql`
  left join firms f on f.network_id = c.network_id and f.id = c.firm_id
  left join attorneys a on a.network_id = c.network_id and a.id = c.attorney_id`;

export const payerName = sql`coalesce(f.name, a.first_name || ' ' || a.last_name)`;

const { totals, pending } = listChecks.object.shape;

/** The decided amount of a pending check (alias `c`), in cents. */
const decidedOf = (status: "approved" | "denied") => sql`(case when c.status = 'pending' then (
  select sum(s.amount_cents) from payments y
  join payment_allocations s on s.network_id = y.network_id and s.payment_id = y.id
  where y.network_id = c.network_id and y.received_check_id = c.id and s.status = ${sql.lit(status)}) end)`;

/** The undecided amount of a pending check (alias `c`), in cents. */
export const waitingOfCheck = sql`(c.amount_cents
  - coalesce(${decidedOf("approved")}, 0) - coalesce(${decidedOf("denied")}, 0))::bigint`;

const sumOf = (status: string) =>
  sql`coalesce(sum(total_amount) filter (where status = ${sql.lit(status)}), 0)`;

/** Moves the decided parts of pending checks to the sums of "approved" and "denied". */
const partsOfPending: Record<string, Sql> = {
  pending: sql` - coalesce(sum(approved), 0) - coalesce(sum(denied), 0)`,
  approved: sql` + coalesce(sum(approved), 0)`,
  denied: sql` + coalesce(sum(denied), 0)`,
};

/** The sum of each status, without zeros. Added up while the checks are counted, so each check is read once. */
const sumsByStatus = listJson(
  shapeJson(totals.shape.parts.element, { status: sql`part.status`, amount: sql`part.cents` }),
  {
    from: sql`(values ${sql.join(
      Object.keys(checkStatuses).map(
        (status, at) =>
          sql`(${sql.lit(at)}, ${sql.lit(status)}, (${sumOf(status)}${partsOfPending[status] ?? sql``})::bigint)`,
      ),
    )}) as part (at, status, cents)
      where part.cents > 0`,
    order: sql`part.at`,
  },
);

export const checkRows = rowsOf(checks, {
  from: sql`received_checks c ${payerJoins}
    left join users recorder on recorder.id = c.created_by
    left join users decider on decider.id = c.decided_by
    left join deposits t on t.network_id = c.network_id and t.id = c.deposit_id`,
  networkId: sql`c.network_id`,
  key: sql`c.id`,
  columns: {
    check_id: sql`c.id`,
    check_number: {
      value: sql`c.check_number`,
      sort: () => [sql`lpad(lower(c.check_number), 32, ' ')`], // 98 before 102
    },
    payer_kind: sql`case when c.firm_id is null then 'attorney' else 'firm' end`,
    payer: {
      value: payerName,
      sort: () => [sql`coalesce(f.name, a.last_name)`, sql`a.first_name`].map(asSorted),
    },
    amount: sql`c.amount_cents`,
    credit: sql`(select coalesce(sum(y.credit_cents), 0) from payments y
      where y.network_id = c.network_id and y.received_check_id = c.id)`,
    status: sql`c.status`,
    received_on: sql`c.received_on`,
    recorded_on: sql`c.created_at`,
    recorded_by: sql`recorder.name`,
    decided_on: sql`c.decided_at`,
    decided_by: sql`decider.name`,
    returned_on: sql`c.returned_on`,
    return_note: sql`c.return_note`,
    deposit: sql`t.number`,
    deposited_on: sql`t.deposited_on`,
    note: sql`c.note`,
  },
  filters: {
    status: (status) => sql`c.status = ${status}`,
    search: (search, { networkId }) => sql`c.id in (${foundBySearch(networkId, search)})`,
    // The attorney pays the check, or the check pays for the attorney.
    attorney_id: (id, { networkId }) => sql`c.id in (select y.received_check_id from payments y
      where y.network_id = ${networkId} and y.attorney_id = ${id})`,
    firm_id: (id) => sql`c.firm_id = ${id}`,
    from: (day) => sql`c.received_on >= ${day}`,
    to: (day) => sql`c.received_on <= ${day}`,
    deposited: (is) => (is === "true" ? sql`c.deposit_id is not null` : sql`c.deposit_id is null`),
  },
  usual: () => [{ value: sql`c.id`, isDescending: true, isNeverNull: true }],
  // Measured with 150,000 checks: the first page takes two thirds of the time.
  isReadInOrder: ({ search, attorney_id, firm_id }) => !(search || attorney_id || firm_id),
  item: checkJson,
  found: {
    status: sql`c.status`,
    approved: decidedOf("approved"),
    denied: decidedOf("denied"),
  },
  totals: { parts: sumsByStatus },
  more: ({ networkId }) => ({
    pending: firstJson(
      shapeJson(pending, {
        count: sql`count(*)`,
        amount: sql`coalesce(sum(${waitingOfCheck}), 0)::bigint`,
      }),
      sql`received_checks c where c.network_id = ${networkId} and c.status = 'pending'`,
    ),
  }),
  report: {
    times: { created: { instant: sql`c.created_at` } },
    order: sql`c.id`,
  },
});

/**
 * The checks that a search finds: by a part of the number, the amount, or every word in the name of the payer or of a
 * lawyer it pays for. Names are looked up first, by their index.
 */
function foundBySearch(networkId: number, search: string): Sql {
  const amount = centsFromDollars(cleanAmount(search));
  const name = sql<string>`folded(first_name || ' ' || last_name)`;
  const number = containsText(sql`lower(c.check_number)`, search.toLowerCase());
  return sql`
    with lawyers as materialized (
      select id from attorneys where network_id = ${networkId}
        and ${matchesSearch(sql`search_text`, search)} and ${matchesSearch(name, search)}
    )
    select c.id from received_checks c
    where c.network_id = ${networkId} and (${number} or c.amount_cents = ${amount}::bigint)
    union select c.id from received_checks c join firms f on f.network_id = c.network_id and f.id = c.firm_id
    where c.network_id = ${networkId} and ${matchesSearch(sql`f.search_text`, search)}
      and ${matchesSearch(sql`folded(f.name)`, search)}
    union select paid.received_check_id from lawyers cross join lateral (
      select y.received_check_id from payments y
      where y.network_id = ${networkId} and y.attorney_id = lawyers.id and y.received_check_id is not null
      offset 0 -- uses the index, however many lawyers the planner expects
    ) as paid`;
}
