import { lstatSync, lchownSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/** The account that PostgreSQL runs as. Null: the account of this process. */
export type Account = { uid: number; gid: number; name: string } | null;

/**
 * PostgreSQL refuses to run as root. Then it runs as the owner of the data folder, or `nobody`.
 *
 * No account is created: the machine is not ours. `folder` may not exist yet.
 */
export function accountFor(folder: string): Account {
  if (process.getuid?.() !== 0) return null;
  const owner = lstatSync(folder, { throwIfNoEntry: false })?.uid ?? 0;
  return knownAccounts().find(({ uid }) => uid === owner && uid !== 0) ?? unprivilegedAccount();
}

/** An account of the machine other than root: `nobody` if it exists. */
export function unprivilegedAccount(): NonNullable<Account> {
  const accounts = knownAccounts().filter(({ uid }) => uid !== 0);
  const account = accounts.find(({ name }) => name === "nobody") ?? accounts[0];
  if (account) return account;
  throw new StartupProblem(
    "PostgreSQL needs a user other than root, and /etc/passwd has none. Add one, or set DATABASE_URL to your own PostgreSQL.",
  );
}

/** Give the data folder to the account that will use it. Needs root if it changes anything. */
export function changeOwner(account: Account, folder: string): void {
  const owner = lstatSync(folder).uid;
  if (account === null) {
    if (owner === process.getuid?.()) return;
    throw new StartupProblem(
      `The database in ${folder} belongs to another user (uid ${owner}). Run this as that user, or choose another folder with DATA_DIR.`,
    );
  }
  if (owner !== account.uid) chownRecursively(folder, account);
}

function chownRecursively(path: string, account: { uid: number; gid: number }): void {
  if (lstatSync(path).isDirectory()) {
    for (const name of readdirSync(path)) chownRecursively(join(path, name), account);
  }
  lchownSync(path, account.uid, account.gid);
}

function knownAccounts(): { name: string; uid: number; gid: number }[] {
  return readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .filter((fields) => fields.length > 3)
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
