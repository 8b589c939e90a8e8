import { sql } from "kysely";
import type { Person } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { invalid, Refusal } from "#kit/contract/refusal.ts";
import type { SecondFactor } from "#access/sign-in/contract.ts";
import {
  countRecoveryCodes,
  newAuthenticatorApp,
  newRecoveryCodes,
  stepOfCode,
} from "#access/sign-in/authenticator-app.ts";
import { lockSignIn } from "#access/sign-in/account-holders.ts";
import {
  type RequestSource,
  mailSignInNotice,
  traceSignIn,
} from "#access/sign-in/sign-in-traces.ts";

/*
 * The actor's own authenticator app. The auth library checks its codes at sign-in, but we write its row: in the
 * transaction of the audit entry, and because the library would ask for the password again in each call, which
 * `needsConfirmation` has already done.
 */

export async function showOwnSecondFactor(
  db: Db,
  actor: Person,
  appSecret: string,
): Promise<SecondFactor> {
  const app = await ownApp(db, actor).where("verified", "=", true).executeTakeFirst();
  if (!app) return { authenticatorAppSince: null, recoveryCodesLeft: 0 };
  return {
    authenticatorAppSince: app.createdAt,
    recoveryCodesLeft: await countRecoveryCodes(app.backupCodes, appSecret),
  };
}

/** Signing in does not change until a code proves that the app has the secret. Throws 409 if there is already an app. */
export async function beginOwnApp(tx: Db, actor: Person, appSecret: string) {
  const { shown, stored } = await newAuthenticatorApp(actor.email, appSecret);
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("twoFactors")
    .values({ userId: actor.userId, ...stored })
    .onConflict((conflict) =>
      conflict
        .column("userId")
        .doUpdateSet({ ...stored, lastUsedStep: null, createdAt: sql<string>`now()` })
        .where("twoFactors.verified", "=", false),
    )
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 1n)
    throw new Refusal(409, "You already have an authenticator app. Remove it first.");
  return shown;
}

/**
 * Signing in takes a code from now on. Every other session of the account ends, because it began without one. Throws
 * 422 for a wrong code, 409 if no app is being set up.
 */
export async function confirmOwnApp(
  tx: Db,
  actor: Person,
  code: string,
  { appSecret, from }: { appSecret: string; from: RequestSource },
): Promise<SecondFactor> {
  await lockSignIn(tx, actor.userId);
  const app = await ownApp(tx, actor).where("verified", "=", false).forUpdate().executeTakeFirst();
  if (!app) throw new Refusal(409, "No authenticator app is being set up. Start again.");
  const step = await stepOfCode(app.secret, code, appSecret);
  if (step === null)
    throw invalid(
      "code",
      "This code is wrong. Enter the one that the app shows now, and check that the phone's clock is right.",
    );
  await tx
    .updateTable("twoFactors")
    .set({ verified: true, lastUsedStep: step, createdAt: sql<string>`now()` })
    .where("networkId", "=", actor.networkId)
    .where("id", "=", app.id)
    .execute();
  await tx
    .deleteFrom("sessions")
    .where("networkId", "=", actor.networkId)
    .where("userId", "=", actor.userId)
    .where("id", "<>", actor.sessionId)
    .execute();
  await traceSignIn(tx, actor, "set up an authenticator app", from);
  await mailSignInNotice(tx, actor, "authenticator app added", from);
  return await showOwnSecondFactor(tx, actor, appSecret);
}

/** Throws 409 if there is none. */
export async function removeOwnApp(
  tx: Db,
  actor: Person,
  { appSecret, from }: { appSecret: string; from: RequestSource },
): Promise<SecondFactor> {
  const removed = await tx
    .deleteFrom("twoFactors")
    .where("networkId", "=", actor.networkId)
    .where("userId", "=", actor.userId)
    .where("verified", "=", true)
    .executeTakeFirst();
  if (removed.numDeletedRows === 0n) throw noApp();
  await traceSignIn(tx, actor, "removed the authenticator app", from);
  await mailSignInNotice(tx, actor, "authenticator app removed", from);
  return await showOwnSecondFactor(tx, actor, appSecret);
}

/** Throws 409 without an authenticator app. */
export async function replaceOwnRecoveryCodes(
  tx: Db,
  actor: Person,
  { appSecret, from }: { appSecret: string; from: RequestSource },
): Promise<{ recoveryCodes: string[] }> {
  const { shown, stored } = await newRecoveryCodes(appSecret);
  const replaced = await tx
    .updateTable("twoFactors")
    .set({ backupCodes: stored })
    .where("networkId", "=", actor.networkId)
    .where("userId", "=", actor.userId)
    .where("verified", "=", true)
    .executeTakeFirst();
  if (replaced.numUpdatedRows === 0n) throw noApp();
  await traceSignIn(tx, actor, "made new recovery codes", from);
  await mailSignInNotice(tx, actor, "recovery codes renewed", from);
  return { recoveryCodes: shown };
}

const noApp = () => new Refusal(409, "You have no authenticator app.");

function ownApp(db: Db, { networkId, userId }: Person) {
  return db
    .selectFrom("twoFactors")
    .select(["id", "secret", "backupCodes", "createdAt"])
    .where("networkId", "=", networkId)
    .where("userId", "=", userId);
}
