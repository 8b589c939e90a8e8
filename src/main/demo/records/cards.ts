import type { Db } from "#kit/db/database.ts";
import { encryptedKeys } from "#cards/settings/card-accounts.ts";
import { processors } from "#cards/processors/processors.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";

/** Let a network accept cards through a processor's sandbox: its account's keys by name, not checked with it. */
export async function makeCardAccount(
  tx: Db,
  { id: networkId }: Pick<MadeNetwork, "id">,
  {
    secret,
    processor,
    keys,
  }: { secret: string; processor: ProcessorName; keys: Readonly<Record<string, string>> },
): Promise<void> {
  const keysOf = (isSecret: boolean) =>
    Object.fromEntries(
      processors[processor].fields.flatMap((field) => {
        const value = keys[field.name];
        return value !== undefined && field.isSecret === isSecret ? [[field.name, value]] : [];
      }),
    );
  await tx
    .insertInto("cardProcessors")
    .values({
      networkId,
      processor,
      live: false,
      sandbox: true,
      brandmarks: ["mastercard", "visa"],
      publicKeys: JSON.stringify(keysOf(false)),
      ...encryptedKeys({ secret }, networkId, processor, keysOf(true)),
    })
    .execute();
}
