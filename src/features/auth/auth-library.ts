import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AuthSettings, BetterAuth } from "#features/auth/better-auth.ts";

/** A request to the auth library; paths begin with /api/auth. */
export interface LibraryRequest {
  method?: "GET" | "POST";
  path: string;
  body?: object;
  /** The one cookie that it sees, `name=value`; all of the sender's unless given. */
  cookie?: string;
}

/** Pass a request on to the auth library, with its sender's cookies and user agent. */
export type CallLibrary = (
  request: FastifyRequest,
  wanted: LibraryRequest,
) => Promise<LibraryAnswer>;

/** The library's answer: its cookies are the sender's, its text is JSON without a session's token. */
export interface LibraryAnswer {
  status: number;
  cookies: string[];
  contentType: string;
  text: string;
}

/** The auth library, loaded when it is first asked for: it is a sixth of an idle process's memory. */
export function authLibrary(app: FastifyInstance, settings: AuthSettings): CallLibrary {
  let loaded: Promise<BetterAuth> | undefined;
  const library = () =>
    (loaded ??= import("#features/auth/better-auth.ts").then(({ newBetterAuth }) =>
      newBetterAuth(app.db, settings),
    ));
  return async (
    request,
    { method = "POST", path, body = {}, cookie = request.headers.cookie ?? "" },
  ) => {
    const { handler } = await library();
    const answer = await handler(
      new Request(new URL(path, settings.publicUrl), {
        method,
        headers: {
          "content-type": "application/json",
          cookie,
          "user-agent": request.headers["user-agent"] ?? "",
        },
        body: method === "GET" ? null : JSON.stringify(body),
      }),
    );
    return {
      status: answer.status,
      cookies: answer.headers.getSetCookie(),
      contentType: answer.headers.get("content-type") ?? "application/json; charset=utf-8",
      text: withoutTokens(await answer.text()),
    };
  };
}

/** A session is its cookie, out of reach of scripts: the library says its token in the answer besides. */
function withoutTokens(text: string): string {
  if (text === "") return text;
  return JSON.stringify(
    JSON.parse(text, (name, value: unknown) => (name === "token" ? undefined : value)),
  );
}

/** Hand the library's answer on as it is. */
export function relay(answer: LibraryAnswer, reply: FastifyReply): FastifyReply {
  return passCookies(answer, reply)
    .status(answer.status)
    .type(answer.contentType)
    .send(answer.text);
}

/** Hand on the cookies alone, where the answer is ours. */
export function passCookies(answer: LibraryAnswer, reply: FastifyReply): FastifyReply {
  for (const cookie of answer.cookies) void reply.header("set-cookie", cookie);
  return reply;
}
