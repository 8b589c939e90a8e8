import { sql } from "kysely";
import { payerJoins, payerName } from "#payments/checks/checks.rows.ts";
import { deposits } from "#payments/deposits/deposits.list.ts";
import { depositJson } from "#payments/deposits/deposits.ts";
import { rowsOf } from "#kit/list/rows-of.ts";

const depositStatus = sql`case when t.banked_at is null then 'open' else 'banked' end`;

export const depositRows = rowsOf(deposits, {
  from: sql`deposits t cross join lateral (
    select count(*) as count, coalesce(sum(k.amount_cents), 0)::bigint as total_cents,
      coalesce(sum(k.amount_cents) filter (where k.status = 'returned'), 0)::bigint as returned_cents
    from received_checks k where k.network_id = t.network_id and k.deposit_id = t.id) as held`,
  networkId: sql`t.network_id`,
  key: sql`t.id`,
  columns: {
    deposit: sql`t.number`,
    deposited_on: sql`t.deposited_on`,
    account_name: sql`t.account_name`,
    deposit_status: depositStatus,
    banked_on: sql`t.banked_on`,
    check_id: sql`c.id`,
    check_number: sql`c.check_number`,
    payer: payerName,
    amount: sql`c.amount_cents`,
    status: sql`c.status`,
    returned_on: sql`c.returned_on`,
    count: sql`held.count`,
    total: sql`held.total_cents`,
    returned: sql`held.returned_cents`,
  },
  filters: {
    status: (status) => sql`${depositStatus} = ${status}`,
    from: (from) => sql`t.deposited_on >= ${from}::date`,
    to: (to) => sql`t.deposited_on <= ${to}::date`,
  },
  usual: () => [{ value: sql`t.id`, isDescending: true, isNeverNull: true }],
  item: depositJson,
  itemFrom: sql`deposits t`,
  report: {
    from: sql`deposits t
      left join received_checks c on c.network_id = t.network_id and c.deposit_id = t.id ${payerJoins}`,
    times: { created: { instant: sql`t.created_at` } },
    order: sql`t.number, c.id`,
  },
});
