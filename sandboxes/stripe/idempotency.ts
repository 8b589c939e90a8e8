import type { HttpAnswer } from "../call-handler.ts";
import { StripeError } from "./errors.ts";
import type { StripeStore } from "./store.ts";

const lifetimeMs = 24 * 3_600_000;

export interface KeyedRequest {
  /** The key, within its account. */
  key: string;
  route: string;
  /** The received parameters, as a digest. */
  request: string;
  requestId: string;
}

/**
 * Idempotency-Keys: the first answer, even a 402 or 500, is stored for a day and replayed. Keys in flight
 * are only in memory: they end with the process, like their connections.
 */
export class Idempotency {
  readonly #store: StripeStore;
  readonly #inFlight = new Set<string>();

  constructor(store: StripeStore) {
    this.#store = store;
  }

  /**
   * The stored answer; null if the request is the first, which is then in flight until `end`. Throws a
   * StripeError if the key is in flight or was used for something else.
   */
  begin({ key, route, request }: KeyedRequest): HttpAnswer | null {
    if (withoutAccount(key).length > 255) {
      throw idempotencyError(400, "Idempotency keys must be 255 characters or less.");
    }
    if (this.#inFlight.has(key)) throw inFlight(key);
    const stored = this.#store.answers.get(key);
    if (!stored || this.#store.context.clock.now() - stored.at > lifetimeMs) {
      this.#inFlight.add(key);
      return null;
    }
    if (stored.route !== route || stored.request !== request)
      throw usedOtherwise(key, stored.route === route);
    const { status, body, requestId } = stored;
    const headers = {
      "content-type": "application/json",
      "idempotent-replayed": "true",
      "original-request": requestId,
    };
    return { status, body, headers };
  }

  keep({ key, route, request, requestId }: KeyedRequest, { status, body }: HttpAnswer): void {
    const at = this.#store.context.clock.now();
    this.#store.answers.set(key, { route, request, requestId, status, body, at });
  }

  end({ key }: KeyedRequest): void {
    this.#inFlight.delete(key);
  }
}

const withoutAccount = (key: string) => key.slice(key.indexOf(" ") + 1);

function inFlight(key: string): StripeError {
  const message = `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${withoutAccount(key)}. Please try again later.`;
  return idempotencyError(409, message, { code: "idempotency_key_in_use" });
}

function usedOtherwise(key: string, isSameRoute: boolean): StripeError {
  const what = isSameRoute ? "parameters" : "endpoint";
  const message = `Keys for idempotent requests can only be used with the same ${what} they were first used with. Try using a key other than '${withoutAccount(key)}' if you meant to execute a different request.`;
  return idempotencyError(400, message);
}

function idempotencyError(status: number, message: string, more = {}): StripeError {
  return new StripeError(status, { type: "idempotency_error", message, ...more }, true);
}
