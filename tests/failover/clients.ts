import { randomUUID } from "node:crypto";
import { setTimeout as after } from "node:timers/promises";
import { sha256Of } from "#features/cards/card-payment-context.ts";
import type { Sandboxes } from "#sandboxes/start.ts";
import { anetToken, cardOf } from "#tests/support/card-browser.ts";
import type { Session } from "#tests/faults/caller.ts";

/** What a client asks for, with every answer to it: null where nobody answered. */
export interface Deed {
  kind: Kind;
  key: string;
  path: string;
  body: unknown;
  session: Session;
  /** What tells it from all others in the database: a check's number, a token's hash, a note. */
  mark: string;
  statuses: (number | null)[];
  /** When it was acknowledged (2xx, and not "ask again"), by `performance.now()`. */
  acknowledgedAt: number | null;
}

export type Kind = "check" | "card payment" | "bill";

export interface Payer {
  session: Session;
  attorneyId: number;
  debit: number;
}

/** Whom the clients are, and where they call. */
export interface Desk {
  /** Of the web processes, which are asked in turn. */
  addresses: string[];
  sandboxes: Sandboxes;
  admin: Session;
  payers: Payer[];
  plan: number;
  /** In the network's time zone. */
  today: string;
}

/** Longer than a request may take, and than the claim of a key whose request has died. */
const endWithinMs = 240_000;

const kinds: Kind[] = ["check", "card payment", "bill"];

/**
 * Sixteen people who record checks, pay by card and bill, each again as soon as they are answered. Who
 * hears nothing, or that it did not work, sends the same once more with the same Idempotency-Key.
 */
export class Clients {
  readonly deeds: Deed[] = [];
  /** When each process acknowledged something, in order, and when that had been sent. */
  readonly acknowledged = new Map<string, { sentAt: number; at: number }[]>();
  readonly refusals: string[] = [];
  readonly #desk: Desk;
  #isOver = false;
  readonly #all: Promise<void>[];

  constructor(desk: Desk) {
    this.#desk = desk;
    for (const address of desk.addresses) this.acknowledged.set(address, []);
    this.#all = desk.payers.map((payer, lane) => this.#goOn(payer, lane));
  }

  /**
   * When each of them has the answer to what it asked for last; `letTimePass` is called now and then
   * while all that is open is being confirmed. Rejects with what nobody will be told of.
   */
  async end(letTimePass: () => Promise<void>): Promise<void> {
    this.#isOver = true;
    const ended = Promise.all(this.#all).then(() => true);
    const until = performance.now() + endWithinMs;
    while (!(await Promise.race([ended, after(2_000, false)]))) {
      const open = this.deeds.filter((deed) => !isAnswered(deed));
      if (performance.now() > until)
        throw new Error(`Nobody is told how these went: ${JSON.stringify(open)}`);
      if (open.every(({ statuses }) => statuses.at(-1) === 202)) await letTimePass();
    }
  }

  /** Card payments of which the answer was, after some time, that the card was not charged. */
  calledOff(): Deed[] {
    return this.deeds.filter(({ statuses }) => isRefusal(statuses.at(-1)));
  }

  acknowledgedBefore(moment: number): Deed[] {
    return this.deeds.filter(({ acknowledgedAt: at }) => at !== null && at < moment);
  }

  /** What has had an answer, or none, that leaves open whether it was done. */
  leftOpenAt(moment: number): Deed[] {
    return this.deeds.filter(
      ({ statuses, acknowledgedAt: at }) => statuses.length > 1 && at !== null && at > moment,
    );
  }

  async #goOn(payer: Payer, lane: number): Promise<void> {
    const kind = kinds[lane % kinds.length] ?? "check";
    while (!this.#isOver) await this.#untilAcknowledged(await this.#next(kind, payer), lane);
  }

  async #next(kind: Kind, payer: Payer): Promise<Deed> {
    const { sandboxes, admin, plan, today } = this.#desk;
    const key = randomUUID();
    const shares = { payment_hash: { [payer.debit]: "1.00" } };
    const deed = { kind, key, mark: key, statuses: [], acknowledgedAt: null };
    const { session } = payer;
    if (kind === "check") {
      const mark = key.replaceAll("-", "");
      const body = { ...shares, check_number: mark };
      return { ...deed, mark, body, session, path: "/lrs_subscription_check_payments/" };
    }
    if (kind === "card payment") {
      const token = await anetToken({ sandboxes, card: cardOf("anet") });
      const body = { ...shares, token };
      const mark = sha256Of(token);
      return { ...deed, mark, body, session, path: "/lrs_subscription_online_payments/" };
    }
    const body = {
      attorney_id: payer.attorneyId,
      lrs_subscription_id: plan,
      start_date: today,
      bill_immediately: true,
      note: key,
    };
    return { ...deed, body, session: admin, path: "/lrs_subscription_instances/" };
  }

  async #untilAcknowledged(deed: Deed, lane: number): Promise<void> {
    this.deeds.push(deed);
    const { addresses } = this.#desk;
    for (let turn = lane; !isAnswered(deed); turn += 1) {
      const address = addresses[turn % addresses.length] ?? "";
      const sentAt = performance.now();
      const status = await this.#send(address, deed);
      deed.statuses.push(status);
      if (isDone(status)) {
        deed.acknowledgedAt = performance.now();
        this.acknowledged.get(address)?.push({ sentAt, at: deed.acknowledgedAt });
      } else await after(status === 202 ? 1_000 : 50);
    }
  }

  async #send(address: string, deed: Deed): Promise<number | null> {
    const { key, path, body, session, statuses } = deed;
    try {
      const answer = await fetch(`${address}${path}`, {
        method: "POST",
        headers: {
          cookie: session.cookie,
          "x-csrf-token": session.csrf,
          "content-type": "application/json",
          "idempotency-key": key,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(60_000),
      });
      const text = await answer.text();
      const { status } = answer;
      // One that was begun and never reached the processor is called off in the end.
      if (isRefusal(status) && !statuses.includes(202))
        this.refusals.push(`${path}: ${status} ${text.slice(0, 300)}`);
      return status;
    } catch {
      return null;
    }
  }
}

const isDone = (status: number | null) => status !== null && status < 300 && status !== 202;

/** No answer after which the same is sent again. */
const isRefusal = (status: number | null = null) =>
  status !== null && status >= 400 && status !== 409 && status !== 503;

const isAnswered = ({ statuses }: Deed) => {
  const last = statuses.at(-1) ?? null;
  return isDone(last) || isRefusal(last);
};
