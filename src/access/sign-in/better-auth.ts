import { AsyncLocalStorage } from "node:async_hooks";
import { passkey } from "@better-auth/passkey";
import { betterAuth } from "better-auth";
import { sql } from "kysely";
import { APIError } from "better-auth/api";
import { twoFactor } from "better-auth/plugins/two-factor";
import type { Db } from "#kit/db/database.ts";
import { productName } from "#access/sign-in/authenticator-app.ts";
import { signInPlugin } from "#access/sign-in/sign-in-plugin.ts";
import { cookiePrefix } from "#kit/http/cookie-names.ts";
import { maxSessionDays } from "#kit/http/session.ts";

export interface AuthSettings {
  secret: string;
  publicUrl: string;
}

export type BetterAuth = ReturnType<typeof newBetterAuth>;

/**
 * The auth library on our tables, in the caller's transaction: second factors, passkeys, and sessions in a thirty-day
 * cookie, revoked in the database. Its own routes are not served; our routes check CSRF and limits first, and accounts
 * come from invitations.
 */
export function newBetterAuth(settings: AuthSettings) {
  const isSecure = settings.publicUrl.startsWith("https:");
  const within = new AsyncLocalStorage<Db>();
  const tx = theTransactionOf(within);
  const { api } = betterAuth({
    secret: settings.secret,
    baseURL: settings.publicUrl,
    database: { db: tx, type: "postgres" },
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
      freshAge: 0, // calls that need a fresh proof ask for it themselves (needsConfirmation)
    },
    databaseHooks: {
      session: {
        create: {
          before: async ({ userId }) => {
            await refuseClosedAccount(tx, Number(userId));
          },
        },
      },
    },
    plugins: [
      signInPlugin,
      twoFactor({
        issuer: productName,
        accountLockout: { enabled: false }, // we count, so that a password thief cannot lock the owner out
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
            await notePasskeyUsed(tx, clientData.id);
          },
        },
        schema: { passkey: { modelName: "passkeys", fields: { credentialID: "credentialId" } } },
      }),
    ],
    telemetry: { enabled: false },
    logger: { disabled: true },
    advanced: {
      cookiePrefix: cookiePrefix(isSecure),
      useSecureCookies: false, // its prefix is __Secure-, ours __Host-
      defaultCookieAttributes: { secure: isSecure },
      database: { generateId: "serial", validateSchema: false },
    },
  });
  return { api, within };
}

/** The library keeps one database object; this proxy always leads to the current call's transaction. */
function theTransactionOf(within: AsyncLocalStorage<Db>): Db {
  return new Proxy({} as Db, {
    get(_, name) {
      const tx = within.getStore();
      if (!tx) throw new Error("the auth library was called outside a transaction");
      const value: unknown = Reflect.get(tx, name);
      return typeof value === "function" ? value.bind(tx) : value;
    },
  });
}

/** A passkey replaces password and second factor, so its holder must be verified by a PIN, finger or face. */
function refuseUnverified(isVerified: boolean | undefined): undefined {
  if (!isVerified) throw new APIError("UNAUTHORIZED", { message: "user verification is missing" });
}

/** Waits for a parallel removal of the passkey, and then refuses it. */
async function notePasskeyUsed(db: Db, credentialId: string): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable("passkeys")
    .set({ lastUsedAt: sql<string>`now()` })
    .where("credentialId", "=", credentialId)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new APIError("UNAUTHORIZED", { message: "it was removed" });
}

/** Called only after the person has proved who they are. A parallel departure waits, then ends the session. */
async function refuseClosedAccount(tx: Db, userId: number): Promise<void> {
  const { networkId, attorneyId, networkName } = await tx
    .selectFrom("users as u")
    .innerJoin("networks as n", "n.id", "u.networkId")
    .select(["u.networkId", "u.attorneyId", "n.name as networkName"])
    .where("u.id", "=", userId)
    .executeTakeFirstOrThrow();
  const attorney = await tx
    .selectFrom("attorneys")
    .select("leftOn")
    .where("networkId", "=", networkId)
    .where("id", "=", attorneyId)
    .forShare()
    .executeTakeFirst();
  if (attorney?.leftOn)
    throw new APIError("FORBIDDEN", {
      message: `Your account is closed because you have left the panel of ${networkName}. If this is wrong, contact them.`,
    });
}
