import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { makeCardAccount } from "#main/demo/records/cards.ts";

/** Accounts at the sandboxes, by processor and key name. */
export type SandboxAccounts = Readonly<Record<ProcessorName, Readonly<Record<string, string>>>>;

/** Entered in this order; the last one is in use. Source: published interface, "Demo network". */
const inOrder: ProcessorName[] = ["stripe", "lawpay", "elavon", "paypal_payflow_pro", "anet"];

/**
 * Give the demo's networks, in the order of `accounts`, card accounts at the sandboxes: the keys of every processor, so
 * that an administrator can choose another in Settings. Only once; administrators' later changes stay. Returns the
 * networks' ids.
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
  for (const [index, network] of networks.entries()) {
    const own = accounts[index];
    if (own) await inTransaction(db, (tx) => enterKeys(tx, secret, network, own));
  }
  return networks.map(({ id }) => id);
}

async function enterKeys(
  tx: Db,
  secret: string,
  network: { id: number },
  accounts: SandboxAccounts,
): Promise<void> {
  await tx.selectFrom("networks").select("id").where("id", "=", network.id).forUpdate().execute();
  const known = await tx
    .selectFrom("cardProcessors")
    .select("id")
    .where("networkId", "=", network.id)
    .executeTakeFirst();
  if (known) return;
  for (const processor of inOrder)
    await makeCardAccount(tx, network, { secret, processor, keys: accounts[processor] });
}
