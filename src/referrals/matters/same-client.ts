import { sql } from "kysely";
import type { z } from "zod";
import { phoneDigits } from "#kit/domain/us-address.ts";
import type { Admin } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import type { listSameClient, SameClient } from "#referrals/matters/contract.ts";

/**
 * The newest referrals of a client with this name, however written, or with this phone number in any format and with
 * any extension. None if neither is complete.
 */
export async function findSameClient(
  tx: Db,
  admin: Admin,
  typed: z.output<typeof listSameClient.query>,
): Promise<SameClient[]> {
  const hasName = typed.first_name !== "" && typed.last_name !== "";
  const name = hasName ? `${typed.last_name} ${typed.first_name}` : null;
  const digits = phoneDigits(typed.phone)?.slice(0, 10) ?? null;
  if (name === null && digits === null) return [];
  const sameName = sql`folded(m.last_name || ' ' || m.first_name) = folded(${name}::text)`;
  const samePhone = sql`(m.phone <> '' and left(regexp_replace(m.phone, '[^0-9]', '', 'g'), 10) = ${digits}::text)`;
  const newest = (condition: typeof sameName) => sql`
    (select m.id from matters m where m.network_id = ${admin.networkId} and ${condition}
      order by m.id desc limit 5)`;
  const { rows } = await sql<SameClient>`
    select m.id, m.first_name || ' ' || m.last_name as name, m.phone, m.status, m.submitted_at,
      a.first_name || ' ' || a.last_name as attorney_name,
      coalesce(${sameName}, false) as same_name, coalesce(${samePhone}, false) as same_phone
    from matters m
    left join attorneys a on a.network_id = m.network_id and a.id = m.attorney_id
    where m.network_id = ${admin.networkId}
      and m.id in (${newest(sameName)} union ${newest(samePhone)})
    order by (${sameName} and ${samePhone}) desc nulls last, m.id desc limit 5`.execute(tx);
  return rows;
}
