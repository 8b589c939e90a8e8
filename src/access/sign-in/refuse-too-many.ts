import { type RawBuilder, sql } from "kysely";
import { Refusal } from "#kit/contract/refusal.ts";
import type { Db } from "#kit/db/database.ts";

/** How long attempts are counted, unless given. */
export const windowMinutes = 15;

/**
 * Throw 429, with when to try again, if `max` attempts were made within the last `minutes`. `tries` selects their
 * instants as `at`. `sentence` gets the wait, such as "15 minutes".
 */
export async function refuseTooMany(
  tx: Db,
  tries: RawBuilder<unknown>,
  { max, minutes = windowMinutes }: { max: number; minutes?: number | undefined },
  sentence: (wait: string) => string,
): Promise<void> {
  const { rows } = await sql<{ made: number; waitSeconds: number }>`
    select count(*)::int as made,
      ceil(extract(epoch from min(at) + make_interval(mins => ${minutes}) - now()))::int as wait_seconds
    from (
      select at from (${tries}) as tries where at > now() - make_interval(mins => ${minutes})
      order by at desc limit ${max}
    ) as recent`.execute(tx);
  const [recent] = rows;
  if (!recent || recent.made < max) return;
  const retryAfterSeconds = Math.max(1, recent.waitSeconds);
  throw new Refusal(429, sentence(inWords(retryAfterSeconds)), { retryAfterSeconds });
}

/** "1 minute", "15 minutes", "23 hours". */
function inWords(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  const [count, unit] = minutes <= 60 ? [minutes, "minute"] : [Math.ceil(minutes / 60), "hour"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
