import pg from "pg";
import { z } from "zod";
import { type Change, onChanges } from "#server/changes.ts";

/** What every process hears, its own messages too, in the order of commits. */
export interface Backplane {
  onChange(listener: (change: Change) => void): void;
  /** Sessions that ended: signed out, password changed, account removed. */
  onSessionsEnded(listener: (sessionIds: number[]) => void): void;
  /** The line was down: anything may have been missed. */
  onGap(listener: () => void): void;
  isListening(): boolean;
  close(): Promise<void>;
}

export interface BackplaneSettings {
  pool: pg.Pool;
  /** Straight to the primary: LISTEN belongs to a session and does not survive a transaction pooler. */
  connectionString: string;
  log: (line: string) => void;
}

const channel = "cable";
const sendEveryMs = 50;
const greatestPayloadBytes = 7_500;
const heartbeatEveryMs = 10_000;
const heartbeatPatienceMs = 5_000;
const greatestPauseMs = 5_000;

/** `changes`: [network id, attorney id or null, topic]. */
const Payload = z.union([
  z.object({
    v: z.literal(1),
    changes: z.array(
      z.tuple([z.number(), z.number().nullable(), z.enum(["subscriptions", "exports"])]),
    ),
  }),
  z.object({ v: z.literal(1), ended: z.array(z.number()) }),
]);

/**
 * Carry hints between processes over PostgreSQL's LISTEN/NOTIFY. What a transaction announced is
 * sent after its commit and outside of it, since a NOTIFY in a hot transaction would make commits
 * take turns. A crash in between loses a hint; clients refetch on connecting, which bounds that.
 */
export function openBackplane(settings: BackplaneSettings): Backplane {
  const changeListeners: ((change: Change) => void)[] = [];
  const endListeners: ((sessionIds: number[]) => void)[] = [];
  const gapListeners: (() => void)[] = [];
  const sender = startSender(settings);
  const line = keepListening(settings, {
    onPayload: (text) => {
      const payload = readPayload(text);
      if (payload && "ended" in payload) for (const tell of endListeners) tell(payload.ended);
      else if (payload)
        for (const [networkId, attorneyId, topic] of payload.changes)
          for (const tell of changeListeners) tell({ networkId, attorneyId, topic });
    },
    onGap: () => {
      for (const tell of gapListeners) tell();
    },
  });
  return {
    onChange: (listener) => void changeListeners.push(listener),
    onSessionsEnded: (listener) => void endListeners.push(listener),
    onGap: (listener) => void gapListeners.push(listener),
    isListening: line.isListening,
    close: async () => {
      await sender.close();
      await line.close();
    },
  };
}

function readPayload(text: string | undefined) {
  try {
    return Payload.safeParse(JSON.parse(text ?? "")).data;
  } catch {
    return undefined; // not ours: another program may use the channel's name
  }
}

/** At most one NOTIFY every 50 ms; the first after a quiet while goes out at once. */
function startSender({ pool, log }: BackplaneSettings) {
  let queue: Change[] = [];
  let isSending = false;
  let isClosed = false;
  const stop = onChanges((changes) => {
    queue.push(...changes);
    if (!isSending) void sendUntilEmpty();
  });

  async function sendUntilEmpty(): Promise<void> {
    isSending = true;
    while (queue.length > 0) {
      const changes = queue;
      queue = [];
      try {
        for (const payload of payloadsOf(changes))
          await pool.query("select pg_notify($1, $2)", [channel, payload]);
      } catch (problem) {
        log(`Real-time hints could not be sent: ${String(problem)}`);
      }
      if (!isClosed) await new Promise((resume) => setTimeout(resume, sendEveryMs));
    }
    isSending = false;
  }

  return {
    close: async () => {
      stop();
      isClosed = true;
      while (isSending) await new Promise((resume) => setTimeout(resume, 10));
    },
  };
}

function payloadsOf(changes: Change[]): string[] {
  const payloads: string[] = [];
  let entries: string[] = [];
  let bytes = 0;
  const finish = () => {
    if (entries.length > 0) payloads.push(`{"v":1,"changes":[${entries.join(",")}]}`);
    entries = [];
    bytes = 0;
  };
  for (const { networkId, attorneyId, topic } of changes) {
    const entry = JSON.stringify([networkId, attorneyId, topic]);
    if (bytes + entry.length > greatestPayloadBytes) finish();
    entries.push(entry);
    bytes += entry.length + 1;
  }
  finish();
  return payloads;
}

interface LineListeners {
  onPayload: (text: string | undefined) => void;
  onGap: () => void;
}

/** Hold one dedicated connection that listens; when it is lost, come back with growing pauses. */
function keepListening(settings: BackplaneSettings, listeners: LineListeners) {
  let client: pg.Client | null = null;
  let isClosed = false;
  let hasListened = false;
  let pauseMs = 100;
  let retry: NodeJS.Timeout | undefined;

  const lose = (lost: pg.Client) => {
    if (client !== lost) return;
    client = null;
    lost.end().catch(() => undefined); // it is lost: there may be nothing left to end
    if (!isClosed) {
      retry = setTimeout(() => void connect(), pauseMs * (1 + Math.random() / 4));
      pauseMs = Math.min(greatestPauseMs, pauseMs * 2);
    }
  };

  async function connect(): Promise<void> {
    const fresh = new pg.Client({
      connectionString: settings.connectionString,
      application_name: "referral-network listener",
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    client = fresh;
    isReady = false;
    fresh.on("error", () => lose(fresh));
    fresh.on("end", () => lose(fresh));
    fresh.on("notification", (message) => listeners.onPayload(message.payload));
    try {
      await fresh.connect();
      await fresh.query(`listen ${channel}`);
    } catch {
      lose(fresh); // tried again after a pause; `isListening` says so meanwhile
      return;
    }
    if (client !== fresh) return;
    isReady = true;
    pauseMs = 100;
    if (hasListened) listeners.onGap();
    hasListened = true;
  }

  let isReady = false;
  const heartbeat = setInterval(() => {
    const listening = client;
    if (!listening || !isReady) return;
    const patience = setTimeout(() => lose(listening), heartbeatPatienceMs);
    listening
      .query("select 1")
      .catch(() => lose(listening))
      .finally(() => clearTimeout(patience));
  }, heartbeatEveryMs);
  void connect();

  return {
    isListening: () => client !== null && isReady,
    close: async () => {
      isClosed = true;
      clearInterval(heartbeat);
      clearTimeout(retry);
      const last = client;
      client = null;
      await last?.end().catch(() => undefined); // nothing left to do about a line that will not close
    },
  };
}
