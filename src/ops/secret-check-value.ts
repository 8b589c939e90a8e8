import { seal, Unreadable, unseal } from "#ops/encryption.ts";

/*
 * A text that tells one APP_SECRET from another: sealed under it once and kept in the database, it
 * opens under no other (`installation.sealed_probe`).
 */

const owner = "the secret of this database";
const version = 1;

export function sealProbe(secret: string): string {
  return seal("opens", owner, secret, version);
}

export function opensProbe(probe: string, secret: string): boolean {
  try {
    unseal(probe, owner, secret, version);
    return true;
  } catch (problem) {
    if (problem instanceof Unreadable) return false;
    throw problem;
  }
}
