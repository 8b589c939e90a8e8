import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { Webhook } from "standardwebhooks";
import {
  addressIn,
  AddressRefused,
  internetOnly,
  lookupWithin,
  notPublicSentence,
  type Reach,
} from "#outgoing/webhooks/public-address.ts";
import { secondsToWait } from "#outgoing/webhooks/retry-after.ts";

/** One message on its way to one address. */
export interface SignedPost {
  url: string;
  /** The header `webhook-id`. */
  id: string;
  body: string;
  /** Each signs: the one in use, and the one before for a while. */
  secrets: string[];
  sentAt: Date;
}

export interface PostOutcome {
  isTaken: boolean;
  /** Null where no answer came. */
  status: number | null;
  /** What stood in the way, for administrators. */
  problem: string | null;
  /** How long the receiver asks to be left alone; 0 unless it says. */
  secondsToWait: number;
}

const postTimeoutMs = 15_000;
/** Of an answer that says no, so much is read, and so much of that is kept. */
const bytesRead = 1024;
const charactersKept = 200;

/**
 * Post a message, signed as Standard Webhooks say, over a connection of its own. Redirects are not
 * followed: 2xx is yes, everything else no. Never throws: what went wrong is in the outcome.
 */
export async function postWebhook(
  post: SignedPost,
  reach: Reach = internetOnly,
  timeoutMs = postTimeoutMs,
): Promise<PostOutcome> {
  try {
    const url = new URL(post.url);
    refuseAddress(url, reach);
    return await sendRequest(url, post, reach, AbortSignal.timeout(timeoutMs));
  } catch (problem) {
    const said = sentenceOf(problem, timeoutMs);
    return { isTaken: false, status: null, problem: said, secondsToWait: 0 };
  }
}

/** By the address itself: a socket looks no address up that is one already. */
function refuseAddress(url: URL, reach: Reach): void {
  if (url.protocol !== "https:" && !reach.allowsHttp)
    throw new AddressRefused("Its address does not begin with https://.");
  const address = addressIn(url);
  if (address !== null && !reach.isAllowed(address)) throw new AddressRefused(notPublicSentence);
}

async function sendRequest(
  url: URL,
  post: SignedPost,
  reach: Reach,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return await new Promise((resolve, reject) => {
    const asked = request(url, {
      method: "POST",
      headers: headersOf(post),
      agent: false, // a connection made for an earlier post was checked for that one
      lookup: lookupWithin(reach),
      maxHeaderSize: 8192,
      signal,
    });
    asked.on("error", reject);
    asked.on("response", (answer) => {
      outcomeOf(answer)
        .then(resolve, reject)
        .finally(() => asked.destroy());
    });
    asked.end(post.body);
  });
}

/** Throws where the library cannot read a secret. */
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
    return { ...refused, problem: "It answered with a redirect, which is not followed." };
  const said = printable(await beginningOf(answer));
  return { ...refused, problem: said === "" ? null : said };
}

/** What came of an answer until it was enough, or broke off. */
async function beginningOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of answer) {
      chunks.push(chunk as Buffer); // no encoding is set
      length += (chunk as Buffer).length;
      if (length >= bytesRead) break;
    }
  } catch {
    // the status is known, and says no
  }
  return Buffer.concat(chunks).subarray(0, bytesRead).toString("utf8");
}

/** One line of what can be printed. */
function printable(text: string): string {
  return text
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim()
    .slice(0, charactersKept)
    .toWellFormed();
}

function sentenceOf(problem: unknown, timeoutMs: number): string {
  if (!(problem instanceof Error)) return "It could not be reached.";
  if (problem.name === "AbortError" || problem.name === "TimeoutError")
    return `It did not answer within ${timeoutMs / 1000} seconds.`;
  if (problem instanceof AddressRefused) return problem.message;
  // With several addresses Node gathers what each said.
  const reason = problem instanceof AggregateError ? problem.errors[0] : problem;
  const message = reason instanceof Error ? reason.message : problem.message;
  return printable(`It could not be reached: ${message}`);
}
