import { randomUUID } from "node:crypto";
import type { Sandboxes } from "#sandboxes/start.ts";
import { sha256Of } from "#features/cards/card-payment-context.ts";
import { sessionCookieName } from "#http/session.ts";
import { anetToken, cardOf } from "#tests/support/card-browser.ts";

/** An attorney who is signed in and owes something. */
export interface PayingLawyer {
  cookie: string;
  csrf: string;
  debit: number;
}

/** One payment of a dollar by card, through Authorize.Net: what tells it in the records, and how it was answered. */
export interface CardAttempt {
  tokenHash: string;
  /** Null where nobody answered. */
  status: number | null;
  said: string;
}

/** Pay a dollar by card at an address of the product. */
export async function payADollar(
  { cookie, csrf, debit }: PayingLawyer,
  { address, sandboxes }: { address: string; sandboxes: Sandboxes },
): Promise<CardAttempt> {
  const token = await anetToken({ sandboxes, card: cardOf("anet") });
  const tokenHash = sha256Of(token);
  try {
    const answer = await fetch(`${address}/lrs_subscription_online_payments/`, {
      method: "POST",
      headers: {
        cookie: `${sessionCookieName(false)}=${cookie}`,
        "x-csrf-token": csrf,
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
      },
      body: JSON.stringify({ payment_hash: { [debit]: "1.00" }, token }),
      redirect: "manual",
    });
    return { tokenHash, status: answer.status, said: await answer.text() };
  } catch {
    return { tokenHash, status: null, said: "" };
  }
}

/** Lawyers who pay one dollar after the other, each until it is not said that it was paid. */
export class PayingLawyers {
  readonly attempts: CardAttempt[] = [];
  #isOver = false;
  readonly #all: Promise<void>[];

  constructor(lawyers: PayingLawyer[], at: { address: string; sandboxes: Sandboxes }) {
    this.#all = lawyers.map(async (lawyer) => {
      let isPaid = true;
      while (isPaid && !this.#isOver) {
        const attempt = await payADollar(lawyer, at);
        this.attempts.push(attempt);
        isPaid = attempt.status === 200;
      }
    });
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#all);
  }
}
