import type { FastifyInstance, FastifyRequest } from "fastify";
import { csrfRefusal, decodeInput, refuseTokens } from "#http/serve.ts";
import { renewHash } from "#features/auth/accounts.ts";
import { authLibrary, relay } from "#features/auth/auth-library.ts";
import type { AuthSettings } from "#features/auth/better-auth.ts";
import { completeSignIn } from "#features/auth/complete-sign-in.ts";
import * as contract from "#features/auth/contract.ts";
import { passkeyRoutes } from "#features/auth/passkey-routes.ts";
import { knownDevice } from "#features/auth/device-cookie.ts";
import { takeSecondStep, waitingAnswer } from "#features/auth/second-step.ts";
import { beginPasswordAttempt, settleAttempt } from "#features/auth/sign-in-failures.ts";
import { signInStandingOf } from "#features/auth/sign-in-standing.ts";
import { requestSource, traceFailure, traceSignIn } from "#features/auth/sign-in-traces.ts";

/** Signing in and out answer in the auth library's own shapes; nothing else of it is reachable. */
export function signInRoutes(
  app: FastifyInstance,
  settings: AuthSettings & { rateLimits: boolean },
): void {
  const library = authLibrary(app, settings);
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
    const given = contract.signIn.body.safeParse(request.body);
    const email = given.success ? given.data.email : "";
    const device = await knownDevice(app.db, request, email, settings);
    const source = { address: request.ip, email, device };
    const from = requestSource(request);
    const ids = settings.rateLimits ? await beginPasswordAttempt(app.db, source, from) : null;
    const before = await signInStandingOf(app.db, { email });
    const { path } = contract.signIn;
    const answer = await library(request, { path, body: { ...given.data, email } });
    const isRight = answer.status < 300;
    if (isRight && given.success) await renewHash(app.db, email, given.data.password);
    // A right password where a second factor is still to come begins no session, and forgets no failure.
    const how = { method: "password", before } as const;
    const isWaiting =
      isRight && !(await completeSignIn(app, { request, reply }, answer, how, settings));
    const outcome = isWaiting ? "no attempt" : outcomeOf(answer.status);
    if (ids) await settleAttempt(app.db, { ids, source }, outcome);
    if (outcome === "wrong") await traceFailure(app.db, email, "failed to sign in", from);
    return relay(isWaiting ? waitingAnswer(answer, settings) : answer, reply);
  });

  for (const { endpoint, method } of steps)
    app.post(endpoint.path, { onRequest }, async (request, reply) => {
      const { code } = decodeInput(endpoint.body, request.body);
      const step = { path: endpoint.path, code, method };
      return relay(await takeSecondStep(app, library, { request, reply }, step, settings), reply);
    });

  app.post(contract.signOut.path, { onRequest }, async (request, reply) => {
    const answer = await library(request, { path: contract.signOut.path });
    if (request.actor && request.actor.userId !== null)
      await traceSignIn(app.db, request.actor, "signed out", requestSource(request));
    // Pages that the browser keeps for its back button, too. Not "storage": how somebody likes the screens.
    return relay(answer, reply.header("Clear-Site-Data", '"cache"'));
  });
}

const outcomeOf = (status: number) =>
  status < 300 ? "right" : status === 401 ? "wrong" : "no attempt";
