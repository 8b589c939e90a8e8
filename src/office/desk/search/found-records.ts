import { type RawBuilder, sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import { isPaused } from "#panel/vacation.ts";
import { dots, type Match, personName } from "#office/desk/search/match.ts";

/* What a search shows of records found by their text, from rows of their table with their `rank`. */

type Rows = RawBuilder<unknown>;

export const attorneys = (rows: Rows, today: PlainDate) => sql<Match>`
  select 'attorney' as kind, a.id, '/admin/attorneys/' || a.id as path, a.rank, ${personName} as title,
    concat_ws(${dots}, 'Left ' || to_char(a.left_on, 'MM/DD/YYYY'),
      case when a.left_on is not null then null when a.suspended_at is not null then 'Suspended'
        when ${isPaused(today)} then 'On vacation' end,
      (select f.name from firms f where f.network_id = a.network_id and f.id = a.firm_id),
      nullif(a.phone, ''), a.email, 'bar ' || nullif(a.bar_number, '')) as detail
  from ${rows} as a`;

export const clients = (rows: Rows) => sql<Match>`
  select 'client' as kind, m.id, '/admin/matters/' || m.id as path, m.rank,
    m.first_name || ' ' || m.last_name as title,
    concat_ws(${dots}, case when m.status = 'closed' then 'Closed' end,
      coalesce((select 'Referred to ' || ${personName} from attorneys a
        where a.network_id = m.network_id and a.id = m.attorney_id), 'Not referred'),
      nullif(m.phone, ''), nullif(m.email, ''), nullif(m.reference, '')) as detail
  from ${rows} as m`;

export const firms = (rows: Rows) => sql<Match>`
  select 'firm' as kind, f.id, '/admin/firms/' || f.id as path, f.rank, f.name as title,
    concat_ws(${dots}, (select count(*) || case count(*) when 1 then ' attorney' else ' attorneys' end
        from attorneys a where a.network_id = f.network_id and a.firm_id = f.id),
      nullif(f.billing_email, '')) as detail
  from ${rows} as f`;

export const plans = (rows: Rows) => sql<Match>`
  select 'plan' as kind, p.id, '/admin/plans/' || p.id as path, p.rank, p.name as title,
    concat_ws(${dots}, payment_schedule(p.amount_cents, p.frequency_in_months),
      case when p.archived_at is not null then 'Archived' end) as detail
  from ${rows} as p`;
