import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { invalid, Refusal } from "#contract/refusal.ts";
import { inTransaction } from "#db/transaction.ts";
import { type CallLibrary, type LibraryAnswer, passCookies } from "#features/auth/auth-library.ts";
import type { AuthSettings } from "#features/auth/better-auth.ts";
import { completeSignIn, newSessionToken } from "#features/auth/complete-sign-in.ts";
import { confirmSession } from "#features/auth/confirmation.ts";
import * as contract from "#features/auth/contract.ts";
import * as passkeys from "#features/auth/passkeys.ts";
import { beginPasskeyAttempt } from "#features/auth/sign-in-failures.ts";
import { requestSource } from "#features/auth/sign-in-traces.ts";
import { serve } from "#http/serve.ts";

const libraryPath = "/api/auth/passkey";

/** Passkeys: with what one signs in, proves again who one is, and which ones one has. */
export function passkeyRoutes(
  app: FastifyInstance,
  library: CallLibrary,
  settings: AuthSettings & { rateLimits: boolean },
): void {
  const own = { allow: "signed-in", inPerson: true } as const;
  const confirmed = { ...own, needsConfirmation: true } as const;
  // The library has connections of its own: one of ours would be held while it waits for one.
  const withLibrary = { ownTransactions: true } as const;
  const anyones = { allow: "anyone", ...withLibrary } as const;

  serve(app, contract.listPasskeys, own, ({ tx, actor }) => passkeys.listOwnPasskeys(tx, actor));
  serve(
    app,
    contract.startPasskey,
    { ...confirmed, ...withLibrary },
    async ({ tx, actor, request, reply }) => {
      await passkeys.refuseTooManyPasskeys(tx, actor);
      return await optionsOf(library, "generate-register-options", { request, reply });
    },
  );
  serve(
    app,
    contract.addPasskey,
    { ...confirmed, ...withLibrary },
    async ({ tx, actor, body, request }) => {
      await passkeys.refuseTooManyPasskeys(tx, actor);
      const answer = await library(request, { path: `${libraryPath}/verify-registration`, body });
      if (answer.status >= 300)
        throw invalid("response", "The passkey could not be added. Try again.");
      const { id } = Added.parse(JSON.parse(answer.text));
      await inTransaction(tx, (noting) =>
        passkeys.noteNewPasskey(noting, actor, body.name, requestSource(request)),
      );
      return await passkeys.showPasskey(tx, actor, id);
    },
  );
  serve(app, contract.renamePasskey, own, ({ tx, actor, params, body }) =>
    passkeys.renameOwnPasskey(tx, actor, params.id, body.name),
  );
  serve(app, contract.removePasskey, confirmed, ({ tx, actor, params, request }) =>
    passkeys.removeOwnPasskey(tx, actor, params.id, requestSource(request)),
  );

  serve(app, contract.startPasskeySignIn, anyones, async ({ tx, request, reply }) => {
    if (settings.rateLimits) await beginPasskeyAttempt(tx, request.ip);
    return await optionsOf(library, "generate-authenticate-options", { request, reply });
  });
  serve(app, contract.signInByPasskey, anyones, async ({ body, request, reply }) => {
    const answer = await verified(library, request, body.response);
    // A passkey asks for no password: none that is chosen meanwhile ends it.
    const how = { method: "passkey", before: null } as const;
    await completeSignIn(app, { request, reply }, answer, how, settings);
    passCookies(answer, reply);
    return { signedIn: true as const };
  });

  serve(app, contract.startPasskeyConfirmation, { ...own, ...withLibrary }, ({ request, reply }) =>
    optionsOf(library, "generate-authenticate-options", { request, reply }),
  );
  serve(
    app,
    contract.confirmByPasskey,
    { ...own, ...withLibrary },
    async ({ tx, actor, body, request }) => {
      const answer = await verified(library, request, body.response);
      // The library proves it by a session of its own; this one is what the person has proved it for.
      const token = newSessionToken(answer, settings) ?? "";
      const userId = await passkeys.userOfToken(tx, token);
      await tx.deleteFrom("sessions").where("token", "=", token).execute();
      if (userId !== actor.userId) throw notProved();
      return await confirmSession(tx, actor);
    },
  );
}

const Added = z.object({ id: z.coerce.number() });

const Options = z.record(z.string(), z.unknown());

/** The options for the browser. Whoever holds the key must show so, by a finger, a face or a PIN: it stands for two factors. */
async function optionsOf(
  library: CallLibrary,
  name: "generate-register-options" | "generate-authenticate-options",
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<Record<string, unknown>> {
  const answer = await library(request, { method: "GET", path: `${libraryPath}/${name}` });
  if (answer.status >= 300)
    throw new Error(`the auth library answered ${answer.status}: ${answer.text}`);
  passCookies(answer, reply);
  const options = Options.parse(JSON.parse(answer.text));
  return name === "generate-authenticate-options"
    ? { ...options, userVerification: "required" }
    : options;
}

const Refused = z.object({ message: z.string() });

/** Throws 422 for a passkey that is unknown or proves nothing, 403 for an account that is shut. */
async function verified(
  library: CallLibrary,
  request: FastifyRequest,
  response: object,
): Promise<LibraryAnswer> {
  const path = `${libraryPath}/verify-authentication`;
  const answer = await library(request, { path, body: { response } });
  if (answer.status < 300) return answer;
  if (answer.status === 403) {
    const { data } = Refused.safeParse(JSON.parse(answer.text));
    if (data) throw new Refusal(403, data.message);
  }
  throw notProved();
}

/** Not 401: a page whose session has ended goes to the sign-in page, and this may be that page. */
const notProved = () =>
  invalid("response", "This passkey was not accepted. Try again, or use your password.");
