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
  /** The number of reverse proxies, which is how many addresses of X-Forwarded-For are trusted. */
  trustedProxies: number;
  /** Whether connections per user and address are limited; off for load tests. */
  isLimited: boolean;
  /** The limit of upgrades waiting for authentication at the same time; 1,000 unless given. */
  maxPendingUpgrades?: number | undefined;
}

type Actor = NonNullable<Awaited<ReturnType<typeof actorOfToken>>>;

/** An accepted upgrade. Without an actor, it is accepted only to answer "unauthorized" in the protocol. */
export interface Upgrade {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
  actor: Actor | null;
}

const maxPerUser = 100;
const maxPerAddress = 1_000;
const timeoutMs = 10_000;
/** Action Cable's client ignores it and tries again after 3 to 30 seconds, later each time. */
const retryAfterSeconds = 30;

/** Why an upgrade is refused. For debugging, because browsers hide it from pages. */
interface UpgradeRefusal {
  status: number;
  message: string;
}

const noSuchAddress = { status: 404, message: "This address does not exist." };
const foreignOrigin = { status: 403, message: "Only pages of this site can open sockets." };
const noTokens = {
  status: 403,
  message: "A token cannot open a socket. Sign in with a session cookie.",
};
const serverStopping = { status: 503, message: "The server is stopping. Connect again." };
const tooManyPending = { status: 503, message: "Too many sockets are being opened. Try again." };
const tooManyOfAddress = {
  status: 429,
  message: `${maxPerAddress.toLocaleString("en-US")} sockets are already open from this address. Close one to open another.`,
};
const tooManyOfUser = {
  status: 429,
  message: `You already have ${maxPerUser} open sockets. Close a page to open another.`,
};
const tooMany = new Set<UpgradeRefusal>([tooManyPending, tooManyOfAddress, tooManyOfUser]);

const path = /^\/cable\/?(\?|$)/;

/**
 * Handle every upgrade of the HTTP server: check its path, origin, limits and session, because upgrades bypass routes
 * and hooks. After `close`, every upgrade is refused.
 */
export function handleUpgrades(
  app: FastifyInstance,
  settings: UpgradeOptions,
  registry: ConnectionRegistry,
  onAccepted: (upgrade: Upgrade) => void,
): { close(): void; refused(): number } {
  const { maxPendingUpgrades = 1_000 } = settings; // after a restart, all sockets reconnect together
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
      app.log.error({ err: problem }, "could not open a socket");
      refuse(upgrade.socket, { status: 503, message: "The service is busy. Try again." });
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
      app.log.warn({ status, reason: message, user: actor?.userId }, "refused a socket");
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

  /** Each proxy appends its caller's address. Addresses before the trusted ones may be forged. */
  function addressOf(request: IncomingMessage): string {
    const forwarded = String(request.headers["x-forwarded-for"] ?? "").split(",");
    const trusted = settings.trustedProxies > 0 ? forwarded.slice(-settings.trustedProxies) : [];
    return ipRateLimitKey(trusted[0]?.trim() || (request.socket.remoteAddress ?? ""));
  }

  /** Repeats if the LISTEN connection was lost or back in between, because a session's end may have been missed. */
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
