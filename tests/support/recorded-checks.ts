import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { payByCheck } from "#payments/contract.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";
import type { Db } from "#kit/db/database.ts";
import { sessionCookieName } from "#kit/http/session.ts";
import { aSession } from "#tests/support/visitor.ts";

const clients = 8;
const millisecondsBetween = 5;

/**
 * Eight clients who record checks of one cent over HTTP, each as soon as the one before is answered, and
 * remember the acknowledged ones.
 */
export class RecordedChecks {
  /** Check number to the time at which the server had acknowledged it. */
  readonly acknowledged = new Map<string, number>();
  readonly #name: string;
  readonly #address: string;
  readonly #headers: Record<string, string>;
  readonly #debits: number[];
  #over: AbortController | null = null;
  #all: Promise<void>[] = [];
  #made = 0;

  private constructor(from: {
    name: string;
    address: string;
    headers: Record<string, string>;
    debits: number[];
  }) {
    this.#name = from.name;
    this.#address = from.address;
    this.#headers = from.headers;
    this.#debits = from.debits;
  }

  /** `name` begins each check's number; `address` is that of a server on `db`. */
  static async begin(
    name: string,
    at: { address: string; db: Db; secret: string; network: MadeNetwork },
  ): Promise<RecordedChecks> {
    const { cookie, csrf } = await aSession(at, at.network.admin.userId);
    const { rows } = await sql<{ id: number }>`
      select id from debits where network_id = ${at.network.id} and balance_cents - pending_cents > 1500
      order by id desc limit 200`.execute(at.db);
    const checks = new RecordedChecks({
      name,
      address: at.address,
      headers: {
        cookie: `${sessionCookieName(false)}=${cookie}`,
        "x-csrf-token": csrf,
        "content-type": "application/json",
        origin: at.address,
      },
      debits: rows.map(({ id }) => id),
    });
    checks.resume();
    return checks;
  }

  resume(): void {
    const over = new AbortController();
    this.#over = over;
    this.#all = Array.from({ length: clients }, () => this.#record(over.signal));
  }

  /** Ends when the last answer has arrived, or cannot arrive any more. */
  async pause(): Promise<void> {
    this.#over?.abort();
    await Promise.all(this.#all);
  }

  /** Acknowledged checks that a database does not have: when each was acknowledged. */
  async missingIn(db: Db): Promise<number[]> {
    const { rows } = await sql<{ number: string }>`
      select check_number as number from payments where check_number like ${`${this.#name}-%`}`.execute(
      db,
    );
    const known = new Set(rows.map(({ number }) => number));
    return [...this.acknowledged].filter(([number]) => !known.has(number)).map(([, at]) => at);
  }

  /** A killed server answers nothing, or 503: such a check counts as not recorded. */
  async #record(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const number = `${this.#name}-${(this.#made += 1)}`;
      const debit = this.#debits[this.#made % this.#debits.length] ?? 0;
      const body = JSON.stringify({ payment_hash: { [debit]: "0.01" }, check_number: number });
      const request = { method: payByCheck.method, headers: this.#headers, body };
      const answer = await fetch(`${this.#address}${payByCheck.path}`, request).catch(() => null);
      if (answer?.status === 200) this.acknowledged.set(number, Date.now());
      else if (answer && answer.status < 500)
        throw new Error(`${answer.status} ${await answer.text()}`);
      await answer?.arrayBuffer().catch(() => null);
      await pause(millisecondsBetween);
    }
  }
}
