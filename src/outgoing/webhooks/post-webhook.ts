import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { Webhook } from "standardwebhooks";
import {
  addressIn,
  AddressRefused,
  publicAddressesOnly,
  lookupWithin,
  notPublicSentence,
  type AddressPolicy,
} from "#outgoing/webhooks/public-address.ts";
import { secondsToWait } from "#outgoing/webhooks/retry-after.ts";

/** One message to one address. */
export interface SignedPost {
  url: string;
  /** The header `webhook-id`. */
  id: string;
  body: string;
  /** Each one signs: the current secret and, for a day, the old one. */
  secrets: string[];
  sentAt: Date;
}

export interface PostOutcome {
  isTaken: boolean;
  /** Null without an answer. */
  status: number | null;
  /** The problem, as a sentence for administrators. */
  problem: string | null;
  /** The receiver's `Retry-After`; 0 without one. */
  secondsToWait: number;
}

const postTimeoutMs = 15_000;
/** How much of a refusing answer is read, and how much is stored. */
const maxBytesRead = 1024;
const maxCharactersStored = 200;

/**
 * Post a signed message (Standard Webhooks) over its own connection. Only 2xx counts as accepted; redirects are not
 * followed. Never throws: problems are in the outcome.
 */
export async function postWebhook(
  post: SignedPost,
  reach: AddressPolicy = publicAddressesOnly,
  timeoutMs = postTimeoutMs,
): Promise<PostOutcome> {
  try {
    const url = new URL(post.url);
    refuseAddress(url, reach);
    return await sendRequest(url, post, reach, AbortSignal.timeout(timeoutMs));
  } catch (problem) {
    const sentence = sentenceOf(problem, timeoutMs);
    return { isTaken: false, status: null, problem: sentence, secondsToWait: 0 };
  }
}

/** Checks a literal IP address, which a socket never passes to `lookup`. */
function refuseAddress(url: URL, reach: AddressPolicy): void {
  if (url.protocol !== "https:" && !reach.allowsHttp)
    throw new AddressRefused("The address does not begin with https://.");
  const address = addressIn(url);
  if (address !== null && !reach.isAllowed(address)) throw new AddressRefused(notPublicSentence);
}

async function sendRequest(
  url: URL,
  post: SignedPost,
  reach: AddressPolicy,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: "POST",
      headers: headersOf(post),
      agent: false, // no reuse: a connection's address was checked only for its own post
      lookup: lookupWithin(reach),
      maxHeaderSize: 8192,
      signal,
    });
    outgoing.on("error", reject);
    outgoing.on("response", (answer) => {
      outcomeOf(answer)
        .then(resolve, reject)
        .finally(() => outgoing.destroy());
    });
    outgoing.end(post.body);
  });
}

/** Throws if the library cannot read a secret. */
function headersOf({ id, body, secrets, sentAt }: SignedPost): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": "Referral-Network-Webhooks",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
    "webhook-signature": secrets
      .map((secret) => new Webhook(secret).sign(id, sentAt, body))
      .join(" "),
  };
}

async function outcomeOf(answer: IncomingMessage): Promise<PostOutcome> {
  const status = answer.statusCode ?? 0;
  if (status >= 200 && status < 300)
    return { isTaken: true, status, problem: null, secondsToWait: 0 };
  const refused = {
    isTaken: false,
    status,
    secondsToWait: secondsToWait(answer.headers["retry-after"], new Date()),
  };
  if (status >= 300 && status < 400)
    return {
      ...refused,
      problem: "The receiver answered with a redirect. Redirects are not followed.",
    };
  const text = printable(await beginningOf(answer));
  return { ...refused, problem: text === "" ? null : text };
}

/** The start of an answer, up to the limit or until it breaks off. */
async function beginningOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of answer) {
      chunks.push(chunk as Buffer); // no encoding is set
      length += (chunk as Buffer).length;
      if (length >= maxBytesRead) break;
    }
  } catch {
    // the status already says no
  }
  return Buffer.concat(chunks).subarray(0, maxBytesRead).toString("utf8");
}

/** One line of printable text. */
function printable(text: string): string {
  return text
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim()
    .slice(0, maxCharactersStored)
    .toWellFormed();
}

function sentenceOf(problem: unknown, timeoutMs: number): string {
  if (!(problem instanceof Error)) return "The receiver could not be reached.";
  if (problem.name === "AbortError" || problem.name === "TimeoutError")
    return `The receiver did not answer within ${timeoutMs / 1000} seconds.`;
  if (problem instanceof AddressRefused) return problem.message;
  // With several addresses, Node collects one error for each.
  const reason = problem instanceof AggregateError ? problem.errors[0] : problem;
  const message = reason instanceof Error ? reason.message : problem.message;
  return printable(`The receiver could not be reached: ${message}`);
}
