import type { FastifyRequest } from "fastify";
import type { Db } from "#kit/db/database.ts";
import type { LibraryAnswer } from "#access/sign-in/auth-library.ts";
import type { AuthSettings } from "#access/sign-in/better-auth.ts";
import { knownDevice } from "#access/sign-in/device-cookie.ts";
import {
  mailSignInNotice,
  requestSource,
  recordSignInEvent,
} from "#access/sign-in/sign-in-events.ts";
import { endOldestSessions, sessionCookieName, tokenOfCookie } from "#kit/http/session.ts";

export type SignInMethod = "password" | "authenticator app" | "recovery code" | "passkey";

/**
 * The last step of every way to sign in, in the transaction that made the session: store the address, end the browser's
 * previous session and record the sign-in. Returns the account's email address, or null if there is no session yet
 * because a second factor is missing.
 */
export async function completeSignIn(
  tx: Db,
  request: FastifyRequest,
  answer: LibraryAnswer,
  method: SignInMethod,
  settings: AuthSettings,
): Promise<string | null> {
  const token = newSessionToken(answer, settings);
  if (token === null) return null;
  const from = requestSource(request);
  const account = await tx
    .selectFrom("sessions as s")
    .innerJoin("users as u", "u.id", "s.userId")
    .select(["u.id as userId", "u.networkId", "u.name", "u.email"])
    .where("s.token", "=", token)
    .executeTakeFirstOrThrow();
  await tx
    .updateTable("sessions")
    .set({ ipAddress: request.ip })
    .where("token", "=", token)
    .execute();
  if (request.sessionToken !== null && request.sessionToken !== token)
    await tx.deleteFrom("sessions").where("token", "=", request.sessionToken).execute();
  await endOldestSessions(tx, account.userId);
  await recordSignInEvent(tx, account, "signed in", from, { method });
  if (!(await knownDevice(tx, request, account.email, settings)))
    await mailSignInNotice(tx, account, "new device", from);
  if (method === "recovery code") await mailSignInNotice(tx, account, "recovery code used", from);
  return account.email;
}

/** The token of the session that the library's answer starts; null if it starts none. */
export function newSessionToken({ cookies }: LibraryAnswer, settings: AuthSettings): string | null {
  const name = `${sessionCookieName(settings.publicUrl.startsWith("https:"))}=`;
  const cookie = cookies.findLast((line) => line.startsWith(name)); // an earlier line may delete the cookie
  const value = cookie?.slice(name.length).split(";")[0];
  return tokenOfCookie(value && decodeURIComponent(value), settings.secret);
}
