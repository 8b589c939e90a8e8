import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "#contract/refusal.ts";
import type { LibraryAnswer } from "#features/auth/auth-library.ts";
import type { AuthSettings } from "#features/auth/better-auth.ts";
import { knownDevice, rememberDevice } from "#features/auth/device-cookie.ts";
import {
  endWaitingSignIns,
  lockSignIn,
  type SignInStanding,
  standsAsBefore,
} from "#features/auth/sign-in-standing.ts";
import { mailSignInNotice, requestSource, traceSignIn } from "#features/auth/sign-in-traces.ts";
import type { Db } from "#db/database.ts";
import { inTransaction } from "#db/transaction.ts";
import { endOldestSessions, sessionCookieName, tokenOfCookie } from "#http/session.ts";

/** With what somebody has signed in. */
export type SignInMethod = "password" | "authenticator app" | "recovery code" | "passkey";

/**
 * What every way of signing in ends with, once the library has made a session: the browser's previous
 * session ends, the new one knows its address, the sign-in leaves its trace, and the browser is known
 * for the account from now on. Answers false where the library made no session, as while a second
 * factor is still to come. Throws 403 where that has ended already, and where the account does not stand as
 * it did `before` the library was asked: by another password, nobody is signed in with the old one.
 */
export async function completeSignIn(
  app: FastifyInstance,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  answer: LibraryAnswer,
  { method, before }: { method: SignInMethod; before: SignInStanding | null },
  settings: AuthSettings,
): Promise<boolean> {
  const token = newSessionToken(answer, settings);
  if (token === null) {
    if (before) await endUnlessAsBefore(app.db, before, endWaitingSignIns);
    return false;
  }
  const from = requestSource(request);
  if (before)
    await endUnlessAsBefore(app.db, before, async (tx) => {
      await tx.deleteFrom("sessions").where("token", "=", token).execute();
    });
  const email = await inTransaction(app.db, async (tx) => {
    const owner = await tx
      .selectFrom("sessions as s")
      .innerJoin("users as u", "u.id", "s.userId")
      .select(["u.id as userId", "u.networkId", "u.name", "u.email"])
      .where("s.token", "=", token)
      .executeTakeFirst();
    if (!owner) throw endedAlready();
    const { userId, networkId, name, email } = owner;
    await tx
      .updateTable("sessions")
      .set({ ipAddress: request.ip })
      .where("token", "=", token)
      .execute();
    if (request.sessionToken !== null && request.sessionToken !== token)
      await tx.deleteFrom("sessions").where("token", "=", request.sessionToken).execute();
    await endOldestSessions(tx, userId);
    const account = { networkId, userId, name };
    await traceSignIn(tx, account, "signed in", from, { method });
    if (!(await knownDevice(tx, request, email, settings)))
      await mailSignInNotice(tx, { ...account, email }, "new device", from);
    if (method === "recovery code")
      await mailSignInNotice(tx, { ...account, email }, "recovery code used", from);
    return email;
  });
  await rememberDevice(app.db, { request, reply }, email, settings);
  return true;
}

/** Nobody holds the account's row any longer than this takes: what changes afterwards ends the session itself. */
async function endUnlessAsBefore(
  db: Db,
  before: SignInStanding,
  end: (tx: Db, userId: number) => Promise<void>,
): Promise<void> {
  const isEnded = await inTransaction(db, async (tx) => {
    await lockSignIn(tx, before.userId);
    if (await standsAsBefore(tx, before)) return false;
    await end(tx, before.userId);
    return true;
  });
  if (isEnded) throw endedAlready();
}

/** By another password, or by leaving, in this very moment. */
const endedAlready = () =>
  new Refusal(403, "Your account was changed while you were signing in. Sign in again.");

/** The token of the session that the library's answer begins; null where it begins none. */
export function newSessionToken({ cookies }: LibraryAnswer, settings: AuthSettings): string | null {
  const name = `${sessionCookieName(settings.publicUrl.startsWith("https:"))}=`;
  const cookie = cookies.findLast((line) => line.startsWith(name)); // an earlier one may be withdrawn
  const value = cookie?.slice(name.length).split(";")[0];
  return tokenOfCookie(value && decodeURIComponent(value), settings.secret);
}
