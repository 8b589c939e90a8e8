import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";

/** The LISTEN/NOTIFY channel on which the processes publish their request counts. */
export const requestCountsChannel = "request_counts";

interface Window {
  endsAt: number;
  local: number;
  /** How many of the local requests have been published to the other processes. */
  published: number;
  /** What the other processes have published. */
  remote: number;
}

/** Fewer than this in a minute are not published: ordinary use costs no message. */
const publishThreshold = 30;
const publishEveryMs = 1_000;

/**
 * The requests of each session or token within its minute: exactly those of this process, and those that the
 * other processes publish every second. Several processes together let through the limit, and at most
 * `publishThreshold` each and one second's requests more. A process that has just started, or whose
 * LISTEN connection was lost, counts what is published from then on. A database row for each request
 * would be exact but costs too much: docs/decisions/043.
 */
export class RequestCounts {
  readonly #name = randomUUID();
  readonly #windows = new Map<string, Window>();
  readonly #windowMs: number;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Count one request. Answers how many there are, and the milliseconds until the window ends. */
  count(key: string): { current: number; ttl: number } {
    const window = this.#windowOf(key);
    window.local += 1;
    return { current: window.local + window.remote, ttl: window.endsAt - performance.now() };
  }

  /** Publish what is busy to the other processes until closed; failures are logged. */
  publishTo(db: Db, log: (line: string) => void): { close(): Promise<void> } {
    let publishing = Promise.resolve();
    const publish = async () => {
      const messages = this.#takeUnpublished();
      if (messages.length === 0) return;
      try {
        await sql`select pg_notify(${requestCountsChannel}, message)
          from unnest(${messages}::text[]) as message`.execute(db);
      } catch (problem) {
        log(`Request counts could not be told: ${String(problem)}`); // each process then counts alone
      }
    };
    const timer = setInterval(() => void (publishing = publishing.then(publish)), publishEveryMs);
    return {
      close: async () => {
        clearInterval(timer);
        await publishing;
      },
    };
  }

  /** Add another process's count. This process's own messages and other programs' are ignored. */
  onMessage(text: string): void {
    const [, name, key = "", requests] = /^(\S+) (.+) (\d+)$/.exec(text) ?? [];
    if (name === undefined || name === this.#name) return;
    this.#windowOf(key).remote += Number(requests);
  }

  /** One message for each busy one; its requests count as published from now on. */
  #takeUnpublished(): string[] {
    const now = performance.now();
    const messages: string[] = [];
    for (const [key, window] of this.#windows) {
      if (window.endsAt <= now) this.#windows.delete(key);
      else if (window.local >= publishThreshold && window.local > window.published) {
        messages.push(`${this.#name} ${key} ${window.local - window.published}`);
        window.published = window.local;
      }
    }
    return messages;
  }

  #windowOf(key: string): Window {
    const now = performance.now();
    const known = this.#windows.get(key);
    if (known && known.endsAt > now) return known;
    const opened = { endsAt: now + this.#windowMs, local: 0, published: 0, remote: 0 };
    this.#windows.set(key, opened);
    return opened;
  }
}
