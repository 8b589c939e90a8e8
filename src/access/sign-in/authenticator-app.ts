import { timingSafeEqual } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";

/** Loaded on first use, to save memory in processes that never need it. */
const crypto = async () => await import("better-auth/crypto");
const otp = async () => await import("@better-auth/utils/otp");

/** The name of this site in authenticator apps and lists of passkeys. */
export const productName = "Referral Network";

const stepSeconds = 30;

/** The app's clock or the person may be one step late or early, as the auth library also allows. */
const drift = [-1, 0, 1];

const recoveryCodeCount = 10;

/** The part of a new authenticator app that is shown once, and the part that is stored. */
export interface NewAuthenticatorApp {
  shown: { uri: string; secret: string; recoveryCodes: string[] };
  stored: { secret: string; backupCodes: string };
}

/** A secret and recovery codes in the auth library's format and encryption. */
export async function newAuthenticatorApp(
  email: string,
  appSecret: string,
): Promise<NewAuthenticatorApp> {
  const [{ generateRandomString, symmetricEncrypt }, { createOTP }] = [await crypto(), await otp()];
  const secret = generateRandomString(32);
  const uri = createOTP(secret, { period: stepSeconds }).url(productName, email);
  const codes = await newRecoveryCodes(appSecret);
  return {
    shown: {
      uri,
      secret: new URL(uri).searchParams.get("secret") ?? "",
      recoveryCodes: codes.shown,
    },
    stored: {
      secret: await symmetricEncrypt({ key: appSecret, data: secret }),
      backupCodes: codes.stored,
    },
  };
}

/** Only small letters and digits, unlike the library's codes, because people type them from paper. */
export async function newRecoveryCodes(
  appSecret: string,
): Promise<{ shown: string[]; stored: string }> {
  const { generateRandomString, symmetricEncrypt } = await crypto();
  const half = () => generateRandomString(5, "a-z", "0-9");
  const shown = Array.from({ length: recoveryCodeCount }, () => `${half()}-${half()}`);
  const stored = await symmetricEncrypt({ key: appSecret, data: JSON.stringify(shown) });
  return { shown, stored };
}

export async function countRecoveryCodes(stored: string, appSecret: string): Promise<number> {
  const { symmetricDecrypt } = await crypto();
  const codes: unknown = JSON.parse(await symmetricDecrypt({ key: appSecret, data: stored }));
  return Array.isArray(codes) ? codes.length : 0;
}

/** The latest allowed thirty-second step that has this code; null if none has. */
export async function stepOfCode(
  storedSecret: string,
  code: string,
  appSecret: string,
): Promise<number | null> {
  const [{ symmetricDecrypt }, { createOTP }] = [await crypto(), await otp()];
  const secret = await symmetricDecrypt({ key: appSecret, data: storedSecret });
  const present = Math.floor(Date.now() / 1000 / stepSeconds);
  let found: number | null = null;
  for (const late of drift) {
    const expected = Buffer.from(await createOTP(secret).hotp(present + late));
    const given = Buffer.from(code);
    if (given.length === expected.length && timingSafeEqual(given, expected))
      found = present + late;
  }
  return found;
}

/**
 * Use a one-time code of an account's confirmed app. Returns whether it is right and neither it nor a later code was
 * used before. Of two parallel uses, one succeeds.
 */
export async function useCode(
  db: Db,
  { networkId, userId }: { networkId: number; userId: number },
  code: string,
  appSecret: string,
): Promise<boolean> {
  const app = await db
    .selectFrom("twoFactors")
    .select(["id", "secret"])
    .where("networkId", "=", networkId)
    .where("userId", "=", userId)
    .where("verified", "=", true)
    .executeTakeFirst();
  const step = app ? await stepOfCode(app.secret, code, appSecret) : null;
  if (!app || step === null) return false;
  const used = await db
    .updateTable("twoFactors")
    .set({ lastUsedStep: step })
    .where("networkId", "=", networkId)
    .where("id", "=", app.id)
    .where(sql<boolean>`coalesce(last_used_step, -1) < ${step}`)
    .executeTakeFirst();
  return used.numUpdatedRows > 0n;
}
