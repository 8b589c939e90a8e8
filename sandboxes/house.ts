import type { Memory } from "./shelf.ts";
import type { Post } from "./webhooks.ts";

/** What all five sandboxes stand on. */
export interface House {
  clock: Clock;
  memory: Memory;
  random: () => number;
  /** Every call takes at least this long. */
  latencyMs: number;
  post: Post;
}

/** The sandboxes' own time: the machine's, moved on by tests that will not wait for a token to expire. */
export class Clock {
  #aheadMs = 0;

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  iso(): string {
    return new Date(this.now()).toISOString();
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
  }
}
