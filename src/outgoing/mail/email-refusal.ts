import { sql } from "kysely";
import type { Sql } from "#kit/list/list-context.ts";

/** Why mail for an attorney (alias `a`) is refused where the attorney is reached now; null where it is not. */
export const emailRefusal: Sql = sql`(
  select r.refusal from mails r
  where r.network_id = a.network_id and r.recipient = a.email and r.refusal_stands
  order by r.id desc limit 1)`;

/** Whether that is so. */
export const isEmailRefused: Sql = sql`exists (
  select from mails r where r.network_id = a.network_id and r.recipient = a.email and r.refusal_stands)`;
