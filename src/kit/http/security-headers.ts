import type { FastifyInstance } from "fastify";

/** The hosts of the network's card processor from which a page may load, in addition to our own. */
export interface PageSources {
  scripts: string[];
  frames: string[];
  /** Where forms may be posted. */
  forms: string[];
  connections: string[];
}

export const ownSourcesOnly: PageSources = {
  scripts: [],
  frames: [],
  forms: [],
  connections: [],
};

/** Where browsers report what a policy blocked. */
export const cspReportsPath = "/csp-reports";

/** The start of every policy. Browsers take `base-uri` from no other directive. */
export const nothingAllowed = "default-src 'none'; object-src 'none'; base-uri 'none'";

/** The directives that reports may name. Other words are counted together. */
export const reportedDirectives = (
  "script-src script-src-elem script-src-attr style-src style-src-elem style-src-attr img-src font-src " +
  "connect-src frame-src form-action base-uri frame-ancestors manifest-src worker-src media-src " +
  "object-src default-src script-not-loaded"
).split(" ");

/**
 * The headers of a page's policy: scripts and styles only from us, or with this answer's nonce. Browsers that know
 * `report-to` ignore `report-uri`, and only accept endpoints over TLS.
 */
export function pagePolicy(
  nonce: string,
  sources: PageSources,
  isSecure: boolean,
): Record<string, string> {
  const policy = contentSecurityPolicy(nonce, sources);
  return isSecure
    ? {
        "Content-Security-Policy": `${policy}; report-to csp`,
        "Reporting-Endpoints": `csp="${cspReportsPath}"`,
      }
    : { "Content-Security-Policy": policy };
}

function contentSecurityPolicy(nonce: string, sources: PageSources): string {
  const from = (hosts: string[]) => hosts.map((host) => ` ${host}`).join("");
  return [
    nothingAllowed,
    `script-src 'self' 'nonce-${nonce}'${from(sources.scripts)}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${from(sources.connections)}`,
    `frame-src${sources.frames.length ? from(sources.frames) : " 'none'"}`,
    `form-action 'self'${from(sources.forms)}`,
    "frame-ancestors 'none'",
    "manifest-src 'self'",
    `report-uri ${cspReportsPath}`,
  ].join("; ");
}

export function addSecurityHeaders(app: FastifyInstance, isSecure: boolean): void {
  app.addHook("onRequest", async (request, reply) => {
    void reply.headers(securityHeaders(request.id, isSecure));
  });
}

/** The headers of every answer. A page's own Content-Security-Policy replaces the one for data. */
export function securityHeaders(requestId: string, isSecure: boolean): Record<string, string> {
  return {
    "X-Request-Id": requestId,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Content-Security-Policy": `${nothingAllowed}; frame-ancestors 'none'`,
    "Cache-Control": "no-store",
    ...(isSecure && { "Strict-Transport-Security": "max-age=63072000; includeSubDomains" }),
  };
}
