import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import { bearerOf } from "#kit/http/api-tokens.ts";
import { ipRateLimitKey } from "#kit/http/ip-rate-limit-key.ts";
import { failure } from "#kit/http/envelope.ts";
import { endSocketWith } from "#kit/http/end-socket.ts";
import { serverIsStopping } from "#kit/http/shutdown.ts";
import { actorOfToken, sessionCookieName, tokenOfCookie } from "#kit/http/session.ts";
import type { ConnectionRegistry } from "#outgoing/realtime/connection-registry.ts";

export interface UpgradeOptions {
  secret: string;
  isSecure: boolean;
  /** The only origins that may open sockets: protects against cross-site WebSocket hijacking. */
  origins: () => string[];
  /** How many reverse proxies are in front: so many addresses of X-Forwarded-For are trusted. */
  trustedProxies: number;
  /** Off for load tests: no limit on connections of one user or address. */
  isLimited: boolean;
  /** The most upgrades that may wait for authentication at once; 1,000 unless given. */
  maxPendingUpgrades?: number | undefined;
}

type Actor = NonNullable<Awaited<ReturnType<typeof actorOfToken>>>;

/** An accepted upgrade; without an actor it is accepted only to answer "unauthorized" in the protocol. */
export interface Upgrade {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
  actor: Actor | null;
}

const maxPerUser = 100;
const maxPerAddress = 1_000;
const timeoutMs = 10_000;
/** Action Cable's client does not read it: it asks again after 3 to 30 seconds, later each time. */
const retryAfterSeconds = 30;

/** Why an upgrade is refused: for debugging, since browsers do not show it to pages. */
interface UpgradeRefusal {
  status: number;
  message: string;
}

const noSuchAddress = { status: 404, message: "This address does not exist." };
const foreignOrigin = { status: 403, message: "Sockets are opened from this site's pages alone." };
const noTokens = {
  status: 403,
  message: "Sockets are for people who are signed in: a token opens none.",
};
const serverStopping = { status: 503, message: "The server is about to end; connect again." };
const tooManyPending = { status: 503, message: "Too many sockets are being opened; try again." };
const tooManyOfAddress = {
  status: 429,
  message: `${maxPerAddress.toLocaleString("en-US")} sockets are open from this address already: this one is refused, those stay.`,
};
const tooManyOfUser = {
  status: 429,
  message: `You have ${maxPerUser} sockets open already: this one is refused, those stay. Close a page to have another.`,
};
const tooMany = new Set<UpgradeRefusal>([tooManyPending, tooManyOfAddress, tooManyOfUser]);

const path = /^\/cable\/?(\?|$)/;

/**
 * Handle every upgrade of the HTTP server, which bypasses routes and hooks: check its path, its origin,
 * the limits and its session. After `close` every upgrade is refused.
 */
export function handleUpgrades(
  app: FastifyInstance,
  settings: UpgradeOptions,
  registry: ConnectionRegistry,
  onAccepted: (upgrade: Upgrade) => void,
): { close(): void; refused(): number } {
  const { maxPendingUpgrades = 1_000 } = settings; // a restart brings all sockets at once
  const perAddress = new Map<string, number>();
  let pending = 0;
  let refused = 0;
  let isClosed = false;

  app.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy()); // an error event without a listener would end the process
    const refusal = refusalOf(request);
    if (refusal) return refuse(socket, refusal);
    countAddress(addressOf(request), socket);
    const timeout = setTimeout(() => socket.destroy(), timeoutMs);
    pending += 1;
    void authenticate({ request, socket, head }).finally(() => {
      pending -= 1;
      clearTimeout(timeout);
    });
  });

  async function authenticate(upgrade: Omit<Upgrade, "actor">): Promise<void> {
    try {
      const actor = await readActor(upgrade.request);
      const refusal = refusalOfActor(actor);
      if (refusal) refuse(upgrade.socket, refusal, actor);
      else onAccepted({ ...upgrade, actor });
    } catch (problem) {
      app.log.error({ err: problem }, "a socket could not be opened");
      refuse(upgrade.socket, { status: 503, message: "The service is busy; try again." });
    }
  }

  function refusalOf(request: IncomingMessage): UpgradeRefusal | null {
    if (app.mustReturnToProxy(request)) return serverIsStopping;
    if (!path.test(request.url ?? "")) return noSuchAddress;
    if (!settings.origins().includes(request.headers.origin ?? "")) return foreignOrigin;
    if (bearerOf(request) !== null) return noTokens;
    const sameAddress = perAddress.get(addressOf(request)) ?? 0;
    if (settings.isLimited && sameAddress >= maxPerAddress) return tooManyOfAddress;
    if (pending >= maxPendingUpgrades) return tooManyPending;
    return isClosed ? serverStopping : null;
  }

  function refusalOfActor(actor: Actor | null): UpgradeRefusal | null {
    if (isClosed) return serverStopping;
    if (!actor || !settings.isLimited) return null;
    return registry.socketsOf(actor.userId) >= maxPerUser ? tooManyOfUser : null;
  }

  function refuse(socket: Duplex, refusal: UpgradeRefusal, actor: Actor | null = null): void {
    const { status, message } = refusal;
    if (tooMany.has(refusal)) {
      refused += 1;
      app.log.warn({ status, reason: message, user: actor?.userId }, "a socket was refused");
    }
    const body = failure(message);
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "Connection: close",
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...(status === 429 || status === 503 ? [`Retry-After: ${retryAfterSeconds}`] : []),
    ];
    endSocketWith(socket, `${lines.join("\r\n")}\r\n\r\n${body}`);
  }

  function countAddress(address: string, socket: Duplex): void {
    perAddress.set(address, (perAddress.get(address) ?? 0) + 1);
    socket.once("close", () => {
      const left = (perAddress.get(address) ?? 1) - 1;
      if (left > 0) perAddress.set(address, left);
      else perAddress.delete(address);
    });
  }

  /** Each proxy appends the address that it was called from; anything before the trusted ones may be forged. */
  function addressOf(request: IncomingMessage): string {
    const written = String(request.headers["x-forwarded-for"] ?? "").split(",");
    const trusted = settings.trustedProxies > 0 ? written.slice(-settings.trustedProxies) : [];
    return ipRateLimitKey(trusted[0]?.trim() || (request.socket.remoteAddress ?? ""));
  }

  /** Repeated when the LISTEN connection was lost or back meanwhile, since a session's end may be missed. */
  async function readActor(request: IncomingMessage): Promise<Actor | null> {
    const cookies = app.parseCookie(request.headers.cookie ?? "");
    const token = tokenOfCookie(cookies[sessionCookieName(settings.isSecure)], settings.secret);
    if (!token) return null;
    for (;;) {
      const { generation } = registry;
      const actor = await actorOfToken(app.db, token);
      if (generation === registry.generation)
        return actor && !registry.hasEnded(actor.sessionId) ? actor : null;
    }
  }

  return { close: () => (isClosed = true), refused: () => refused };
}
