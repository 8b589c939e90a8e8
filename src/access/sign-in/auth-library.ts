import type { FastifyReply, FastifyRequest } from "fastify";
import type { Db } from "#kit/db/database.ts";
import type { AuthSettings, BetterAuth } from "#access/sign-in/better-auth.ts";

type Api = BetterAuth["api"];

/** Arguments of every library call: cookies and user agent of the request, and the answer's form. */
interface Told {
  headers: Headers;
  asResponse: true;
}

/**
 * Call the auth library within a transaction, so that its writes are committed or rolled back with ours. It sees the
 * request's cookies or, if given, only `cookie` (`name=value`). Throws database errors.
 */
export type CallLibrary = (
  tx: Db,
  request: FastifyRequest,
  call: (api: Api, told: Told) => Promise<Response>,
  cookie?: string,
) => Promise<LibraryAnswer>;

/** The library's answer: cookies for the browser, and the object without the session token. */
export interface LibraryAnswer {
  status: number;
  cookies: string[];
  object: unknown;
}

/** The auth library, loaded on first use, because it takes a sixth of an idle process's memory. */
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

/** Removes the session token from the answer: only the cookie, which scripts cannot read, may hold it. */
function withoutTokens(text: string): unknown {
  return JSON.parse(text || "null", (name, value: unknown) =>
    name === "token" ? undefined : value,
  );
}

/** Send the library's answer unchanged. */
export function relay(answer: LibraryAnswer, reply: FastifyReply): FastifyReply {
  return setLibraryCookies(answer, reply).status(answer.status).send(answer.object);
}

/** Set the library's cookies on an answer of ours. */
export function setLibraryCookies(answer: LibraryAnswer, reply: FastifyReply): FastifyReply {
  for (const cookie of answer.cookies) void reply.header("set-cookie", cookie);
  return reply;
}
