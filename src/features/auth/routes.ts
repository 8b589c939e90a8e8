import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { csrfRefusal, refuseTokens, serve } from "#http/serve.ts";
import { changeOwnPassword } from "#features/auth/accounts.ts";
import { inviteAdmin, listAdmins, removeAdmin } from "#features/auth/administrators.ts";
import * as contract from "#features/auth/contract.ts";
import { knownDevice, rememberDevice } from "#features/auth/device-cookie.ts";
import type { BetterAuth, AuthSettings } from "#features/auth/better-auth.ts";
import { limitLinkRequests } from "#features/auth/link-requests.ts";
import { requestPasswordReset } from "#features/auth/password-reset.ts";
import { beginAttempt, settleAttempt } from "#features/auth/sign-in-failures.ts";
import { acceptSignInLink, inspectSignInLink } from "#features/auth/sign-in-links.ts";

export function authRoutes(
  app: FastifyInstance,
  settings: AuthSettings & { rateLimits: boolean },
): void {
  serve(app, contract.showSession, { allow: "anyone" }, async ({ actor }) => ({
    user: actor && { ...actor, id: actor.userId },
  }));
  serve(app, contract.inspectLink, { allow: "anyone" }, ({ tx, body }) =>
    inspectSignInLink(tx, body.token),
  );
  serve(app, contract.acceptLink, { allow: "anyone" }, async ({ tx, body, request, reply }) => {
    const accepted = await acceptSignInLink(tx, body);
    await rememberDevice(tx, { request, reply }, accepted.email, settings);
    return accepted;
  });
  const own = { allow: "signed-in", ownTransactions: true, inPerson: true } as const;
  serve(app, contract.changePassword, own, async ({ tx, actor, body, request, reply }) => {
    const device = await knownDevice(tx, request, actor.email, settings.secret);
    const from = { address: request.ip, device, limits: settings.rateLimits };
    const changed = await changeOwnPassword(tx, actor, body, from);
    await rememberDevice(tx, { request, reply }, actor.email, settings);
    return changed;
  });
  const anyones = { allow: "anyone", ownTransactions: true } as const;
  serve(app, contract.requestLink, anyones, ({ tx, body, request }) => {
    const work = () => requestPasswordReset(tx, body.email, settings.publicUrl);
    return settings.rateLimits ? limitLinkRequests(tx, request.ip, work) : work();
  });
  serve(app, contract.listAdministrators, { allow: "admin" }, ({ tx, actor }) =>
    listAdmins(tx, actor),
  );
  const administration = { allow: "admin", inPerson: true } as const;
  serve(app, contract.inviteAdministrator, administration, ({ tx, actor, body }) =>
    inviteAdmin(tx, actor, body, settings.publicUrl),
  );
  serve(app, contract.removeAdministrator, administration, ({ tx, actor, params }) =>
    removeAdmin(tx, actor, params.id),
  );
  serveLibrary(app, settings);
}

/** Signing in and out answer in the auth library's own shapes; nothing else of it is reachable. */
function serveLibrary(
  app: FastifyInstance,
  settings: AuthSettings & { rateLimits: boolean },
): void {
  const isLimited = settings.rateLimits;
  let loaded: Promise<BetterAuth> | undefined;
  /** Loaded when somebody first signs in: it is a sixth of an idle process's memory. */
  const library = () =>
    (loaded ??= import("#features/auth/better-auth.ts").then(({ newBetterAuth }) =>
      newBetterAuth(app.db, settings),
    ));
  const onRequest = async (request: FastifyRequest) => {
    refuseTokens({ allow: "anyone" }, request);
    if (!request.hasCsrfToken) throw csrfRefusal();
  };

  for (const endpoint of [contract.signIn, contract.signOut])
    app.endpoints.push({ endpoint, allow: "anyone", isBare: true });

  app.post(contract.signIn.path, { onRequest }, async (request, reply) => {
    const given = contract.signIn.body.safeParse(request.body);
    const email = given.success ? given.data.email : "";
    const device = await knownDevice(app.db, request, email, settings.secret);
    const source = { address: request.ip, email, device };
    const ids = isLimited ? await beginAttempt(app.db, source) : null;
    const answer = await callLibrary(await library(), contract.signIn.path, request, {
      ...given.data,
      email,
    });
    const outcome = outcomeOf(answer.status);
    if (ids) await settleAttempt(app.db, { ids, source }, outcome);
    if (outcome === "right") await rememberDevice(app.db, { request, reply }, email, settings);
    return relay(answer, reply);
  });

  app.post(contract.signOut.path, { onRequest }, async (request, reply) =>
    relay(await callLibrary(await library(), contract.signOut.path, request, {}), reply),
  );
}

const outcomeOf = (status: number) =>
  status < 300 ? "right" : status === 401 ? "wrong" : "no attempt";

/** Pass a request to the auth library, with its cookies and user agent. */
async function callLibrary(
  library: BetterAuth,
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
