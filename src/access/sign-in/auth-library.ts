import type { FastifyReply, FastifyRequest } from "fastify";
import type { Db } from "#kit/db/database.ts";
import type { AuthSettings, BetterAuth } from "#access/sign-in/better-auth.ts";

type Api = BetterAuth["api"];

/** What every call to the library is told: cookies and user agent of the request, and how it is to answer. */
interface Told {
  headers: Headers;
  asResponse: true;
}

/**
 * Call the auth library within a transaction: what it writes is committed, or rolled back, with ours. It sees all of
 * the request's cookies, or the one that is given, as `name=value`. Throws what the database refuses it.
 */
export type CallLibrary = (
  tx: Db,
  request: FastifyRequest,
  call: (api: Api, told: Told) => Promise<Response>,
  cookie?: string,
) => Promise<LibraryAnswer>;

/** The library's answer: its cookies are the sender's, its object is without a session's token. */
export interface LibraryAnswer {
  status: number;
  cookies: string[];
  object: unknown;
}

/** The auth library, loaded when it is first asked for: it is a sixth of an idle process's memory. */
export function authLibrary(settings: AuthSettings): CallLibrary {
  let loaded: Promise<BetterAuth> | undefined;
  const library = () =>
    (loaded ??= import("#access/sign-in/better-auth.ts").then(({ newBetterAuth }) =>
      newBetterAuth(settings),
    ));
  return async (tx, { headers }, call, cookie = headers.cookie ?? "") => {
    const { api, within } = await library();
    const told = new Headers({ cookie, "user-agent": headers["user-agent"] ?? "" });
    const answer = await within.run(tx, () => call(api, { headers: told, asResponse: true }));
    return {
      status: answer.status,
      cookies: answer.headers.getSetCookie(),
      object: withoutTokens(await answer.text()),
    };
  };
}

/** A session is its cookie, out of reach of scripts: the library says its token in the answer besides. */
function withoutTokens(text: string): unknown {
  return JSON.parse(text || "null", (name, value: unknown) =>
    name === "token" ? undefined : value,
  );
}

/** Hand the library's answer on as it is. */
export function relay(answer: LibraryAnswer, reply: FastifyReply): FastifyReply {
  return passCookies(answer, reply).status(answer.status).send(answer.object);
}

/** Hand on the cookies alone, where the answer is ours. */
export function passCookies(answer: LibraryAnswer, reply: FastifyReply): FastifyReply {
  for (const cookie of answer.cookies) void reply.header("set-cookie", cookie);
  return reply;
}
