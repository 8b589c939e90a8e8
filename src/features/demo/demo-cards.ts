import type { Db } from "#db/database.ts";
import { inTransaction } from "#db/transaction.ts";
import { encryptedKeys } from "#features/cards/settings/card-accounts.ts";
import { processors } from "#features/cards/processors/processors.ts";
import type { ProcessorName } from "#features/cards/shapes.ts";

/** Accounts at the sandboxes, by processor and by name of the key. */
export type SandboxAccounts = Readonly<Record<ProcessorName, Readonly<Record<string, string>>>>;

/** Entered in this order; the last one is the one in use. Source: published interface, "Demo network". */
const inOrder: ProcessorName[] = ["stripe", "lawpay", "elavon", "paypal_payflow_pro", "anet"];

/**
 * Give the demo's networks, in the order of `accounts`, card accounts at the sandboxes: the keys of
 * every processor, so that an administrator can choose another in Settings. Only once; later changes
 * by an administrator stay. Answers the networks' ids.
 */
export async function addSandboxCardAccounts(
  db: Db,
  secret: string,
  accounts: SandboxAccounts[],
): Promise<number[]> {
  const networks = await db
    .selectFrom("networks")
    .select("id")
    .orderBy("id")
    .limit(accounts.length)
    .execute();
  for (const [index, { id }] of networks.entries()) {
    const own = accounts[index];
    if (own) await enterKeys(db, secret, id, own);
  }
  return networks.map(({ id }) => id);
}

async function enterKeys(
  db: Db,
  secret: string,
  networkId: number,
  accounts: SandboxAccounts,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.selectFrom("networks").select("id").where("id", "=", networkId).forUpdate().execute();
    const known = await tx
      .selectFrom("cardProcessors")
      .select("id")
      .where("networkId", "=", networkId)
      .executeTakeFirst();
    if (known) return;
    await tx
      .insertInto("cardProcessors")
      .values(inOrder.map((name) => rowFor(secret, networkId, name, accounts[name])))
      .execute();
  });
}

function rowFor(
  secret: string,
  networkId: number,
  name: ProcessorName,
  account: Readonly<Record<string, string>>,
) {
  const keysOf = (isSecret: boolean) =>
    Object.fromEntries(
      processors[name].fields.flatMap((field) => {
        const value = account[field.name];
        return value !== undefined && field.isSecret === isSecret ? [[field.name, value]] : [];
      }),
    );
  return {
    networkId,
    processor: name,
    live: false,
    sandbox: true,
    brandmarks: ["mastercard", "visa"],
    publicKeys: JSON.stringify(keysOf(false)),
    ...encryptedKeys({ secret }, networkId, name, keysOf(true)),
    createdBy: null,
  };
}
