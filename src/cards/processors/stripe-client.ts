import { Stripe } from "stripe";
import type { Account } from "#cards/processors/processor.ts";

const clients = new Map<string, Stripe>();
const maxClients = 100;

/** The SDK's client for an account. Making one costs more than a call with it, so the newest are cached. */
export function stripeClient(account: Account): Stripe {
  const { secretKey = "" } = account.keys;
  const apiUrl = account.addresses["apiUrl"] ?? "";
  const name = [secretKey, apiUrl, account.timeoutMs].join(" ");
  const known = clients.get(name);
  if (known) return known;
  const made = newClient(secretKey, apiUrl, account.timeoutMs);
  const [oldest] = clients.keys();
  if (oldest !== undefined && clients.size >= maxClients) clients.delete(oldest);
  clients.set(name, made);
  return made;
}

function newClient(secretKey: string, apiUrl: string, timeout: number): Stripe {
  const { hostname, port, protocol } = new URL(apiUrl);
  const isPlain = protocol === "http:";
  return new Stripe(secretKey, {
    host: hostname,
    port: port || (isPlain ? 80 : 443),
    protocol: isPlain ? "http" : "https",
    timeout,
    // An unanswered request is looked up, never blindly sent again.
    maxNetworkRetries: 0,
    httpClient: sendIdempotently,
    telemetry: false,
  });
}

const httpClient = Stripe.createNodeHttpClient();

/**
 * The SDK repeats a request when its connection closes, whatever its retry setting. The first request may
 * have been carried out, and then "busy" in answer to the second would mean "nothing was done". So we hide
 * from the SDK that the connection was closed.
 */
const sendIdempotently: ReturnType<typeof Stripe.createNodeHttpClient> = {
  getClientName: () => httpClient.getClientName(),
  makeRequest: async (...request) => {
    try {
      return await httpClient.makeRequest(...request);
    } catch (problem) {
      const code = problem instanceof Error && "code" in problem ? problem.code : "";
      if (code !== "ECONNRESET" && code !== "EPIPE") throw problem;
      throw new Error(`The connection to Stripe was closed (${code}).`, { cause: problem });
    }
  },
};
