import type { FastifyInstance, FastifyRequest } from "fastify";
import { csrfRefusal, decodeInput, refuseTokens } from "#kit/http/serve.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { accountOfPassword, lockVerifiedAccount } from "#access/sign-in/accounts.ts";
import { authLibrary, relay } from "#access/sign-in/auth-library.ts";
import type { AuthSettings } from "#access/sign-in/better-auth.ts";
import { completeSignIn, newSessionToken } from "#access/sign-in/complete-sign-in.ts";
import * as contract from "#access/sign-in/contract.ts";
import { passkeyRoutes } from "#access/sign-in/passkey-routes.ts";
import { knownDevice, rememberDevice } from "#access/sign-in/device-cookie.ts";
import { takeSecondStep, waitingAnswer } from "#access/sign-in/second-step.ts";
import { beginPasswordAttempt, settleAttempt } from "#access/sign-in/sign-in-failures.ts";
import { requestSource, traceFailure, recordSignInEvent } from "#access/sign-in/sign-in-events.ts";

/** Signing in and out answer in the auth library's own shapes. Its other calls are not served. */
export function signInRoutes(
  app: FastifyInstance,
  settings: AuthSettings & { rateLimits: boolean },
): void {
  const library = authLibrary(settings);
  const onRequest = async (request: FastifyRequest) => {
    refuseTokens({ allow: "anyone" }, request);
    if (!request.hasCsrfToken) throw csrfRefusal();
  };
  const steps = [
    { endpoint: contract.verifyCode, method: "authenticator app" },
    { endpoint: contract.verifyRecoveryCode, method: "recovery code" },
  ] as const;

  passkeyRoutes(app, library, settings);

  for (const endpoint of [contract.signIn, contract.signOut, ...steps.map((one) => one.endpoint)])
    app.endpoints.push({ endpoint, allow: "anyone", isBare: true });

  app.post(contract.signIn.path, { onRequest }, async (request, reply) => {
    const { data: given } = contract.signIn.body.safeParse(request.body);
    if (!given) return reply.status(400).send(notUnderstood);
    const { email } = given;
    const device = await knownDevice(app.db, request, email, settings);
    const source = { address: request.ip, email, device };
    const from = requestSource(request);
    const ids = settings.rateLimits ? await beginPasswordAttempt(app.db, source, from) : null;
    const proved = await accountOfPassword(app.db, given);
    if (ids) await settleAttempt(app.db, { ids, source }, proved ? "no attempt" : "wrong");
    if (!proved) {
      await traceFailure(app.db, email, "failed to sign in", from);
      return reply.status(401).send(wrongPassword);
    }
    const answer = await inTransaction(app.db, async (tx) => {
      await lockVerifiedAccount(tx, proved);
      const answer = await library(tx, request, (api, told) =>
        api.signInEmail({ body: { userId: String(proved.userId) }, ...told }),
      );
      if (answer.status >= 300) return answer;
      if ((await completeSignIn(tx, request, answer, "password", settings)) === null)
        return waitingAnswer(answer, settings);
      // A right password that still needs a second factor deletes no failures.
      if (ids) await settleAttempt(tx, { ids, source }, "right");
      return answer;
    });
    if (newSessionToken(answer, settings) !== null)
      await rememberDevice(app.db, { request, reply }, email, settings);
    return relay(answer, reply);
  });

  for (const { endpoint, method } of steps)
    app.post(endpoint.path, { onRequest }, async (request, reply) => {
      const { code } = decodeInput(endpoint.body, request.body);
      const step = { code, method };
      return relay(await takeSecondStep(app, library, { request, reply }, step, settings), reply);
    });

  app.post(contract.signOut.path, { onRequest }, async (request, reply) => {
    const answer = await inTransaction(app.db, async (tx) => {
      const answer = await library(tx, request, (api, told) => api.signOut(told));
      if (request.actor && request.actor.userId !== null)
        await recordSignInEvent(tx, request.actor, "signed out", requestSource(request));
      return answer;
    });
    // Also clears pages cached for the back button. Not "storage", which holds screen preferences.
    return relay(answer, reply.header("Clear-Site-Data", '"cache"'));
  });
}

/* The auth library's own answers. */
const notUnderstood = { code: "VALIDATION_ERROR", message: "Invalid email or password" };
const wrongPassword = { code: "INVALID_EMAIL_OR_PASSWORD", message: "Invalid email or password" };
