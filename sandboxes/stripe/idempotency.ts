import type { WireAnswer } from "../desk.ts";
import type { Books } from "./books.ts";
import { StripeRefusal } from "./refusals.ts";

const keptForMs = 24 * 3_600_000;

/** A POST that came with an Idempotency-Key. */
export interface Keyed {
  /** The key, within its account. */
  key: string;
  route: string;
  /** The parameters as they came, as a digest. */
  request: string;
  requestId: string;
}

/**
 * The layer of Idempotency-Keys: the first answer is kept for a day and replayed, 402 and 500 included.
 * Kept in mind only: keys in flight die with the process, as their connections do.
 */
export class Idempotency {
  readonly #books: Books;
  readonly #inFlight = new Set<string>();

  constructor(books: Books) {
    this.#books = books;
  }

  /**
   * The answer that was kept; null when the request is the first, which is then in flight until `ended`.
   * Throws a StripeRefusal when the key is in flight, or was used for something else.
   */
  begin({ key, route, request }: Keyed): WireAnswer | null {
    if (bare(key).length > 255) throw tooLong();
    if (this.#inFlight.has(key)) throw inFlight(key);
    const kept = this.#books.answers.get(key);
    if (!kept || this.#books.house.clock.now() - kept.at > keptForMs) {
      this.#inFlight.add(key);
      return null;
    }
    if (kept.route !== route || kept.request !== request)
      throw usedOtherwise(key, kept.route === route);
    const { status, body, requestId } = kept;
    const headers = {
      "content-type": "application/json",
      "idempotent-replayed": "true",
      "original-request": requestId,
    };
    return { status, body, headers };
  }

  keep({ key, route, request, requestId }: Keyed, { status, body }: WireAnswer): void {
    const at = this.#books.house.clock.now();
    this.#books.answers.set(key, { route, request, requestId, status, body, at });
  }

  ended({ key }: Keyed): void {
    this.#inFlight.delete(key);
  }
}

const bare = (key: string) => key.slice(key.indexOf(" ") + 1);

function inFlight(key: string): StripeRefusal {
  const message = `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${bare(key)}. Please try again later.`;
  const body = { type: "idempotency_error" as const, code: "idempotency_key_in_use", message };
  return new StripeRefusal(409, body, true);
}

function tooLong(): StripeRefusal {
  const message = "Idempotency keys must be 255 characters or less.";
  return new StripeRefusal(400, { type: "idempotency_error", message }, true);
}

function usedOtherwise(key: string, isSameRoute: boolean): StripeRefusal {
  const what = isSameRoute ? "parameters" : "endpoint";
  const message = `Keys for idempotent requests can only be used with the same ${what} they were first used with. Try using a key other than '${bare(key)}' if you meant to execute a different request.`;
  return new StripeRefusal(400, { type: "idempotency_error", message }, true);
}
