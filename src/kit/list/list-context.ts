import { type RawBuilder, sql } from "kysely";
import type { Day } from "#kit/domain/day.ts";

/** The network whose list it is, and when it is made. */
export interface ListContext {
  networkId: number;
  /** The network's IANA time zone, which decides its days. */
  timeZone: string;
  today: Day;
}

export type Sql = RawBuilder<unknown>;

/** SQL, or SQL that depends on the network and the day. */
export type SqlPart<Context extends ListContext = ListContext> = Sql | ((context: Context) => Sql);

export const sqlOf = <Context extends ListContext>(part: SqlPart<Context>, context: Context): Sql =>
  typeof part === "function" ? part(context) : part;

/** All of the given conditions. */
export function allOf(conditions: (Sql | false | undefined | "" | 0)[]): Sql {
  const asked = conditions.filter((condition) => typeof condition === "object");
  return sql`(${sql.join(asked, sql` and `)})`;
}

/** Whether an instant is within local days of the network, both included. */
export function withinDays(
  instant: Sql,
  { from, to }: { from?: Day | undefined; to?: Day | undefined },
  { timeZone }: Pick<ListContext, "timeZone">,
): Sql[] {
  const midnight = (day: Sql) => sql`(${day})::timestamp at time zone ${timeZone}`;
  return [
    ...(from ? [sql`${instant} >= ${midnight(sql`${from}::date`)}`] : []),
    ...(to ? [sql`${instant} < ${midnight(sql`${to}::date + 1`)}`] : []),
  ];
}
