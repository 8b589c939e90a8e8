import { randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/**
 * `/payflow/return`: where PayPal posts its answer, in a frame of our page and from another site, so
 * without our cookies. The page that it gets hands the outcome to the page around it, and nothing
 * else: what it says is the browser's word, and the server asks PayPal itself before it charges.
 */
export function payflowReturnRoute(app: FastifyInstance): void {
  void app.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: 32 * 1024 },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    );
    own.post("/payflow/return", async (request, reply) =>
      answer(reply, request.body instanceof URLSearchParams ? request.body : new URLSearchParams()),
    );
    own.get("/payflow/return", async (request, reply) => answer(reply, queryOf(request)));
  });
}

function queryOf(request: FastifyRequest): URLSearchParams {
  return new URL(request.url, "http://localhost").searchParams;
}

function answer(reply: FastifyReply, given: URLSearchParams): FastifyReply {
  const nonce = randomBytes(18).toString("base64");
  const result = /^-?\d{1,5}$/.exec(given.get("RESULT") ?? "")?.[0] ?? null;
  const said = {
    source: "payflow",
    secureTokenId: /^\w{1,36}$/.exec(given.get("SECURETOKENID") ?? "")?.[0] ?? null,
    approved: result === "0",
    message: result === "0" ? null : messageFor(result),
  };
  // Inside a script, "<" could end it.
  const json = JSON.stringify(said).replaceAll("<", String.raw`\u003c`);
  void reply.removeHeader("X-Frame-Options");
  return reply
    .headers({
      "Content-Security-Policy": `default-src 'none'; script-src 'nonce-${nonce}'; frame-ancestors 'self'`,
      "Content-Type": "text/html; charset=utf-8",
    })
    .send(
      `<!doctype html><title>Card</title><script nonce="${nonce}">window.parent.postMessage(${json}, window.location.origin);</script>`,
    );
}

/** By number: the texts of the processor are free, and some are not for payers. */
function messageFor(result: string | null): string {
  const known: Record<string, string> = {
    "12": "The card was declined. Try another card, or ask your bank.",
    "23": "The card number is not valid.",
    "24": "The expiration date is not valid.",
    "25": "This type of card is not accepted.",
    "50": "The card was declined: insufficient funds.",
    "112": "The address does not match the card's.",
    "114": "The card code is not correct.",
  };
  return (
    known[result ?? ""] ?? "The card could not be verified. Enter it again, or use another card."
  );
}
