import { base32 } from "@better-auth/utils/base32";
import { createOTP } from "@better-auth/utils/otp";
import { newAuthenticatorApp } from "#access/sign-in/authenticator-app.ts";
import { testPassword } from "#tests/support/passwords.ts";
import type { RunningApp } from "#tests/support/running-app.ts";
import type { Reply, Visitor } from "#tests/support/visitor.ts";

/** The code that an authenticator app shows for a secret given as text: now, or some half minutes later. */
export async function codeOf(secret: string, stepsLater = 0): Promise<string> {
  const step = Math.floor(Date.now() / 30_000) + stepsLater;
  return await createOTP(new TextDecoder().decode(base32.decode(secret))).hotp(step);
}

/** A code that this app shows at no time near now. */
export async function wrongCodeOf(secret: string): Promise<string> {
  const near = await Promise.all([-3, -2, -1, 0, 1, 2, 3].map((later) => codeOf(secret, later)));
  let wrong = 0;
  while (near.includes(String(wrong).padStart(6, "0"))) wrong += 1;
  return String(wrong).padStart(6, "0");
}

/** Give an account an authenticator app with no codes used yet. */
export async function giveAuthenticatorApp(
  { db, secret }: Pick<RunningApp, "db" | "secret">,
  { userId, email }: { userId: number; email: string },
): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { shown, stored } = await newAuthenticatorApp(email, secret);
  await db
    .insertInto("twoFactors")
    .values({ userId, ...stored, verified: true })
    .execute();
  return shown;
}

/** The first step, with the password. */
export const enterPassword = (
  visitor: Visitor,
  email: string,
  password = testPassword,
): Promise<Reply> => visitor.send("POST", "/api/auth/sign-in/email", { email, password });

export const enterCode = (visitor: Visitor, code: string): Promise<Reply> =>
  visitor.send("POST", "/api/auth/two-factor/verify-totp", { code });

export const enterRecoveryCode = (visitor: Visitor, code: string): Promise<Reply> =>
  visitor.send("POST", "/api/auth/two-factor/verify-backup-code", { code });
