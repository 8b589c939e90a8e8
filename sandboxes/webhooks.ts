import { setTimeout as sleep } from "node:timers/promises";
import type { Faults } from "./faults.ts";

/** One attempt to deliver an event. */
export interface Delivery {
  eventId: string;
  type: string;
  url: string;
  /** Of the answer; null when there was none. */
  status: number | null;
  at: string;
}

export interface Letter {
  faults: Faults;
  eventId: string;
  type: string;
  url: string;
  body: string;
  /** Signed at the moment of sending; `isForged` asks for a signature that does not fit. */
  headers: (isForged: boolean) => Record<string, string>;
  delivered: (delivery: Delivery) => void;
}

/** The real ones wait for hours between attempts; tests and demos have less patience. */
const retryAfterMs = [500, 2_000, 10_000];

/** Delivers webhooks in the background, again after a failure, in no promised order. */
export class Post {
  readonly #underWay = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  send(letter: Letter): void {
    const fault = letter.faults.next("webhook");
    if (fault?.kind === "webhook-lost") return;
    const delayMs = fault?.kind === "webhook-late" ? fault.delayMs : 0;
    if (fault?.kind === "webhook-forged") this.#keep(this.#attempt(letter, true));
    if (fault?.kind === "webhook-twice") this.#keep(this.#deliver(letter, 0));
    this.#keep(this.#deliver(letter, delayMs));
  }

  /** Resolves when nothing is under way any more. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.idle();
  }

  #keep(delivering: Promise<unknown>): void {
    const kept = delivering
      .then(() => undefined)
      .catch(() => undefined) // closing: nobody is left to tell
      .finally(() => this.#underWay.delete(kept));
    this.#underWay.add(kept);
  }

  async #deliver(letter: Letter, delayMs: number): Promise<void> {
    const { signal } = this.#closing;
    await sleep(delayMs, undefined, { signal, ref: false });
    for (const waitMs of [...retryAfterMs, null]) {
      const status = await this.#attempt(letter, false);
      if (waitMs === null || (status !== null && status < 300)) return;
      await sleep(waitMs, undefined, { signal, ref: false });
    }
  }

  async #attempt(letter: Letter, isForged: boolean): Promise<number | null> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(10_000)]);
    const { eventId, type, url } = letter;
    const delivery = { eventId, type, url, status: null, at: new Date().toISOString() };
    try {
      const answer = await fetch(letter.url, {
        method: "POST",
        headers: { "content-type": "application/json", ...letter.headers(isForged) },
        body: letter.body,
        redirect: "manual",
        signal,
      });
      await answer.arrayBuffer();
      letter.delivered({ ...delivery, status: answer.status });
      return answer.status;
    } catch {
      letter.delivered(delivery);
      return null;
    }
  }
}
