import { sql } from "kysely";
import type { z } from "zod";
import { allOf, type ListContext, type Sql, withinDays } from "#list/list-context.ts";
import type { listMail } from "#features/mail/contract.ts";

type Wanted = Pick<z.output<typeof listMail.query>, "status" | "from">;

/** Why mail for an attorney (alias `a`) is refused where the attorney is reached now; null where it is not. */
export const emailRefusal: Sql = sql`(
  select r.refusal from mails r
  where r.network_id = a.network_id and r.recipient = a.email and r.refusal_stands
  order by r.id desc limit 1)`;

/** Whether that is so. */
export const isEmailRefused: Sql = sql`exists (
  select from mails r where r.network_id = a.network_id and r.recipient = a.email and r.refusal_stands)`;

/** Whether a mail (alias `m`) is one of the list. */
export function isListedMail(context: Omit<ListContext, "today">, wanted: Wanted): Sql {
  const { status } = wanted;
  return allOf([
    sql`m.network_id = ${context.networkId}`,
    status && sql`m.status = ${status}`,
    ...withinDays(sql`m.created_at`, { from: wanted.from }, context),
  ]);
}
