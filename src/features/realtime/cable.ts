import type { FastifyInstance } from "fastify";
import { type WebSocket, WebSocketServer } from "ws";
import { type RequestCounts, requestCountsChannel } from "#http/request-counts.ts";
import { sessionsStillOpen } from "#http/session.ts";
import { type Upgrade, handleUpgrades, type UpgradeOptions } from "#features/realtime/upgrades.ts";
import { Audience } from "#features/realtime/audience.ts";
import {
  Connection,
  type DropReason,
  type ConnectionEvents,
} from "#features/realtime/connection.ts";
import { listenForever } from "#features/realtime/listening.ts";
import { channel, readClusterMessage } from "#features/realtime/payload.ts";
import { SendQueues } from "#features/realtime/send-queues.ts";
import { broadcastChanges } from "#features/realtime/sender.ts";

export interface CableSettings extends UpgradeOptions {
  /** Straight to the primary database, past any pooler of transactions. */
  connectionString: string;
  /** Requests of each session, which the processes tell each other; null when nobody limits them. */
  requestCounts: RequestCounts | null;
  /** The most bytes that may wait to be sent to all sockets together; 64 MiB unless given. */
  maxQueuedBytes?: number | undefined;
}

const maxMessageBytes = 64 * 1024;
/** Of one message: each costs some hundred bytes, however few of the message's it holds. */
const maxPieces = 1_024;
const pingEveryMs = 3_000;
const probeEveryPings = 10;
const checkSessionsEveryMs = 60_000;
const retryCheckMs = 1_000;
const farewellMs = 2_000;

const spoken = ["actioncable-v1-json", "actioncable-unsupported"];

/** What there is to know of the cable, for readiness and metrics. */
export interface CableFigures {
  sockets: number;
  subscriptions: number;
  deliveries: number;
  rejected: number;
  /** Upgrades that were refused because there were too many. */
  refused: number;
  drops: Record<DropReason, number>;
  isListening: boolean;
  gaps: number;
}

/**
 * Serve Action Cable's protocol at `/cable`, so that the unmodified `@rails/actioncable` client
 * works. A message is a hint to refetch; it reaches whoever subscribed, on every process.
 */
export function serveCable(app: FastifyInstance, settings: CableSettings): void {
  const audience = new Audience();
  const warn = (line: string) => app.log.warn(line);
  const sender = broadcastChanges(app.db, warn);
  const counting = settings.requestCounts?.tellOthers(app.db, warn);
  const line = hearOthers(app, settings, audience);
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
    maxFragments: maxPieces,
    maxBufferedChunks: maxPieces,
    perMessageDeflate: false,
    handleProtocols: (offered) => spoken.find((protocol) => offered.has(protocol)) ?? false,
  });

  app.get("/cable", async (_request, reply) =>
    reply.status(426).header("Upgrade", "websocket").send({
      success: false,
      object: null,
      message: "This address speaks WebSocket only.",
    }),
  );
  const door = handleUpgrades(app, settings, audience, (admission) =>
    server.handleUpgrade(admission.request, admission.socket, admission.head, (socket) =>
      open(socket, admission),
    ),
  );

  function open(socket: WebSocket, { actor, socket: stream }: Upgrade): void {
    // An error that nobody hears ends the process; the library closes the socket, with the right code.
    socket.on("error", () => undefined);
    if (!actor) return turnAway(socket);
    const log = app.log.child({ user: actor.userId, network: actor.networkId });
    const observer: ConnectionEvents = {
      onRejected: () => {
        counts.rejected += 1;
        log.info("a subscription was rejected");
      },
      onIgnored: () => log.debug("a message that is no command was ignored"),
      onDropped: (reason) => {
        counts.drops[reason] += 1;
        log.warn({ reason }, "a socket was dropped");
      },
    };
    const connection = new Connection({ socket, stream }, actor, { observer, queues });
    audience.add(connection);
    log.info("a socket was opened");
    socket.on("close", (code) => log.info({ code }, "a socket was closed"));
  }

  const pings = startPings(audience);
  app.addHook("preClose", async () => {
    door.close();
    clearInterval(pings);
    await sayGoodbye(audience);
  });
  // Once no request is under way: what the last of them changed is still told to the other processes.
  app.addHook("onClose", async () => {
    await sender.close();
    await counting?.close();
    await line.close();
  });
  app.decorate("cable", () => ({
    sockets: audience.connections.size,
    subscriptions: sum([...audience.connections].map((one) => one.subscriptions.size)),
    deliveries: audience.deliveries,
    rejected: counts.rejected,
    refused: door.refused(),
    drops: { ...counts.drops },
    isListening: line.isListening(),
    gaps: audience.gaps,
  }));
}

declare module "fastify" {
  interface FastifyInstance {
    /** How the cable is doing. */
    cable: () => CableFigures;
  }
}

/** An HTTP 401 would make the client retry for ever; told in its own words it stops by itself. */
function turnAway(socket: WebSocket): void {
  socket.send('{"type":"disconnect","reason":"unauthorized","reconnect":false}');
  socket.close(1000);
}

/** Pass on what all processes say, this one included: nothing is delivered by any other way. */
function hearOthers(
  app: FastifyInstance,
  { connectionString, requestCounts }: CableSettings,
  audience: Audience,
) {
  const stillOpen = (ids: number[]) => sessionsStillOpen(app.db, ids);
  const resume = (): void => {
    audience.resume(stillOpen).catch((problem: unknown) => {
      app.log.error({ err: problem }, "sessions could not be checked");
      setTimeout(() => line.isListening() && resume(), retryCheckMs);
    });
  };
  const line = listenForever(connectionString, {
    channels: {
      [channel]: (text) => {
        const said = readClusterMessage(text);
        if (!said) return;
        if ("endedSessionIds" in said) audience.end(said.endedSessionIds);
        else audience.tell(said.changes);
      },
      [requestCountsChannel]: (text) => requestCounts?.onMessage(text),
    },
    onLost: () => {
      app.log.warn("the real-time line was lost");
      audience.pause();
    },
    onListening: resume,
  });
  const check = setInterval(() => {
    audience
      .closeEnded(stillOpen)
      .catch((problem: unknown) =>
        app.log.error({ err: problem }, "sessions could not be checked"),
      );
  }, checkSessionsEveryMs);
  return {
    isListening: () => line.isListening(),
    close: async () => {
      clearInterval(check);
      await line.close();
    },
  };
}

/** One timer for all, and one text: a timer each would make bursts of its own. */
function startPings(audience: Audience): NodeJS.Timeout {
  let number = 0;
  return setInterval(() => {
    number += 1;
    const text = JSON.stringify({ type: "ping", message: Math.floor(Date.now() / 1000) });
    const isProbe = number % probeEveryPings === 0;
    for (const connection of audience.connections) connection.ping(text, isProbe);
  }, pingEveryMs);
}

async function sayGoodbye({ connections }: Audience): Promise<void> {
  for (const connection of connections) connection.disconnect("server_restart", true);
  const deadline = Date.now() + farewellMs;
  while (connections.size > 0 && Date.now() < deadline)
    await new Promise((resume) => setTimeout(resume, 20));
  for (const connection of connections) connection.socket.terminate();
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
