import type { Db } from "#db/database.ts";
import { Refusal } from "#contract/refusal.ts";
import { allSecrets, reencrypt } from "#features/cards/settings/encrypted-secrets.ts";
import { asMover } from "#features/cells/network-moves.ts";

export interface NetworkSecrets {
  /** The APP_SECRET of the cell that the network comes from. */
  oldSecret: string;
  /** The APP_SECRET of this cell. */
  newSecret: string;
}

/**
 * Encrypt everything of an arriving network that is encrypted under this cell's secret, past its guard; all
 * of it or nothing. Running it again does no harm. Throws 409 where neither secret decrypts something.
 */
export async function reencryptNetwork(
  owner: Db,
  networkId: number,
  secrets: NetworkSecrets,
): Promise<{ reencrypted: number; alreadyDone: number }> {
  return await asMover(owner, networkId, async (tx) => {
    const found = await allSecrets(tx, networkId);
    let reencrypted = 0;
    for (const one of found) {
      const { state, text } = await reencrypt(one, secrets);
      if (state === "unreadable")
        throw new Refusal(
          409,
          `Nothing was changed: neither cell's secret opens ${one.what}. Is OTHER_APP_SECRET the APP_SECRET of the other cell?`,
        );
      if (state === "done") continue;
      await one.save(text);
      reencrypted += 1;
    }
    return { reencrypted, alreadyDone: found.length - reencrypted };
  });
}
