import { passkey } from "@better-auth/passkey";
import { betterAuth } from "better-auth";
import { sql } from "kysely";
import { APIError } from "better-auth/api";
import { twoFactor } from "better-auth/plugins/two-factor";
import { violatedConstraint } from "#contract/refusal.ts";
import type { Db } from "#db/database.ts";
import { productName } from "#features/auth/one-time-codes.ts";
import { hashPassword, verifyPassword } from "#features/auth/password-hash.ts";
import { signInAnyAddress } from "#features/auth/sign-in-any-address.ts";
import { cookiePrefix } from "#http/cookie-names.ts";
import { maxSessionDays } from "#http/session.ts";

export interface AuthSettings {
  secret: string;
  publicUrl: string;
  origins: string[];
}

export type BetterAuth = ReturnType<typeof newBetterAuth>;

/**
 * The auth library on our tables: email and password, sessions in a cookie that lasts thirty days
 * and is revoked in the database. Signing up is closed: accounts come from invitations. CSRF is
 * checked by our own token on every call (published interface), so the library's check is off.
 */
export function newBetterAuth(db: Db, settings: AuthSettings) {
  const isSecure = settings.publicUrl.startsWith("https:");
  return betterAuth({
    secret: settings.secret,
    baseURL: settings.publicUrl,
    basePath: "/api/auth",
    trustedOrigins: settings.origins,
    database: { db, type: "postgres" },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      autoSignIn: false,
      password: { hash: hashPassword, verify: verifyPassword },
    },
    user: {
      modelName: "users",
      additionalFields: {
        networkId: { type: "number", required: true, input: false, returned: false },
        role: { type: "string", required: true, input: false },
      },
    },
    account: { modelName: "accounts" },
    verification: { modelName: "verifications" },
    session: {
      modelName: "sessions",
      expiresIn: maxSessionDays * 24 * 60 * 60,
      disableSessionRefresh: true,
      cookieCache: { enabled: false },
      freshAge: 0, // what needs a fresh proof asks for it by itself (needsConfirmation)
    },
    databaseHooks: {
      session: {
        create: {
          before: async ({ userId }) => {
            await refuseShutAccount(db, Number(userId));
          },
        },
      },
    },
    plugins: [
      signInAnyAddress,
      twoFactor({
        issuer: productName,
        accountLockout: { enabled: false }, // we count: whoever knows the password must not lock its owner out
        schema: {
          twoFactor: { modelName: "twoFactors", fields: { lockedUntil: "lockExpiresAt" } },
        },
      }),
      passkey({
        rpName: productName,
        origin: new URL(settings.publicUrl).origin,
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        registration: {
          afterVerification: async ({ verification }) =>
            refuseUnverified(verification.registrationInfo?.userVerified),
        },
        authentication: {
          afterVerification: async ({ verification, clientData }) => {
            refuseUnverified(verification.authenticationInfo.userVerified);
            await notePasskeyUsed(db, clientData.id);
          },
        },
        schema: { passkey: { modelName: "passkeys", fields: { credentialID: "credentialId" } } },
      }),
    ],
    onAPIError: { onError: refuseInWords },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    advanced: {
      cookiePrefix: cookiePrefix(isSecure),
      useSecureCookies: false, // its prefix is __Secure-, ours __Host-
      defaultCookieAttributes: { secure: isSecure },
      disableCSRFCheck: true,
      database: { generateId: "serial" },
    },
  });
}

/** A passkey stands for password and second factor, so whoever holds it must have shown that it is theirs. */
function refuseUnverified(isVerified: boolean | undefined): undefined {
  if (!isVerified) throw new APIError("UNAUTHORIZED", { message: "user verification is missing" });
}

async function notePasskeyUsed(db: Db, credentialId: string): Promise<void> {
  await db
    .updateTable("passkeys")
    .set({ lastUsedAt: sql<string>`now()` })
    .where("credentialId", "=", credentialId)
    .execute();
}

/** The database refuses the session of who has left, or was removed, after `refuseShutAccount` looked. */
function refuseInWords(problem: unknown): void {
  const constraints = ["sessions_of_departed", "sessions_network_id_user_id_fkey"] as const;
  const violated = violatedConstraint(problem, constraints);
  if (violated === "sessions_of_departed")
    throw new APIError("FORBIDDEN", {
      message:
        "Your account is shut, because you have left the panel. Ask your referral service if you think that this is wrong.",
    });
  if (violated !== undefined)
    throw new APIError("FORBIDDEN", { message: "Your account was removed meanwhile." });
}

/** Said only to who knows the password. */
async function refuseShutAccount(db: Db, userId: number): Promise<void> {
  const departed = await db
    .selectFrom("users as u")
    .innerJoin("attorneys as a", (on) =>
      on.onRef("a.networkId", "=", "u.networkId").onRef("a.id", "=", "u.attorneyId"),
    )
    .innerJoin("networks as n", "n.id", "u.networkId")
    .select("n.name as networkName")
    .where("u.id", "=", userId)
    .where("a.leftOn", "is not", null)
    .executeTakeFirst();
  if (departed)
    throw new APIError("FORBIDDEN", {
      message: `Your account is shut, because you have left the panel of ${departed.networkName}. Ask them if you think that this is wrong.`,
    });
}
