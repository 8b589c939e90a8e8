import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";

/**
 * A large network: thousands of attorneys, each with some open matters, and a fifth as many closed ones with
 * reports. `today` is the date of the last reports; one attorney in twenty is late enough to be suspended.
 */
export async function aLargeNetwork(
  db: Db,
  wanted: { attorneys: number; openMatters: number; today: string },
): Promise<MadeNetwork> {
  const network = await makeNetwork(db, { timeZone: "UTC", permitsMatterEditing: true });
  const { attorneys, openMatters, today } = wanted;
  await sql`
    insert into attorneys (network_id, first_name, last_name, email, phone, bar_number)
    select ${network.id}, 'First' || (k * 7919) % 500, 'Last' || (k::bigint * 104729) % 3000,
      'attorney-' || ${network.id} || '-' || k || '@example.test', '(555) 010-' || lpad((k % 10000)::text, 4, '0'), k
    from generate_series(1, ${attorneys}) as k`.execute(db);
  await sql`
    with panel as (
      select id, row_number() over (order by id) as place from attorneys where network_id = ${network.id}
    )
    insert into matters (network_id, first_name, last_name, phone, email, address_line_1, address_city,
      address_region, address_zip, status, attorney_id, reference, submitted_at, referred_at, closed_at, report_due_on)
    select ${network.id}, 'Client' || (k * 31) % 900, 'Surname' || (k * 7919) % 20000,
      '(555) ' || lpad((k % 1000)::text, 3, '0') || '-' || lpad((k % 10000)::text, 4, '0'),
      'client-' || k || '@example.test', k || ' Main Street', 'Town' || k % 200, 'NY', lpad((k % 100000)::text, 5, '0'),
      case when k % 6 = 0 then 'closed' else 'open' end, panel.id, 'R-' || k,
      ${today}::date - 200, ${today}::date - 199, case when k % 6 = 0 then ${today}::date end,
      -- Every twentieth attorney has a report that is 61 to 90 days late; the others are due later or a little late.
      case when k % 6 > 0 then ${today}::date + case when place % 20 = 0 then (k * 13) % 120 - 90 else (k * 13) % 90 - 60 end end
    from generate_series(1, ${Math.ceil(openMatters * 1.2)}) as k
    join panel on panel.place = 1 + k % ${attorneys}`.execute(db);
  await sql`
    insert into matter_reports (network_id, matter_id, attorney_id, outcome, filed_on)
    select network_id, id, attorney_id, 'closed', ${today}::date from matters
    where network_id = ${network.id} and status = 'closed'`.execute(db);
  await sql`vacuum analyze attorneys, matters, matter_reports`.execute(db);
  return network;
}
