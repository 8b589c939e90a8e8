import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import type { RequestCounts } from "#http/request-counts.ts";
import { channel, requestCountPayloads } from "#features/realtime/payload.ts";

const tellEveryMs = 1_000;

/** Tell the other processes every second how many requests of busy sessions came to this one. */
export function tellRequests(
  db: Db,
  counts: RequestCounts,
  log: (line: string) => void,
): { close(): Promise<void> } {
  let telling = Promise.resolve();
  const tell = async () => {
    try {
      for (const payload of requestCountPayloads(counts.name, counts.untold()))
        await sql`select pg_notify(${channel}, ${payload})`.execute(db);
    } catch (problem) {
      log(`Request counts could not be told: ${String(problem)}`); // each process then counts alone
    }
  };
  const timer = setInterval(() => void (telling = telling.then(tell)), tellEveryMs);
  return {
    close: async () => {
      clearInterval(timer);
      await telling;
    },
  };
}
