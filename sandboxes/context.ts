import type { RecordStore } from "./record-store.ts";

export interface SandboxContext {
  clock: Clock;
  records: RecordStore;
  random: () => number;
}

/** The sandboxes' own time: the machine's, moved forward by tests that cannot wait for a token to expire. */
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
