import pg from "pg";
import type { StandaloneContext } from "#kit/cli/command.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { tablesOf } from "#kit/db/copied-tables.ts";
import {
  beginReading,
  beginWriting,
  commitCopy,
  lockTables,
  withCopyClients,
} from "#kit/db/copy-clients.ts";
import { networkTables } from "#kit/db/network-tables.ts";
import { disableConstraints } from "#kit/db/disable-constraints.ts";
import { encryptedColumns } from "#cards/settings/encrypted-secrets.ts";
import { compareNetwork } from "#main/database-copy/compare-network.ts";
import {
  networkMadeAt,
  otherDatabase,
  ownDatabase,
  refuseSameDatabase,
  refuseWhileServersRun,
} from "#main/database-copy/two-databases.ts";

/**
 * Remove every row of a network from the environment's database in one transaction, once another database has its copy;
 * even rows that are otherwise never deleted. Returns how many. Throws 409 without a copy, or if the copy differs, unless
 * it `mayDiffer` because servers have run on it.
 */
export async function removeNetwork(
  context: StandaloneContext,
  { networkId, keptIn, mayDiffer }: { networkId: number; keptIn: string; mayDiffer: boolean },
): Promise<number> {
  const { address } = await ownDatabase(context);
  const other = await otherDatabase(context, keptIn, "--kept-in");
  return await withCopyClients([address, other], async (own, kept) => {
    await refuseSameDatabase(own, kept, "--kept-in");
    await refuseWhileServersRun(own, "to remove it from");
    await beginReading(kept);
    await beginWriting(own);
    await lockTables(own, await tablesOf(own), "access exclusive");
    await refuseWhileServersRun(own, "to remove it from");
    const madeAt = await networkMadeAt(own, networkId);
    if (madeAt === null)
      throw new Refusal(
        404,
        `There is no network ${networkId} here. It may have been removed earlier.`,
      );
    if ((await networkMadeAt(kept, networkId)) !== madeAt)
      throw new Refusal(
        409,
        `Nothing was removed: the database at --kept-in has no copy of network ${networkId}.`,
      );
    context.progress("Comparing with the copy");
    const compared = await compareNetwork(own, kept, { networkId, leftOut: encryptedColumns });
    if (compared.different.length > 0 && !mayDiffer)
      throw new Refusal(
        409,
        `Nothing was removed: the copy at --kept-in differs in ${compared.different.join(", ")}. If only the copy has been used since, add --copy-has-changed.`,
      );
    const restore = await disableConstraints(own);
    let rows = 0;
    for (const { name, networkColumn } of await networkTables(own)) {
      context.progress(`Removing ${name}`);
      const { rowCount } = await own.query(
        `delete from ${pg.escapeIdentifier(name)} where ${networkColumn} = $1`,
        [networkId],
      );
      rows += rowCount ?? 0;
    }
    for (const statement of restore) await own.query(statement);
    await commitCopy(own);
    return rows;
  });
}
