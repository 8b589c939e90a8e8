import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/*
 * Argon2id by Node itself, with the least that OWASP's Password Storage Cheat Sheet asks for, written as
 * the PHC string format has it. What the auth library made before (scrypt at N = 2^14) is still verified,
 * and made anew at the next sign-in.
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

/** Whether a password is that of a stored hash. */
export async function verifyPassword(stored: { hash: string; password: string }): Promise<boolean> {
  if (isOutdated(stored.hash)) {
    // Loaded when needed: few processes still meet such a hash.
    const { verifyPassword: verifyScrypt } = await import("better-auth/crypto");
    return await verifyScrypt(stored);
  }
  const [salt = "", hash = ""] = stored.hash.slice(current.length).split("$");
  const expected = Buffer.from(hash, "base64");
  const given = await hashOf(stored.password, Buffer.from(salt, "base64"));
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** Whether a stored hash was made in another way than new ones are. */
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

/** Base64 without padding, as the PHC string format has it. */
const encoded = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "");
