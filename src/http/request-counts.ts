import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";

/** PostgreSQL's channel by which the processes tell each other how many requests they have taken. */
export const requestCountsChannel = "request_counts";

interface Window {
  endsAt: number;
  here: number;
  /** Of those here, how many the other processes have been told of. */
  told: number;
  /** What the other processes have told. */
  elsewhere: number;
}

/** Fewer than this in a minute are nobody else's concern: people at their work cost no message. */
const worthTelling = 30;
const tellEveryMs = 1_000;

/**
 * The requests of each session within its minute: those that came to this process, exactly, and
 * those of the other processes as far as they have told, which they do every second. Several
 * processes together let through what the limit says, and at most `worthTelling` each and a second's
 * requests more. One that has just started, or whose line was lost, knows of what is told from then
 * on. A row in the database for each request would be exact, and costs too much: docs/decisions/043.
 */
export class RequestCounts {
  readonly #name = randomUUID();
  readonly #windows = new Map<number, Window>();
  readonly #windowMs: number;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Count one request. Answers how many there are, and how long until they are forgotten. */
  count(sessionId: number): { current: number; ttl: number } {
    const window = this.#windowOf(sessionId);
    window.here += 1;
    return { current: window.here + window.elsewhere, ttl: window.endsAt - performance.now() };
  }

  /** Tell the other processes of busy sessions, until it is closed; what fails, `log` is told. */
  tellOthers(db: Db, log: (line: string) => void): { close(): Promise<void> } {
    let telling = Promise.resolve();
    const tell = async () => {
      const messages = this.#takeUntold();
      if (messages.length === 0) return;
      try {
        await sql`select pg_notify(${requestCountsChannel}, message)
          from unnest(${messages}::text[]) as message`.execute(db);
      } catch (problem) {
        log(`Request counts could not be told: ${String(problem)}`); // each process then counts alone
      }
    };
    const timer = setInterval(() => void (telling = telling.then(tell)), tellEveryMs);
    return {
      close: async () => {
        clearInterval(timer);
        await telling;
      },
    };
  }

  /** What a process says; this one's own is known already, and another program's is none of ours. */
  onMessage(text: string): void {
    const [, name, sessionId, requests] = /^(\S+) (\d+) (\d+)$/.exec(text) ?? [];
    if (name === undefined || name === this.#name) return;
    this.#windowOf(Number(sessionId)).elsewhere += Number(requests);
  }

  /** One message for each busy session; what it says counts as told from now on. */
  #takeUntold(): string[] {
    const now = performance.now();
    const messages: string[] = [];
    for (const [sessionId, window] of this.#windows) {
      if (window.endsAt <= now) this.#windows.delete(sessionId);
      else if (window.here >= worthTelling && window.here > window.told) {
        messages.push(`${this.#name} ${sessionId} ${window.here - window.told}`);
        window.told = window.here;
      }
    }
    return messages;
  }

  #windowOf(sessionId: number): Window {
    const now = performance.now();
    const known = this.#windows.get(sessionId);
    if (known && known.endsAt > now) return known;
    const fresh = { endsAt: now + this.#windowMs, here: 0, told: 0, elsewhere: 0 };
    this.#windows.set(sessionId, fresh);
    return fresh;
  }
}
