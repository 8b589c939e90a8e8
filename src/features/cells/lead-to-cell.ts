import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Db } from "#db/database.ts";
import { invalid, Refusal } from "#contract/refusal.ts";
import {
  acceptLink,
  confirmEmailChange,
  inspectEmailChange,
  inspectLink,
  keepOldEmail,
  requestLink,
  signIn,
  signInByPasskey,
} from "#features/auth/contract.ts";
import { networkOfCode } from "#features/auth/sign-in-links.ts";
import {
  cellOf,
  cellOfSession,
  cellOfSignIn,
  hasMovedNetworks,
} from "#features/cells/directory.ts";

/*
 * Who arrives at a cell that does not serve them is led to the one that does: a browser by a cookie, by
 * which the proxy in front of all cells chooses, and the same request once more (307); a card processor's
 * notice is handed on. What was led or handed on once is answered where it has come to, whatever the directory
 * says there, so that two cells that know different things never send anybody back and forth.
 */

/** The cookie by which the proxy chooses the cell. It says where somebody's account is, and proves nothing. */
export const cellCookie = "cell";

const yearSeconds = 365 * 24 * 60 * 60;

/** In the address of a request that was led here; the contract ignores names that it does not know. */
const ledMark = "led";
/** Its counterpart with what a cell has handed on. */
const handedOnHeader = "x-handed-on";

export interface Cell {
  /** What this installation is called; null where it is the only one, and nobody is led anywhere. */
  cell: string | null;
  /** Served over TLS: the cookie is Secure. */
  isSecure: boolean;
}

function setCell(reply: FastifyReply, there: string, { isSecure }: Cell): FastifyReply {
  return reply.setCookie(cellCookie, there, {
    path: "/",
    maxAge: yearSeconds,
    httpOnly: true,
    sameSite: "lax",
    secure: isSecure,
  });
}

/** How long it is taken for known which networks were moved away. */
const rememberedMs = 2_000;

/**
 * Lead who is signed in here, in a network that was moved to another cell while its rows are still here; null
 * where there are no cells. Whether such networks are known at all is asked every other second.
 */
export function sessionLeader(cell: Cell): Hook | null {
  if (cell.cell === null) return null;
  let askedAt = Number.NEGATIVE_INFINITY;
  let isAnyMoved: Promise<boolean> | null = null;
  return async (request, reply) => {
    const { server, sessionToken } = request;
    if (sessionToken === null) return;
    if (performance.now() - askedAt > rememberedMs) {
      askedAt = performance.now();
      isAnyMoved = hasMovedNetworks(server.db).catch(() => false); // who calls is asked next, and says why
    }
    if (!(await isAnyMoved)) return;
    const there = await cellOfSession(server.db, sessionToken);
    // The proxy was told already, and does not know that cell.
    if (there === null || request.cookies[cellCookie] === there) return;
    await setCell(reply, there, cell).redirect(withinSite(request.url), 307);
  };
}

/** What begins with two slashes would lead to the host that follows them. */
const withinSite = (url: string) => url.replace(/^[/\\]+/, "/");

/** Lead the calls that somebody makes who is not known yet; before their routes are added. */
export function leadToCell(app: FastifyInstance, own: Cell): void {
  const { cell } = own;
  if (cell === null) return;
  const lead = (find: (body: unknown) => Promise<string | null>): Hook =>
    async function lead(request, reply) {
      if (wasLed(request)) return;
      const there = await find(request.body);
      if (there === null || there === cell) return;
      const [path, query] = request.url.split("?");
      await setCell(reply, there, own).redirect(
        `${path}?${query ? `${query}&` : ""}${ledMark}=1`,
        307,
      );
    };
  const byEmail = lead(async (body) => {
    const { data } = z.object({ email: z.string() }).safeParse(body);
    return data ? await cellOfSignIn(app.db, data.email.trim().toLowerCase()) : null;
  });
  const byLink = lead(async (body) => {
    const { data } = z.object({ token: z.string() }).safeParse(body);
    const network = data ? networkOfCode(data.token) : null;
    return network === null ? null : await cellOf(app.db, "network", network);
  });
  const hooks: Record<string, Hook> = {
    [signIn.path]: byEmail,
    [requestLink.path]: byEmail,
    [inspectLink.path]: byLink,
    [acceptLink.path]: byLink,
    [inspectEmailChange.path]: byLink,
    [confirmEmailChange.path]: byLink,
    [keepOldEmail.path]: byLink,
    // The proof answers a question of this cell's, so it is no proof at another: it is given once more.
    [signInByPasskey.path]: async (request, reply) => {
      const { data } = z.object({ response: z.object({ id: z.string() }) }).safeParse(request.body);
      const there = data ? await cellOf(app.db, "passkey", data.response.id) : null;
      if (there === null || there === cell) return;
      setCell(reply, there, own);
      throw invalid(
        "response",
        "This browser did not know yet where your account is; now it does. Use your passkey once more.",
      );
    },
    "/webhooks/:processor/:network": async (request, reply) => {
      const { data } = z.object({ network: z.string() }).safeParse(request.params);
      const there = data ? await cellOf(app.db, "network", data.network) : null;
      if (there !== null && there !== cell && request.headers[handedOnHeader] === undefined)
        await handOn(app.db, there, request, reply);
    },
  };
  app.addHook("onRoute", (route) => {
    const hook = route.method === "POST" ? hooks[route.url] : undefined;
    if (hook) route.preHandler = hook;
  });
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const wasLed = ({ query }: FastifyRequest) =>
  z.object({ [ledMark]: z.unknown() }).safeParse(query).data?.[ledMark] !== undefined;

/** A processor gives up on an answer after ten seconds or more. */
const handOnTimeoutMs = 8_000;

/** Between two proxies, or about this connection alone. */
const ofConnection =
  /^(connection|host|content-length|transfer-encoding|keep-alive|upgrade|expect|te|trailer|x-when-stopping)$/;

/** Have another cell answer a webhook, byte for byte. Throws 503 where it cannot be reached: processors send again. */
async function handOn(
  db: Db,
  cell: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const found = await db
    .selectFrom("cells")
    .select("address")
    .where("name", "=", cell)
    .executeTakeFirst();
  const headers = new Headers({ [handedOnHeader]: "1" });
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === "string" && !ofConnection.test(name)) headers.set(name, value);
  const body = Buffer.isBuffer(request.body) ? new Uint8Array(request.body) : null;
  const answer =
    found?.address &&
    (await fetch(`${found.address}${request.url}`, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(handOnTimeoutMs),
    }).catch((err: unknown) => request.log.warn({ err }, "a webhook was not handed on")));
  if (!answer)
    throw new Refusal(503, "The cell of this network cannot be reached.", {
      retryAfterSeconds: 60,
    });
  await reply
    .status(answer.status)
    .type(answer.headers.get("content-type") ?? "application/json; charset=utf-8")
    .send(await answer.text());
}
