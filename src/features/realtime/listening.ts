import type { Client } from "pg";
import { newClient } from "#db/database.ts";

export interface Line {
  isListening(): boolean;
  close(): Promise<void>;
}

export interface LineListeners {
  /** What hears the payloads of each channel, in the order of sending. */
  channels: Record<string, (payload: string) => void>;
  /** The line is down: what is sent from here on is missed. */
  onLost(): void;
  /** It listens, for the first time or again; told before any payload that comes after. */
  onListening(): void;
}

const heartbeatEveryMs = 10_000;
const timeoutMs = 5_000;
const minPauseMs = 100;
const maxPauseMs = 5_000;

/**
 * Hold one dedicated connection that listens; when it is lost, come back with growing pauses. It
 * must lead straight to the primary: LISTEN belongs to a session, and a transaction pooler takes it
 * without a word and delivers nothing.
 */
export function listenForever(connectionString: string, listeners: LineListeners): Line {
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
      lose(fresh); // tried again after a pause; `isListening` says so meanwhile
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
    lost.end().catch(() => undefined); // it is lost: there may be nothing left to end
    if (isClosed) return;
    retry = setTimeout(() => void connect(), pauseMs * (1 + Math.random() / 4));
    pauseMs = Math.min(maxPauseMs, pauseMs * 2);
  }

  /** A line that is dead without saying so answers nothing. */
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
      await last?.end().catch(() => undefined); // nothing left to do about a line that will not close
    },
  };
}
