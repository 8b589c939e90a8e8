import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { type WebSocket, WebSocketServer } from "ws";
import {
  actorOfToken,
  sessionCookieName,
  sessionsStillOpen,
  tokenOfCookie,
} from "#server/session.ts";
import { type Backplane, openBackplane } from "#features/realtime/backplane.ts";
import { bulkMessageFor, hears, messageFor } from "#features/realtime/channels.ts";
import { Connection } from "#features/realtime/connection.ts";

export interface CableSettings {
  pool: pg.Pool;
  connectionString: string;
  secret: string;
  isSecure: boolean;
  /** The only origins that sockets are taken from: this is the guard against cross-site hijacking. */
  origins: () => string[];
  /** Off for load tests: no limit on connections of one user or address. */
  isLimited: boolean;
}

const greatestMessageBytes = 64 * 1024;
const greatestPerUser = 100;
const greatestPerAddress = 1_000;
const pingEveryMs = 3_000;
const probeEveryPings = 10;
const authenticationMs = 10_000;
const farewellMs = 2_000;
const greatestGapSpreadMs = 3_000;

const path = /^\/cable\/?(\?|$)/;
const spoken = ["actioncable-v1-json", "actioncable-unsupported"];

export interface Cable {
  connections(): number;
  isListening(): boolean;
}

/**
 * Serve Action Cable's protocol at `/cable`, so that the unmodified `@rails/actioncable` client
 * works. A message is a hint to refetch; it reaches whoever subscribed, on every process.
 */
export function serveCable(app: FastifyInstance, settings: CableSettings): Cable {
  const backplane = openBackplane({
    pool: settings.pool,
    connectionString: settings.connectionString,
    log: (line) => app.log.warn(line),
  });
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: greatestMessageBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => spoken.find((protocol) => offered.has(protocol)) ?? false,
  });
  const connections = new Set<Connection>();
  const recentlyEnded = new Set<number>();
  let isClosing = false;

  app.get("/cable", async (_request, reply) =>
    reply.status(426).header("Upgrade", "websocket").send({
      success: false,
      object: null,
      message: "This address speaks WebSocket only.",
    }),
  );
  app.server.on("upgrade", (request, socket, head) => {
    const refusal = refusalOf(request);
    if (refusal) return refuse(socket, refusal);
    server.handleUpgrade(request, socket, head, (opened) => void welcome(opened, request));
  });

  function refusalOf(request: IncomingMessage): string | null {
    if (!path.test(request.url ?? "")) return "404 Not Found";
    if (isClosing) return "503 Service Unavailable";
    if (!settings.origins().includes(request.headers.origin ?? "")) return "403 Forbidden";
    const sameAddress = count((one) => one.address === addressOf(request));
    if (settings.isLimited && sameAddress >= greatestPerAddress) return "429 Too Many Requests";
    return null;
  }

  function count(which: (connection: Connection) => boolean): number {
    let number = 0;
    for (const connection of connections) if (which(connection)) number += 1;
    return number;
  }

  async function welcome(socket: WebSocket, request: IncomingMessage): Promise<void> {
    const connection = new Connection(socket, addressOf(request));
    connections.add(connection);
    socket.on("close", () => connections.delete(connection));
    const patience = setTimeout(() => socket.terminate(), authenticationMs);
    try {
      const actor = await whoIs(request);
      // It may have ended while it was looked up.
      if (!actor || recentlyEnded.has(actor.sessionId))
        return connection.disconnect("unauthorized", false);
      const others = count((one) => one.actor?.userId === actor.userId);
      if (settings.isLimited && others >= greatestPerUser)
        return connection.disconnect("unauthorized", false);
      connection.begin(actor, Date.parse(actor.sessionExpiresAt));
    } catch (problem) {
      app.log.error({ err: problem }, "a socket could not be authenticated");
      socket.terminate();
    } finally {
      clearTimeout(patience);
    }
  }

  async function whoIs(request: IncomingMessage) {
    const cookies = app.parseCookie(request.headers.cookie ?? "");
    const token = tokenOfCookie(cookies[sessionCookieName(settings.isSecure)], settings.secret);
    return token ? await actorOfToken(app.db, token) : null;
  }

  deliver(backplane, connections);
  closeEnded(app, backplane, connections, recentlyEnded);
  const pings = startPings(connections);
  app.addHook("preClose", async () => {
    isClosing = true;
    clearInterval(pings);
    await sayGoodbye(connections);
    await backplane.close();
  });
  return { connections: () => connections.size, isListening: backplane.isListening };
}

/** Pass on what the backplane says: one JSON text per identifier string, whoever holds it. */
function deliver(backplane: Backplane, connections: Set<Connection>): void {
  backplane.onChange((change) => {
    const message = JSON.stringify(messageFor(change));
    const frames = new Map<string, string>();
    for (const connection of connections) {
      if (Date.now() >= connection.expiresAt) continue;
      for (const [identifier, stream] of connection.subscriptions) {
        if (!hears(stream, change)) continue;
        const frame = frames.get(identifier) ?? frameOf(identifier, message);
        frames.set(identifier, frame);
        connection.send(frame);
      }
    }
  });
  backplane.onGap(() => {
    for (const connection of connections)
      setTimeout(() => sendBulk(connection), Math.random() * greatestGapSpreadMs);
  });
}

/** Close the sockets of ended sessions; after a gap, ask the database which those are. */
function closeEnded(
  app: FastifyInstance,
  backplane: Backplane,
  connections: Set<Connection>,
  recentlyEnded: Set<number>,
): void {
  const close = (isEnded: (sessionId: number) => boolean) => {
    for (const connection of connections)
      if (connection.actor && isEnded(connection.actor.sessionId))
        connection.disconnect("remote", false);
  };
  backplane.onSessionsEnded((sessionIds) => {
    for (const id of sessionIds) recentlyEnded.add(id);
    close((sessionId) => recentlyEnded.has(sessionId));
    setTimeout(() => {
      for (const id of sessionIds) recentlyEnded.delete(id);
    }, 2 * authenticationMs).unref();
  });
  backplane.onGap(() => {
    const open = [...connections].flatMap(({ actor }) => actor?.sessionId ?? []);
    sessionsStillOpen(app.db, open)
      .then((alive) => close((id) => open.includes(id) && !alive.has(id)))
      .catch((problem: unknown) =>
        app.log.error({ err: problem }, "sessions could not be checked"),
      );
  });
}

function sendBulk(connection: Connection): void {
  for (const [identifier, stream] of connection.subscriptions)
    connection.send(frameOf(identifier, JSON.stringify(bulkMessageFor(stream))));
}

function frameOf(identifier: string, message: string): string {
  return `{"identifier":${JSON.stringify(identifier)},"message":${message}}`;
}

/** One timer for all, and one text: a timer each would make bursts of its own. */
function startPings(connections: Set<Connection>): NodeJS.Timeout {
  let number = 0;
  return setInterval(() => {
    number += 1;
    const text = JSON.stringify({ type: "ping", message: Math.floor(Date.now() / 1000) });
    const isProbe = number % probeEveryPings === 0;
    for (const connection of connections) if (connection.actor) connection.ping(text, isProbe);
  }, pingEveryMs);
}

async function sayGoodbye(connections: Set<Connection>): Promise<void> {
  for (const connection of connections) connection.disconnect("server_restart", true);
  const deadline = Date.now() + farewellMs;
  while (connections.size > 0 && Date.now() < deadline)
    await new Promise((resume) => setTimeout(resume, 20));
  for (const connection of connections) connection.socket.terminate();
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function addressOf(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? "";
}
