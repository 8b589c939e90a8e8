import { sql } from "kysely";
import type { z } from "zod";
import { allOf, type ListContext, type Sql, withinDays } from "#features/lists/list-context.ts";
import type { listMail } from "#features/mail/contract.ts";

type Wanted = Pick<z.output<typeof listMail.query>, "status" | "from">;

/** Whether a mail (alias `m`) is one of the list. */
export function isListedMail(context: Omit<ListContext, "today">, wanted: Wanted): Sql {
  const { status } = wanted;
  return allOf([
    sql`m.network_id = ${context.networkId}`,
    status && sql`m.status = ${status}`,
    ...withinDays(sql`m.created_at`, { from: wanted.from }, context),
  ]);
}
