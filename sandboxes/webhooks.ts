import { setTimeout as sleep } from "node:timers/promises";
import type { Faults } from "./faults.ts";

export interface Delivery {
  eventId: string;
  type: string;
  url: string;
  /** The answer's status; null without an answer. */
  status: number | null;
  at: string;
}

export interface WebhookEvent {
  id: string;
  type: string;
  body: string;
}

/** Headers with a body's signature, made when it is sent; `isForged` asks for a wrong one. */
type Sign = (body: string, isForged: boolean) => Record<string, string>;

/** Real processors wait hours between attempts; tests and demos cannot. */
const retryAfterMs = [500, 2_000, 10_000];

/** Sends a processor's webhooks in the background, with retries, in no fixed order. */
export class WebhookSender {
  readonly #faults: Faults;
  readonly #sign: Sign;
  readonly #underWay = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #urls = new Set<string>();
  #deliveries: Delivery[] = [];

  constructor(faults: Faults, sign: Sign) {
    this.#faults = faults;
    this.#sign = sign;
  }

  addUrl(url: string): void {
    this.#urls.add(url);
  }

  deliveries(): Delivery[] {
    return [...this.#deliveries];
  }

  reset(): void {
    this.#urls.clear();
    this.#deliveries = [];
  }

  send(event: WebhookEvent): void {
    for (const url of this.#urls) this.#sendTo(url, event);
  }

  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.idle();
  }

  #sendTo(url: string, event: WebhookEvent): void {
    const fault = this.#faults.next("webhook");
    if (fault?.kind === "webhook-lost") return;
    const delayMs = fault?.kind === "webhook-late" ? fault.delayMs : 0;
    if (fault?.kind === "webhook-forged") this.#track(this.#attempt(url, event, true));
    if (fault?.kind === "webhook-twice") this.#track(this.#deliver(url, event, 0));
    this.#track(this.#deliver(url, event, delayMs));
  }

  #track(delivering: Promise<unknown>): void {
    const tracked = delivering
      .then(() => undefined)
      .catch(() => undefined) // closing: nobody is left to notify
      .finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  async #deliver(url: string, event: WebhookEvent, delayMs: number): Promise<void> {
    const { signal } = this.#closing;
    await sleep(delayMs, undefined, { signal, ref: false });
    for (const waitMs of [...retryAfterMs, null]) {
      const status = await this.#attempt(url, event, false);
      if (waitMs === null || (status !== null && status < 300)) return;
      await sleep(waitMs, undefined, { signal, ref: false });
    }
  }

  async #attempt(url: string, event: WebhookEvent, isForged: boolean): Promise<number | null> {
    const { id: eventId, type, body } = event;
    const at = new Date().toISOString();
    const status = await this.#post(url, body, isForged);
    this.#deliveries.push({ eventId, type, url, status, at });
    return status;
  }

  async #post(url: string, body: string, isForged: boolean): Promise<number | null> {
    const headers = { "content-type": "application/json", ...this.#sign(body, isForged) };
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(10_000)]);
    try {
      const answer = await fetch(url, {
        method: "POST",
        headers,
        body,
        redirect: "manual",
        signal,
      });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return null;
    }
  }
}
