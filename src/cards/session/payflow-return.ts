import { randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { nothingAllowed } from "#kit/http/security-headers.ts";
import { refusalInBrowser } from "#cards/processors/payflow-gateway.ts";

/**
 * `/payflow/return`: PayPal posts its answer here, in a frame of our page but from another site, so without
 * our cookies. The page we send back passes the outcome to its parent page and does nothing else. The
 * browser's word is not proof: the server asks PayPal itself before posting anything.
 */
export function payflowReturnRoute(app: FastifyInstance): void {
  const config = { isForPrograms: true, takesAnyEncoding: true };
  void app.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: 32 * 1024 },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    );
    own.post("/payflow/return", { config }, async (request, reply) =>
      sendOutcome(
        reply,
        request.body instanceof URLSearchParams ? request.body : new URLSearchParams(),
      ),
    );
    own.get("/payflow/return", { config }, async (request, reply) =>
      sendOutcome(reply, queryOf(request)),
    );
  });
}

function queryOf(request: FastifyRequest): URLSearchParams {
  return new URL(request.url, "http://localhost").searchParams;
}

function sendOutcome(reply: FastifyReply, given: URLSearchParams): FastifyReply {
  const nonce = randomBytes(18).toString("base64");
  const result = /^-?\d{1,5}$/.exec(given.get("RESULT") ?? "")?.[0] ?? null;
  const outcome = {
    source: "payflow",
    secureTokenId: /^\w{1,36}$/.exec(given.get("SECURETOKENID") ?? "")?.[0] ?? null,
    approved: result === "0",
    /** Null unless the card was certainly refused; then the server must ask. */
    message: refusalInBrowser(result ?? ""),
  };
  // Inside a script, "<" could end it.
  const json = JSON.stringify(outcome).replaceAll("<", String.raw`\u003c`);
  void reply.removeHeader("X-Frame-Options");
  return reply
    .headers({
      "Content-Security-Policy": `${nothingAllowed}; script-src 'nonce-${nonce}'; frame-ancestors 'self'`,
      "Content-Type": "text/html; charset=utf-8",
    })
    .send(
      `<!doctype html><title>Card</title><script nonce="${nonce}">window.parent.postMessage(${json}, window.location.origin);</script>`,
    );
}
