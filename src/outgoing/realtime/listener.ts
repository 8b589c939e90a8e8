import type { Client } from "pg";
import { newClient } from "#kit/db/database.ts";

export interface Listener {
  isListening(): boolean;
  close(): Promise<void>;
}

export interface ListenerEvents {
  /** The handler of each channel's payloads, called in the order of sending. */
  channels: Record<string, (payload: string) => void>;
  /** The connection is lost; notifications are missed from now on. */
  onLost(): void;
  /** It listens for the first time or again; called before any later payload. */
  onListening(): void;
}

const heartbeatEveryMs = 10_000;
const timeoutMs = 5_000;
const minPauseMs = 100;
/** Short, because the process is not ready until it listens. */
const maxPauseMs = 2_000;

/**
 * Keep one dedicated LISTEN connection; when lost, reconnect with growing pauses. It must lead directly to the
 * primary: LISTEN belongs to a session, and a transaction pooler accepts it but delivers nothing.
 */
export function listenWithReconnect(connectionString: string, listeners: ListenerEvents): Listener {
  let client: Client | null = null;
  let isReady = false;
  let isClosed = false;
  let pauseMs = minPauseMs;
  let retry: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const fresh = newClient(connectionString, "listener", {
      statementMs: timeoutMs,
      connectMs: timeoutMs,
    });
    client = fresh;
    fresh.on("error", () => lose(fresh));
    fresh.on("end", () => lose(fresh));
    fresh.on("notification", ({ channel, payload }) => {
      if (client === fresh) listeners.channels[channel]?.(payload ?? "");
    });
    try {
      await fresh.connect();
      for (const channel of Object.keys(listeners.channels)) await fresh.query(`listen ${channel}`);
    } catch {
      lose(fresh); // tries again after a pause; `isListening` is false until then
      return;
    }
    if (client !== fresh) return;
    isReady = true;
    pauseMs = minPauseMs;
    listeners.onListening();
  }

  function lose(lost: Client): void {
    if (client !== lost) return;
    client = null;
    if (isReady) listeners.onLost();
    isReady = false;
    lost.end().catch(() => undefined); // it may be closed already
    if (isClosed) return;
    retry = setTimeout(() => void connect(), pauseMs * (1 + Math.random() / 4));
    pauseMs = Math.min(maxPauseMs, pauseMs * 2);
  }

  /** Detects a dead connection that reports no error. */
  const heartbeat = setInterval(() => {
    const listening = client;
    if (!listening || !isReady) return;
    const timeout = setTimeout(() => lose(listening), timeoutMs);
    listening
      .query("select 1")
      .catch(() => lose(listening))
      .finally(() => clearTimeout(timeout));
  }, heartbeatEveryMs);
  void connect();

  return {
    isListening: () => isReady,
    close: async () => {
      isClosed = true;
      clearInterval(heartbeat);
      clearTimeout(retry);
      const last = client;
      client = null;
      isReady = false;
      await last?.end().catch(() => undefined); // it may be closed already
    },
  };
}
