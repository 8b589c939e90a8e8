import { sql } from "kysely";
import type { Sql } from "#kit/list/list-context.ts";

/** Why the current address of an attorney (alias `a`) refuses email; null if it does not. */
export const emailRefusal: Sql = sql`(
  select r.refusal from mails r
  where r.network_id = a.network_id and r.recipient = a.email and r.refusal_stands
  order by r.id desc limit 1)`;

/** Whether the current address of an attorney (alias `a`) refuses email. */
export const isEmailRefused: Sql = sql`exists (
  select from mails r where r.network_id = a.network_id and r.recipient = a.email and r.refusal_stands)`;
