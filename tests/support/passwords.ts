import type { Db } from "#kit/db/database.ts";
import { hashPassword } from "#access/sign-in/password-hash.ts";
import { givePasswords } from "#main/demo/records/networks.ts";

export const testPassword = "correct horse battery";

let hash: Promise<string> | undefined;

/** Let someone sign in by email and `testPassword`. */
export async function givePassword(db: Db, userId: number): Promise<void> {
  hash ??= hashPassword(testPassword);
  await givePasswords(db, [userId], await hash);
}
