import type { FastifyInstance } from "fastify";
import { type WebSocket, WebSocketServer } from "ws";
import { sessionsStillOpen } from "#kit/http/session.ts";
import { type Upgrade, handleUpgrades, type UpgradeOptions } from "#outgoing/realtime/upgrades.ts";
import { ConnectionRegistry } from "#outgoing/realtime/connection-registry.ts";
import {
  Connection,
  type DropReason,
  type ConnectionEvents,
} from "#outgoing/realtime/connection.ts";
import { listenWithReconnect } from "#outgoing/realtime/listener.ts";
import { clusterChannel, readClusterMessage } from "#outgoing/realtime/cluster-messages.ts";
import { SendQueues } from "#outgoing/realtime/send-queues.ts";
import { broadcastChanges } from "#outgoing/realtime/broadcast-changes.ts";

export interface CableSettings extends UpgradeOptions {
  /** Directly to the primary database, not through a transaction pooler. */
  connectionString: string;
  /** The limit of unsent bytes over all sockets; 64 MiB unless given. */
  maxQueuedBytes?: number | undefined;
}

const maxMessageBytes = 64 * 1024;
/** Each fragment of a message takes some hundred bytes of memory, however small it is. */
const maxFragmentsPerMessage = 1_024;
const pingEveryMs = 3_000;
const probeEveryPings = 10;
const checkSessionsEveryMs = 60_000;
const retryCheckMs = 1_000;
const closeTimeoutMs = 2_000;

const subprotocols = ["actioncable-v1-json", "actioncable-unsupported"];

/** The state of the real-time channel, for readiness and metrics. */
export interface CableMetrics {
  sockets: number;
  subscriptions: number;
  deliveries: number;
  rejected: number;
  /** Upgrades refused because there were too many. */
  refused: number;
  drops: Record<DropReason, number>;
  isListening: boolean;
  gaps: number;
}

/**
 * Serve Action Cable's protocol at `/cable` for the unmodified `@rails/actioncable` client. A message is a hint to
 * refetch. It reaches every subscriber on every process.
 */
export function serveCable(app: FastifyInstance, settings: CableSettings): void {
  const registry = new ConnectionRegistry();
  const warn = (listener: string) => app.log.warn(listener);
  const sender = broadcastChanges(app.db, warn);
  const listener = listenToAllProcesses(app, settings, registry);
  const counts = {
    rejected: 0,
    drops: { "too fast": 0, "slow reader": 0, silent: 0, "long identifiers": 0 } as Record<
      DropReason,
      number
    >,
  };
  const queues = new SendQueues(settings.maxQueuedBytes);
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: maxMessageBytes,
    maxFragments: maxFragmentsPerMessage,
    maxBufferedChunks: maxFragmentsPerMessage,
    perMessageDeflate: false,
    handleProtocols: (offered) => subprotocols.find((protocol) => offered.has(protocol)) ?? false,
  });

  app.get("/cable", async (_request, reply) =>
    reply.status(426).header("Upgrade", "websocket").send({
      success: false,
      object: null,
      message: "This address accepts only WebSocket connections.",
    }),
  );
  const upgrades = handleUpgrades(app, settings, registry, (upgrade) =>
    server.handleUpgrade(upgrade.request, upgrade.socket, upgrade.head, (socket) =>
      open(socket, upgrade),
    ),
  );

  function open(socket: WebSocket, { actor, socket: stream }: Upgrade): void {
    // An error event without a listener would end the process; ws closes the socket with the right code.
    socket.on("error", () => undefined);
    if (!actor) return rejectUnauthorized(socket);
    const log = app.log.child({ user: actor.userId, network: actor.networkId });
    const events: ConnectionEvents = {
      onRejected: () => {
        counts.rejected += 1;
        log.info("rejected a subscription");
      },
      onIgnored: () => log.debug("ignored a message that is not a command"),
      onDropped: (reason) => {
        counts.drops[reason] += 1;
        log.warn({ reason }, "dropped a socket");
      },
    };
    const connection = new Connection({ socket, stream }, actor, { events, queues });
    registry.add(connection);
    log.info("opened a socket");
    socket.on("close", (code) => log.info({ code }, "closed a socket"));
  }

  const pings = startPings(registry);
  app.addHook("preClose", async () => {
    upgrades.close();
    clearInterval(pings);
    await disconnectAll(registry);
  });
  // After the last request, so that its changes still reach the other processes.
  app.addHook("onClose", async () => {
    await sender.close();
    await listener.close();
  });
  app.decorate("cable", () => ({
    sockets: registry.connections.size,
    subscriptions: sum([...registry.connections].map((one) => one.subscriptions.size)),
    deliveries: registry.deliveries,
    rejected: counts.rejected,
    refused: upgrades.refused(),
    drops: { ...counts.drops },
    isListening: listener.isListening(),
    gaps: registry.gaps,
  }));
}

declare module "fastify" {
  interface FastifyInstance {
    /** The state of the real-time channel. */
    cable: () => CableMetrics;
  }
}

/** After an HTTP 401 the client would retry forever; after this message it stops. */
function rejectUnauthorized(socket: WebSocket): void {
  socket.send('{"type":"disconnect","reason":"unauthorized","reconnect":false}');
  socket.close(1000);
}

/** Deliver the changes of all processes, including this one. Nothing is delivered any other way. */
function listenToAllProcesses(
  app: FastifyInstance,
  { connectionString }: CableSettings,
  registry: ConnectionRegistry,
) {
  const stillOpen = (ids: number[]) => sessionsStillOpen(app.db, ids);
  const resume = (): void => {
    registry.resume(stillOpen).catch((problem: unknown) => {
      app.log.error({ err: problem }, "could not check sessions");
      setTimeout(() => listener.isListening() && resume(), retryCheckMs);
    });
  };
  const listener = listenWithReconnect(connectionString, {
    channels: {
      [clusterChannel]: (text) => {
        const message = readClusterMessage(text);
        if (!message) return;
        if ("endedSessionIds" in message) registry.closeSessions(message.endedSessionIds);
        else registry.broadcast(message.changes);
      },
    },
    onLost: () => {
      app.log.warn("lost the real-time connection to the database");
      registry.pause();
    },
    onListening: resume,
  });
  const check = setInterval(() => {
    registry
      .closeEnded(stillOpen)
      .catch((problem: unknown) => app.log.error({ err: problem }, "could not check sessions"));
  }, checkSessionsEveryMs);
  return {
    isListening: () => listener.isListening(),
    close: async () => {
      clearInterval(check);
      await listener.close();
    },
  };
}

/** One timer and one text for all sockets. */
function startPings(registry: ConnectionRegistry): NodeJS.Timeout {
  let number = 0;
  return setInterval(() => {
    number += 1;
    const text = JSON.stringify({ type: "ping", message: Math.floor(Date.now() / 1000) });
    const isProbe = number % probeEveryPings === 0;
    for (const connection of registry.connections) connection.ping(text, isProbe);
  }, pingEveryMs);
}

async function disconnectAll({ connections }: ConnectionRegistry): Promise<void> {
  for (const connection of connections) connection.disconnect("server_restart", true);
  const deadline = Date.now() + closeTimeoutMs;
  while (connections.size > 0 && Date.now() < deadline)
    await new Promise((resume) => setTimeout(resume, 20));
  for (const connection of connections) connection.socket.terminate();
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
