import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { lockSignIn } from "#access/sign-in/account-holders.ts";
import type { CallLibrary, LibraryAnswer } from "#access/sign-in/auth-library.ts";
import type { AuthSettings } from "#access/sign-in/better-auth.ts";
import { completeSignIn, type SignInMethod } from "#access/sign-in/complete-sign-in.ts";
import { knownDevice, rememberDevice } from "#access/sign-in/device-cookie.ts";
import { useCode } from "#access/sign-in/authenticator-app.ts";
import { beginCodeAttempt, settleAttempt } from "#access/sign-in/sign-in-failures.ts";
import { requestSource, traceFailure } from "#access/sign-in/sign-in-traces.ts";
import { queueMail } from "#outgoing/mail/outbox.ts";
import { codesGuessed } from "#outgoing/mail/texts/sign-in.ts";
import { sessionCookieName, tokenOfCookie } from "#kit/http/session.ts";

/** The library's ten-minute cookie for a person who has given the right password and still needs a code. */
const waitingCookieName = (settings: AuthSettings) =>
  sessionCookieName(settings.publicUrl.startsWith("https:")).replace("session_token", "two_factor");

/**
 * The library's answer to a right password when a second factor is needed, without its session cookies: the library has
 * removed the session it made, and the browser's own session stays.
 */
export function waitingAnswer(answer: LibraryAnswer, settings: AuthSettings): LibraryAnswer {
  const name = `${waitingCookieName(settings)}=`;
  return { ...answer, cookies: answer.cookies.filter((line) => line.startsWith(name)) };
}

export interface SecondStep {
  code: string;
  method: Extract<SignInMethod, "authenticator app" | "recovery code">;
}

/**
 * Check the code of a waiting sign-in with the library and count the attempt. The library gets only the waiting
 * sign-in's cookie; with a session it would check the code against that session's account. Wrong codes are committed,
 * because five of them end the sign-in.
 */
export async function takeSecondStep(
  app: FastifyInstance,
  library: CallLibrary,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { code, method }: SecondStep,
  settings: AuthSettings & { rateLimits: boolean },
): Promise<LibraryAnswer> {
  const name = waitingCookieName(settings);
  const value = request.cookies[name];
  const account = await accountOfWaiting(app.db, tokenOfCookie(value, settings.secret));
  const cookie = account && value ? `${name}=${encodeURIComponent(value)}` : "";
  const take = async (tx: Db, given: string) =>
    await library(
      tx,
      request,
      (api, told) =>
        method === "recovery code"
          ? api.verifyBackupCode({ body: { code: given }, ...told })
          : api.verifyTOTP({ body: { code: given }, ...told }),
      cookie,
    );
  if (!account) return await inTransaction(app.db, (tx) => take(tx, code));
  const { email } = account;
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
  const answer = await inTransaction(app.db, async (tx) => {
    await lockSignIn(tx, account.userId);
    // The library accepts used codes, and recovery codes of an unconfirmed app, so it gets a wrong code instead.
    const isUnused =
      method === "recovery code"
        ? account.hasApp
        : await useCode(tx, account, code, settings.secret);
    const answer = await take(tx, isUnused ? code : "");
    const isRight = answer.status < 300;
    if (isRight) await completeSignIn(tx, request, answer, method, settings);
    else await traceFailure(tx, email, "failed to sign in", { ...from, method });
    if (ids) await settleAttempt(tx, { ids, source }, isRight ? "right" : "wrong");
    return answer;
  });
  if (answer.status < 300) await rememberDevice(app.db, { request, reply }, email, settings);
  return answer;
}

/** A person who tries codes knows the password, so warn the owner, once a day. */
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

/** The account of the waiting sign-in, and whether it has a confirmed authenticator app. */
async function accountOfWaiting(db: Db, identifier: string | null) {
  if (!identifier?.startsWith("2fa-")) return undefined; // the library also signs other cookies
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
