import { ConnectionMonitor, type Consumer, createConsumer } from "@rails/actioncable";

// What the package has besides, missing from its types.
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

/** Who listens to what: a channel with its parameters. Source: domain rules §9. */
export type ChannelWanted = { channel: string } & Record<string, string | number>;

export interface CableListener {
  /** Something may have changed that a channel tells of: a message, or a (re)connection. */
  onHint(channel: string): void;
  /** Whether changes arrive, are being waited for, or will not arrive until the page is reloaded. */
  onState(state: CableState): void;
}
export type CableState = "live" | "connecting" | "ended";

const shortestPollSeconds = 3;
const longestPollSeconds = 30;

// The client of today polls every 6 s and more; ours keeps 3 to 30 s. Stale after 6 s and reopening
// after 500 ms are its own values. Source: spec §9.
Object.assign(ConnectionMonitor.prototype, {
  getPollInterval(this: { reconnectAttempts: number }) {
    const seconds = 5 * Math.log(this.reconnectAttempts + 1);
    const bounded = Math.min(longestPollSeconds, Math.max(shortestPollSeconds, seconds));
    return 1000 * bounded * (1 + 0.15 * Math.random());
  },
});

let consumer: Consumer | null = null;

/** Listen to channels over the page's one socket, until the answered function is called. */
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
  window.addEventListener("online", () => reopenAtOnce(connection), { signal: stopping.signal });
  return () => {
    stopping.abort();
    for (const subscription of made) subscription.unsubscribe();
    connection.close({ allowReconnect: false }); // another session has a line of its own
    connection.webSocket?.close(); // also where it was not open yet
    consumer = null;
  };
}

/** There is a network again: the pause until the next try, and how long it has grown, are of before. */
function reopenAtOnce(connection: Consumer["connection"]): void {
  const { monitor, webSocket } = connection;
  if (!monitor.isRunning()) return; // it has ended for good
  monitor.stop();
  monitor.reconnectAttempts = 0;
  monitor.start();
  if (!connection.isOpen()) webSocket?.close(); // a try of before may still be waiting for an answer
  connection.reopen(); // what looks open may have died without a word
}
