import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import { actorOfToken, sessionCookieName, tokenOfCookie } from "#server/session.ts";
import type { Audience } from "#features/realtime/audience.ts";

export interface DoorSettings {
  secret: string;
  isSecure: boolean;
  /** The only origins that sockets are taken from: this is the guard against cross-site hijacking. */
  origins: () => string[];
  /** How many proxies in front say where connections come from. */
  trustedProxies: number;
  /** Off for load tests: no limit on connections of one user or address. */
  isLimited: boolean;
}

type Actor = NonNullable<Awaited<ReturnType<typeof actorOfToken>>>;

/** An upgrade that may go on; whoever is not signed in is let in only to be told so. */
export interface Admission {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
  actor: Actor | null;
}

const greatestPerUser = 100;
const greatestPerAddress = 1_000;
const patienceMs = 10_000;

const path = /^\/cable\/?(\?|$)/;

/**
 * Look at every upgrade of the HTTP server, which passes by all routes and hooks: where it leads,
 * where it comes from, whose it is. `close` lets nobody in any more.
 */
export function admit(
  app: FastifyInstance,
  settings: DoorSettings,
  audience: Audience,
  letIn: (admission: Admission) => void,
): { close(): void } {
  const perAddress = new Map<string, number>();
  let isClosed = false;

  app.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy()); // one that nobody hears would end the process
    const refusal = refusalOf(request);
    if (refusal) return refuse(socket, refusal);
    countIn(addressOf(request), socket);
    const patience = setTimeout(() => socket.destroy(), patienceMs);
    void lookAt({ request, socket, head }).finally(() => clearTimeout(patience));
  });

  async function lookAt(upgrade: Omit<Admission, "actor">): Promise<void> {
    try {
      const actor = await whoIs(upgrade.request);
      const refusal = refusalOfActor(actor);
      if (refusal) refuse(upgrade.socket, refusal);
      else letIn({ ...upgrade, actor });
    } catch (problem) {
      app.log.error({ err: problem }, "a socket could not be opened");
      refuse(upgrade.socket, 503);
    }
  }

  function refusalOf(request: IncomingMessage): number | null {
    if (!path.test(request.url ?? "")) return 404;
    if (!settings.origins().includes(request.headers.origin ?? "")) return 403;
    const sameAddress = perAddress.get(addressOf(request)) ?? 0;
    if (settings.isLimited && sameAddress >= greatestPerAddress) return 429;
    return isClosed ? 503 : null;
  }

  function refusalOfActor(actor: Actor | null): number | null {
    if (isClosed) return 503;
    if (!actor || !settings.isLimited) return null;
    const others = [...audience.connections].filter((one) => one.actor.userId === actor.userId);
    return others.length >= greatestPerUser ? 429 : null;
  }

  function countIn(address: string, socket: Duplex): void {
    perAddress.set(address, (perAddress.get(address) ?? 0) + 1);
    socket.once("close", () => {
      const left = (perAddress.get(address) ?? 1) - 1;
      if (left > 0) perAddress.set(address, left);
      else perAddress.delete(address);
    });
  }

  /** Each proxy adds the address that it was called from; what stands before theirs anyone may have written. */
  function addressOf(request: IncomingMessage): string {
    const written = String(request.headers["x-forwarded-for"] ?? "").split(",");
    const believed = settings.trustedProxies > 0 ? written.slice(-settings.trustedProxies) : [];
    return believed[0]?.trim() || (request.socket.remoteAddress ?? "");
  }

  /** Asked again when the line went down or came back meanwhile: the end of a session may be missed. */
  async function whoIs(request: IncomingMessage): Promise<Actor | null> {
    const cookies = app.parseCookie(request.headers.cookie ?? "");
    const token = tokenOfCookie(cookies[sessionCookieName(settings.isSecure)], settings.secret);
    if (!token) return null;
    for (;;) {
      const { turn } = audience;
      const actor = await actorOfToken(app.db, token);
      if (turn === audience.turn)
        return actor && !audience.hasEnded(actor.sessionId) ? actor : null;
    }
  }

  return { close: () => (isClosed = true) };
}

function refuse(socket: Duplex, status: number): void {
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
}
