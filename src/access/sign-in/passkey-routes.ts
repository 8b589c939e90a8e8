import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { invalid, Refusal } from "#kit/contract/refusal.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import {
  type CallLibrary,
  type LibraryAnswer,
  setLibraryCookies,
} from "#access/sign-in/auth-library.ts";
import type { AuthSettings } from "#access/sign-in/better-auth.ts";
import { completeSignIn, newSessionToken } from "#access/sign-in/complete-sign-in.ts";
import { confirmSession } from "#access/sign-in/confirmation.ts";
import * as contract from "#access/sign-in/contract.ts";
import { rememberDevice } from "#access/sign-in/device-cookie.ts";
import * as passkeys from "#access/sign-in/passkeys.ts";
import { beginPasskeyAttempt } from "#access/sign-in/sign-in-failures.ts";
import { requestSource } from "#access/sign-in/sign-in-events.ts";
import { serve } from "#kit/http/serve.ts";

/** Manage passkeys, sign in with them and confirm who one is. */
export function passkeyRoutes(
  app: FastifyInstance,
  library: CallLibrary,
  settings: AuthSettings & { rateLimits: boolean },
): void {
  const own = { allow: "signed-in", inPerson: true } as const;
  const confirmed = { ...own, needsConfirmation: true } as const;
  const anyones = { allow: "anyone", ownTransactions: true } as const;

  serve(app, contract.listPasskeys, own, ({ tx, actor }) => passkeys.listOwnPasskeys(tx, actor));
  serve(app, contract.startPasskey, confirmed, async ({ tx, actor, request, reply }) => {
    await passkeys.refuseTooManyPasskeys(tx, actor);
    const answer = await library(tx, request, (api, told) =>
      api.generatePasskeyRegistrationOptions(told),
    );
    return optionsIn(answer, reply);
  });
  serve(app, contract.addPasskey, confirmed, async ({ tx, actor, body, request }) => {
    await passkeys.refuseTooManyPasskeys(tx, actor);
    const answer = await library(tx, request, (api, told) =>
      api.verifyPasskeyRegistration({ body, ...told }),
    );
    if (answer.status >= 300)
      throw invalid("response", "The passkey could not be added. Try again.");
    const { id } = Added.parse(answer.object);
    await passkeys.noteNewPasskey(tx, actor, body.name, requestSource(request));
    return await passkeys.showPasskey(tx, actor, id);
  });
  serve(app, contract.renamePasskey, own, ({ tx, actor, params, body }) =>
    passkeys.renameOwnPasskey(tx, actor, params.id, body.name),
  );
  serve(app, contract.removePasskey, confirmed, ({ tx, actor, params, request }) =>
    passkeys.removeOwnPasskey(tx, actor, params.id, requestSource(request)),
  );

  const signInOptions = async (tx: Db, { request, reply }: RequestAndReply) => {
    const answer = await library(tx, request, (api, told) =>
      api.generatePasskeyAuthenticationOptions(told),
    );
    // The holder must prove it with a finger, face or PIN, because a passkey counts as two factors.
    return { ...optionsIn(answer, reply), userVerification: "required" };
  };
  const verify = async (tx: Db, request: FastifyRequest, response: object) =>
    await library(tx, request, (api, told) =>
      api.verifyPasskeyAuthentication({ body: { response: response as never }, ...told }),
    );

  serve(app, contract.startPasskeySignIn, anyones, async ({ tx, request, reply }) => {
    if (settings.rateLimits) await beginPasskeyAttempt(tx, request.ip);
    return await inTransaction(tx, (asking) => signInOptions(asking, { request, reply }));
  });
  serve(app, contract.signInByPasskey, anyones, async ({ tx: db, body, request, reply }) => {
    // Committed also if the passkey is refused, so that each challenge is used once.
    const { answer, email } = await inTransaction(db, async (tx) => {
      const answer = await verify(tx, request, body.response);
      const email = await completeSignIn(tx, request, answer, "passkey", settings);
      return { answer, email };
    });
    refuseUnlessVerified(answer);
    if (email !== null) await rememberDevice(db, { request, reply }, email, settings);
    setLibraryCookies(answer, reply);
    return { signedIn: true as const };
  });

  serve(app, contract.startPasskeyConfirmation, own, ({ tx, request, reply }) =>
    signInOptions(tx, { request, reply }),
  );
  serve(app, contract.confirmByPasskey, own, async ({ tx, actor, body, request }) => {
    const answer = await verify(tx, request, body.response);
    refuseUnlessVerified(answer);
    // The library proves it with a new session. Delete that and confirm the current one.
    const proof = await tx
      .deleteFrom("sessions")
      .where("token", "=", newSessionToken(answer, settings))
      .returning("userId")
      .executeTakeFirst();
    if (proof?.userId !== actor.userId) throw notProved();
    return await confirmSession(tx, actor);
  });
}

interface RequestAndReply {
  request: FastifyRequest;
  reply: FastifyReply;
}

const Added = z.object({ id: z.coerce.number() });

const Options = z.record(z.string(), z.unknown());

function optionsIn(answer: LibraryAnswer, reply: FastifyReply): Record<string, unknown> {
  if (answer.status >= 300)
    throw new Error(`the auth library answered ${answer.status}: ${JSON.stringify(answer.object)}`);
  setLibraryCookies(answer, reply);
  return Options.parse(answer.object);
}

const Refused = z.object({ message: z.string() });

/** Throws 422 for a passkey that is unknown or not verified, 403 for a closed account. */
function refuseUnlessVerified({ status, object }: LibraryAnswer): void {
  if (status < 300) return;
  const { data } = Refused.safeParse(object);
  throw status === 403 && data ? new Refusal(403, data.message) : notProved();
}

/** Not 401, which would send the page to sign-in, and this may be the sign-in page. */
const notProved = () =>
  invalid("response", "This passkey was not accepted. Try again, or use your password.");
