import { sql } from "kysely";
import type { z } from "zod";
import type { listExports } from "#list/reports-contract.ts";
import { allOf, type ListContext, type Sql } from "#list/list-context.ts";

type Wanted = Pick<z.output<typeof listExports.query>, "waiting">;

/** What waits for somebody of the reports `x` that are not removed: until it is downloaded, or made again. */
export const waitingExports = {
  ready: sql<boolean>`(x.status = 'ready' and x.downloaded_at is null and x.expires_at > now())`,
  failed: sql<boolean>`(x.status = 'failed' and not x.is_cancelled)`,
};

/** Whether a report (alias `x`) is one of the list of reports. */
export function isListedExport({ networkId }: Pick<ListContext, "networkId">, wanted: Wanted): Sql {
  return allOf([
    sql`x.network_id = ${networkId}`,
    sql`x.removed_at is null`,
    wanted.waiting && waitingExports[wanted.waiting],
  ]);
}
