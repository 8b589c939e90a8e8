import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/*
 * Argon2id from Node, with the minimum parameters of OWASP's Password Storage Cheat Sheet, in PHC string format. Older
 * hashes of the auth library (scrypt, N = 2^14) are still accepted and replaced at the next sign-in.
 */

const memoryKiB = 19_456;
const passes = 2;
const parallelism = 1;
const hashBytes = 32;

const current = `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$`;

const derive = promisify(argon2);

/** The hash to store for a password. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await hashOf(password, salt);
  return `${current}${encoded(salt)}$${encoded(hash)}`;
}

/** Whether a password matches a stored hash. */
export async function verifyPassword(stored: { hash: string; password: string }): Promise<boolean> {
  if (isOutdated(stored.hash)) {
    // Loaded when needed, because few processes still see such a hash.
    const { verifyPassword: verifyScrypt } = await import("better-auth/crypto");
    return await verifyScrypt(stored);
  }
  const [salt = "", hash = ""] = stored.hash.slice(current.length).split("$");
  const expected = Buffer.from(hash, "base64");
  const given = await hashOf(stored.password, Buffer.from(salt, "base64"));
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** Whether a stored hash uses an older method or parameters. */
export const isOutdated = (hash: string): boolean => !hash.startsWith(current);

async function hashOf(password: string, salt: Buffer): Promise<Buffer> {
  return await derive("argon2id", {
    message: password,
    nonce: salt,
    memory: memoryKiB,
    passes,
    parallelism,
    tagLength: hashBytes,
  });
}

/** Base64 without padding, as in PHC strings. */
const encoded = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "");
