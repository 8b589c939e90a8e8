import { sql } from "kysely";
import { debitName, debitNames } from "#kit/db/debit-names.ts";
import { moneyText } from "#kit/db/money-text.ts";
import { processorLabels } from "#kit/domain/processors.ts";
import type { Sql } from "#kit/list/list-context.ts";

const is = (kind: string) => sql`e.record_type = ${kind} and r.network_id = e.network_id
  and r.id = e.record_id`;

/**
 * The name of the record of an audit entry `e`, and its attorney: one row of `name` and `attorney_id`, or none for a
 * deleted record. Each kind is one lookup by key, in its own table only. `reportLabels`: report types' labels, by
 * value.
 */
export const recordName = (reportLabels: Record<string, string>) => {
  const inWords = (code: Sql) =>
    sql`coalesce((${JSON.stringify({ ...reportLabels, ...processorLabels })}::jsonb) ->> ${code}, ${code})`;
  return sql`
  select r.first_name || ' ' || r.last_name as name, r.id as attorney_id
    from attorneys r where ${is("attorney")}
  union all select r.first_name || ' ' || r.last_name, null from matters r where ${is("matter")}
  union all select r.name, null from plans r where ${is("plan")}
  union all select r.name, null from firms r where ${is("firm")}
  union all select p.name, r.attorney_id
    from enrolments r
    join plans p on p.network_id = r.network_id and p.id = r.plan_id
    where ${is("enrolment")}
  union all select ${debitName} || ', due ' || to_char(d.due_on, 'MM/DD/YYYY'), d.attorney_id
    from (select r.* from debits r where ${is("debit")}) as d ${debitNames}
  union all select r.name, (
      select case when count(*) = 1 then min(attorney_id) end from (
        select d.attorney_id from debits d
        where d.network_id = r.network_id and d.charge_id = r.id limit 2) as charged)
    from charges r where ${is("charge")}
  union all select coalesce('Check ' || r.check_number, 'Card payment') || ' of '
      || ${moneyText(sql`r.amount_cents`)}, r.attorney_id
    from payments r where ${is("payment")}
  union all select 'Check ' || r.check_number || ' of ' || ${moneyText(sql`r.amount_cents`)}, r.attorney_id
    from received_checks r where ${is("received check")}
  union all select 'Deposit ' || r.number, null from deposits r where ${is("deposit")}
  union all select 'Card payment' || coalesce(' of ' || ${moneyText(sql`r.amount_cents`)}, ''), r.attorney_id
    from card_sessions r where ${is("card session")}
  union all select r.name, null from api_tokens r where ${is("API token")}
  union all select r.name, r.attorney_id from users r
    where e.record_type in ('user', 'sign-in') and r.network_id = e.network_id and r.id = e.record_id
  union all select 'As of ' || to_char(r.as_of, 'MM/DD/YYYY'), null
    from billing_runs r where ${is("billing run")}
  union all select ${inWords(sql`r.processor`)}, null from card_processors r where ${is("card settings")}
  union all select r.url, null from webhook_endpoints r where ${is("webhook")}
  union all select ${inWords(sql`r.report_type`)}, r.attorney_id from data_exports r where ${is("data export")}
  union all select ${inWords(sql`r.report_type`)}, r.attorney_id
    from data_export_schedules r where ${is("data export schedule")}`;
};
