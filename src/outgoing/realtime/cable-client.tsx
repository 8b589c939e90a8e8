import { ConnectionMonitor, type Consumer, createConsumer } from "@rails/actioncable";

// Exported by the package but missing from its types.
declare module "@rails/actioncable" {
  /** Exported since 6.0. */
  export class ConnectionMonitor {
    reconnectAttempts: number;
    isRunning(): boolean;
    start(): void;
    stop(): void;
  }

  interface Consumer {
    readonly connection: {
      monitor: ConnectionMonitor;
      webSocket?: WebSocket;
      isOpen(): boolean;
      close(how: { allowReconnect: boolean }): void;
      reopen(): void;
    };
  }
}

/** A channel with its parameters. Source: domain rules §9. */
export type ChannelWanted = { channel: string } & Record<string, string | number>;

export interface CableListener {
  /** The channel's data may have changed: after a message or a (re)connection. */
  onHint(channel: string): void;
  /** Updates arrive ("live"), may soon ("connecting"), or need a reload ("ended"). */
  onState(state: CableState): void;
}
export type CableState = "live" | "connecting" | "ended";

const shortestPollSeconds = 3;
const longestPollSeconds = 30;

// The current client polls every 6 s or more; we restore 3 to 30 s. Its stale (6 s) and reopen (500 ms) values
// are already right. Source: spec §9.
Object.assign(ConnectionMonitor.prototype, {
  getPollInterval(this: { reconnectAttempts: number }) {
    const seconds = 5 * Math.log(this.reconnectAttempts + 1);
    const bounded = Math.min(longestPollSeconds, Math.max(shortestPollSeconds, seconds));
    return 1000 * bounded * (1 + 0.15 * Math.random());
  },
});

let consumer: Consumer | null = null;

/** Listen to channels over the page's one socket. Returns a function that stops listening. */
export function listen(channels: ChannelWanted[], listener: CableListener): () => void {
  consumer ??= createConsumer(); // at the page's action-cable-url, else /cable
  const { subscriptions } = consumer;
  const made = channels.map((channel) =>
    subscriptions.create(channel, {
      connected: () => {
        listener.onState("live");
        listener.onHint(channel.channel);
      },
      disconnected: (how: { willAttemptReconnect: boolean | undefined }) =>
        listener.onState(how.willAttemptReconnect ? "connecting" : "ended"),
      rejected: () => listener.onState("ended"),
      received: () => listener.onHint(channel.channel),
    }),
  );
  const { connection } = consumer;
  const stopping = new AbortController();
  window.addEventListener("online", () => reopenNow(connection), { signal: stopping.signal });
  return () => {
    stopping.abort();
    for (const subscription of made) subscription.unsubscribe();
    connection.close({ allowReconnect: false }); // another session gets its own connection
    connection.webSocket?.close(); // also if it was not open yet
    consumer = null;
  };
}

/** The network is back: reconnect now and reset the growing delay between attempts. */
function reopenNow(connection: Consumer["connection"]): void {
  const { monitor, webSocket } = connection;
  if (!monitor.isRunning()) return; // it has ended for good
  monitor.stop();
  monitor.reconnectAttempts = 0;
  monitor.start();
  if (!connection.isOpen()) webSocket?.close(); // an earlier attempt may still be waiting
  connection.reopen(); // an open socket may be dead
}
