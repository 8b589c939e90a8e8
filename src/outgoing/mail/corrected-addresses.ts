import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";

/**
 * Queue again, to the attorney's current address, emails that the old address refused in the last three days (as
 * long as a queued email is tried). Skips emails whose single-use link was removed and attorneys who have left
 * the panel.
 */
export async function queueForCorrectedAddresses(db: Db): Promise<void> {
  await sql`
    update mails as refused
    set recipient = a.email, status = 'queued', attempts = 0, next_attempt_at = now(),
      refusal = null, refusal_stands = false, last_problem = null
    from attorneys a
    where refused.refusal_stands and refused.created_at > now() - interval '3 days'
      and refused.body !~ '/sign-in/(link|address)#'
      and a.network_id = refused.network_id and a.id = refused.attorney_id
      and a.email <> refused.recipient and a.left_on is null`.execute(db);
}
