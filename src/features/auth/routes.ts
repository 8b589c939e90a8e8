import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { csrfRefusal, serve } from "#server/serve.ts";
import { changeOwnPassword } from "#features/auth/accounts.ts";
import {
  acceptLink,
  changePassword,
  inspectLink,
  showSession,
  signIn,
  signOut,
} from "#features/auth/contract.ts";
import { type AuthLibrary, authLibrary, type AuthSettings } from "#features/auth/library.ts";
import { beginAttempt, failureKey, settleAttempt } from "#features/auth/sign-in-failures.ts";
import { acceptSignInLink, inspectSignInLink } from "#features/auth/sign-in-links.ts";

export function authRoutes(
  app: FastifyInstance,
  settings: AuthSettings & { rateLimits: boolean },
): void {
  serve(app, showSession, { allow: "anyone" }, async ({ actor }) => ({
    user: actor && { ...actor, id: actor.userId },
  }));
  serve(app, inspectLink, { allow: "anyone" }, ({ tx, body }) => inspectSignInLink(tx, body.token));
  serve(app, acceptLink, { allow: "anyone" }, ({ tx, body }) => acceptSignInLink(tx, body));
  serve(app, changePassword, { allow: "signed-in" }, ({ tx, actor, body }) =>
    changeOwnPassword(tx, actor, body),
  );
  serveLibrary(app, authLibrary(app.db, settings), settings.rateLimits);
}

/** Signing in and out answer in the auth library's own shapes; nothing else of it is reachable. */
function serveLibrary(app: FastifyInstance, library: AuthLibrary, isLimited: boolean): void {
  const onRequest = async (request: FastifyRequest) => {
    if (!request.hasCsrfToken) throw csrfRefusal();
  };

  for (const endpoint of [signIn, signOut])
    app.endpoints.push({ endpoint, allow: "anyone", isBare: true });

  app.post(signIn.path, { onRequest }, async (request, reply) => {
    const given = signIn.body.safeParse(request.body);
    const email = given.success ? given.data.email : "";
    const key = failureKey(request.ip, email);
    const id = isLimited ? await beginAttempt(app.db, key) : null;
    const answer = await ask(library, signIn.path, request, { ...given.data, email });
    if (id !== null) await settleAttempt(app.db, { id, key }, answer.status);
    return relay(answer, reply);
  });

  app.post(signOut.path, { onRequest }, async (request, reply) =>
    relay(await ask(library, signOut.path, request, {}), reply),
  );
}

/** Hand a request to the library, with the cookies and address that it came with. */
async function ask(
  library: AuthLibrary,
  path: string,
  request: FastifyRequest,
  body: object,
): Promise<Response> {
  const address = new URL(path, library.options.baseURL);
  return await library.handler(
    new Request(address, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        cookie: request.headers.cookie ?? "",
        "user-agent": request.headers["user-agent"] ?? "",
      },
      body: JSON.stringify(body),
    }),
  );
}

async function relay(answer: Response, reply: FastifyReply): Promise<FastifyReply> {
  for (const cookie of answer.headers.getSetCookie()) void reply.header("set-cookie", cookie);
  return reply
    .status(answer.status)
    .type(answer.headers.get("content-type") ?? "application/json; charset=utf-8")
    .send(await answer.text());
}
