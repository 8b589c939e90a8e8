import { randomUUID } from "node:crypto";

interface Window {
  endsAt: number;
  here: number;
  /** Of those here, how many other processes have been told of. */
  told: number;
  /** What the other processes have told. */
  elsewhere: number;
}

/** How many requests of a session a process has taken that the others do not know of. */
export type UnsentRequestCount = [sessionId: number, requests: number];

/** Fewer than this in a minute are nobody else's concern: people at their work cost no message. */
const worthTelling = 30;

/**
 * The requests of each session within its minute: those that came to this process, exactly, and
 * those of the other processes as far as they have told. Several processes together let through what
 * the limit says, and at most `worthTelling` each and a second's requests more. One that has just
 * started, or whose line was lost, knows of what is told from then on.
 */
export class RequestCounts {
  /** By what the processes tell each other apart. */
  readonly name = randomUUID();
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

  /** What the process of that name tells; what this one has told itself it knows already. */
  hear(name: string, told: UnsentRequestCount[]): void {
    if (name === this.name) return;
    for (const [sessionId, requests] of told) this.#windowOf(sessionId).elsewhere += requests;
  }

  /** What the others are to be told; it counts as told from now on. */
  untold(): UnsentRequestCount[] {
    const now = performance.now();
    const found: UnsentRequestCount[] = [];
    for (const [sessionId, window] of this.#windows) {
      if (window.endsAt <= now) this.#windows.delete(sessionId);
      else if (window.here >= worthTelling && window.here > window.told) {
        found.push([sessionId, window.here - window.told]);
        window.told = window.here;
      }
    }
    return found;
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
