import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Db } from "#db/database.ts";
import type { CallLibrary, LibraryAnswer } from "#features/auth/auth-library.ts";
import type { AuthSettings } from "#features/auth/better-auth.ts";
import { completeSignIn, type SignInMethod } from "#features/auth/complete-sign-in.ts";
import { knownDevice } from "#features/auth/device-cookie.ts";
import { useCode } from "#features/auth/one-time-codes.ts";
import { beginCodeAttempt, settleAttempt } from "#features/auth/sign-in-failures.ts";
import { signInStandingOf } from "#features/auth/sign-in-standing.ts";
import { requestSource, traceFailure } from "#features/auth/sign-in-traces.ts";
import { queueMail } from "#features/mail/outbox.ts";
import { codesGuessed } from "#features/mail/templates.ts";
import { sessionCookieName, tokenOfCookie } from "#http/session.ts";

/** By which the library knows, for ten minutes, who has given the right password and owes a code. */
const waitingCookieName = (settings: AuthSettings) =>
  sessionCookieName(settings.publicUrl.startsWith("https:")).replace("session_token", "two_factor");

/**
 * The library's answer to a right password where a second factor is still to come, without what it says
 * of the session: the one that it has made and removed is none, and the browser's own goes on.
 */
export function waitingAnswer(answer: LibraryAnswer, settings: AuthSettings): LibraryAnswer {
  const name = `${waitingCookieName(settings)}=`;
  return { ...answer, cookies: answer.cookies.filter((line) => line.startsWith(name)) };
}

export interface SecondStep {
  /** The library's. */
  path: string;
  code: string;
  method: Extract<SignInMethod, "authenticator app" | "recovery code">;
}

/**
 * Give the code that a sign-in waits for to the library, as an attempt that is counted. It sees nothing
 * but the cookie of the sign-in that waits: with a session it would take the code for that account's.
 */
export async function takeSecondStep(
  app: FastifyInstance,
  library: CallLibrary,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { path, code, method }: SecondStep,
  settings: AuthSettings & { rateLimits: boolean },
): Promise<LibraryAnswer> {
  const name = waitingCookieName(settings);
  const value = request.cookies[name];
  const account = await accountOfWaiting(app.db, tokenOfCookie(value, settings.secret));
  if (!account || value === undefined)
    return await library(request, { path, body: { code }, cookie: "" });
  const cookie = `${name}=${encodeURIComponent(value)}`;
  const { email } = account;
  const before = await signInStandingOf(app.db, account);
  const device = await knownDevice(app.db, request, email, settings);
  const source = { address: request.ip, email, device };
  const from = requestSource(request);
  const ids = settings.rateLimits
    ? await beginCodeAttempt(app.db, source).catch(async (refusal: unknown) => {
        await warnOfGuesses(app.db, account, app.now().toString().slice(0, 10));
        await traceFailure(app.db, email, "was locked out", from);
        throw refusal;
      })
    : null;
  const isUnused =
    method === "recovery code" // which the library itself takes once
      ? account.hasApp
      : await useCode(app.db, account, code, settings.secret);
  // A wrong one in its place: the library ends a sign-in after five.
  const answer = await library(request, { path, body: { code: isUnused ? code : "" }, cookie });
  const isRight = answer.status < 300;
  if (ids) await settleAttempt(app.db, { ids, source }, isRight ? "right" : "wrong");
  if (!isRight) await traceFailure(app.db, email, "failed to sign in", { ...from, method });
  if (isRight) await completeSignIn(app, { request, reply }, answer, { method, before }, settings);
  return answer;
}

/** Who tries codes has the password: its owner must know, once a day. */
async function warnOfGuesses(
  db: Db,
  {
    networkId,
    userId,
    name,
    email,
  }: { networkId: number; userId: number; name: string; email: string },
  day: string,
): Promise<void> {
  await queueMail(db, {
    networkId,
    userId,
    occasion: `codes guessed:${userId}:${day}`,
    recipient: email,
    pagePath: "/sign-in/link",
    ...codesGuessed({ name }),
  });
}

/** Whose sign-in waits under this identifier, and whether that account has a confirmed authenticator app. */
async function accountOfWaiting(db: Db, identifier: string | null) {
  if (!identifier?.startsWith("2fa-")) return undefined; // the library signs other things, too
  const waiting = await db
    .selectFrom("verifications")
    .select("value")
    .where("identifier", "=", identifier)
    .executeTakeFirst();
  if (!waiting) return undefined;
  return await db
    .selectFrom("users as u")
    .leftJoin("twoFactors as f", (on) =>
      on
        .onRef("f.networkId", "=", "u.networkId")
        .onRef("f.userId", "=", "u.id")
        .on("f.verified", "=", true),
    )
    .select(["u.networkId", "u.id as userId", "u.name", "u.email"])
    .select((of) => of("f.id", "is not", null).as("hasApp"))
    .where("u.id", "=", Number(waiting.value))
    .executeTakeFirst();
}
