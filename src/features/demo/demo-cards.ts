import { demoAccounts } from "#sandboxes/accounts.ts";
import type { Db } from "#server/database.ts";
import type { DemoNetwork } from "#features/demo/demo-network.ts";
import { sealedKeys } from "#features/payments/card-accounts.ts";
import { processors } from "#features/payments/processors/processors.ts";
import { ProcessorName } from "#features/payments/shapes.ts";

/**
 * Let the network take cards through the sandboxes: through Authorize.Net's, with the keys of the
 * others entered too, so that a newcomer can try each from Settings. The row written last is the
 * one in use.
 */
export async function takeCards(tx: Db, network: DemoNetwork, secret: string): Promise<void> {
  const inUseLast = ProcessorName.options.toSorted(
    (a, b) => Number(a === "anet") - Number(b === "anet"),
  );
  for (const name of inUseLast)
    await tx
      .insertInto("cardProcessors")
      .values({
        networkId: network.id,
        processor: name,
        live: false,
        sandbox: true,
        brandmarks: ["mastercard", "visa"],
        publicKeys: JSON.stringify(keysOf(name, false)),
        ...sealedKeys({ secret }, network.id, name, keysOf(name, true)),
      })
      .execute();
}

/** The demo account's keys that are secret, or those that are not. */
function keysOf(name: ProcessorName, isSecret: boolean): Record<string, string> {
  const known: Record<string, string> = demoAccounts[name];
  return Object.fromEntries(
    processors[name].fields.flatMap((field) => {
      const key = known[field.name];
      return field.isSecret === isSecret && key ? [[field.name, key]] : [];
    }),
  );
}
