import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { containsCardNumber } from "#kit/domain/card.ts";
import { showsCardForm } from "#kit/domain/card-page.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { ipRateLimitKey } from "#kit/http/ip-rate-limit-key.ts";
import { jsonOf } from "#kit/http/request-json.ts";
import { cspReportsPath, reportedDirectives } from "#kit/http/security-headers.ts";

const maxBytes = 16 * 1024;
/** Requests from one address per minute, and the most that is logged of each. */
const maxRequests = 30;
const maxLogged = 10;

/** What `report-uri` sends, as `application/csp-report`. */
const CspReport = z.object({
  "csp-report": z
    .object({
      "document-uri": z.string(),
      "blocked-uri": z.string(),
      "effective-directive": z.string(),
      "violated-directive": z.string(),
      "source-file": z.string(),
    })
    .partial(),
});

/** What `report-to` sends, as `application/reports+json`, and our own page's report of a script that did not load. */
const Reports = z.array(
  z.object({
    type: z.enum(["csp-violation", "script-not-loaded"]),
    body: z
      .object({
        documentURL: z.string(),
        blockedURL: z.string(),
        effectiveDirective: z.string(),
        sourceFile: z.string(),
      })
      .partial(),
  }),
);

interface Violation {
  directive: string;
  blocked: string;
  document: string;
  source: string;
}

/**
 * Accept browsers' reports of what the content security policy blocked. Only the directive, the kind of page and
 * the blocked origin are logged. Anyone may send reports, without a session or a CSRF token. They change nothing.
 */
export function takeCspReports(app: FastifyInstance): void {
  void app.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser<Buffer>(
      ["application/csp-report", "application/reports+json"],
      { parseAs: "buffer", bodyLimit: maxBytes },
      (_request, body, done) => done(null, jsonOf(body)),
    );
    const rateLimit = {
      max: maxRequests,
      allowList: () => false,
      keyGenerator: ({ ip }: FastifyRequest) => ipRateLimitKey(ip),
    };
    const config = { isForPrograms: true, rateLimit };
    own.post(cspReportsPath, { config }, async (request, reply) => {
      const violations = readReports(request.body).filter((one) => !isExtension(one));
      for (const violation of violations.slice(0, maxLogged))
        request.log.warn(describe(violation), "a content security policy was violated");
      return reply.status(204).send();
    });
  });
}

/** Throws 400 for anything that is not a report. */
function readReports(json: unknown): Violation[] {
  const single = CspReport.safeParse(json).data?.["csp-report"];
  if (single)
    return [
      {
        directive: single["effective-directive"] ?? single["violated-directive"] ?? "",
        blocked: single["blocked-uri"] ?? "",
        document: single["document-uri"] ?? "",
        source: single["source-file"] ?? "",
      },
    ];
  const several = Reports.safeParse(json).data;
  if (!several) throw new Refusal(400, "This is not a report of a content security policy.");
  return several.map(({ type, body }) => ({
    directive: type === "script-not-loaded" ? type : (body.effectiveDirective ?? ""),
    blocked: body.blockedURL ?? "",
    document: body.documentURL ?? "",
    source: body.sourceFile ?? "",
  }));
}

function describe({ directive, blocked, document }: Violation) {
  const [name = ""] = directive.split(" "); // older browsers send the whole directive
  return {
    directive: reportedDirectives.find((known) => known === name) ?? "other",
    blocked: originOf(blocked),
    page:
      URL.canParse(document) && showsCardForm(new URL(document).pathname) ? "card form" : "other",
  };
}

const keywords = ["inline", "eval", "wasm-eval", "data", "blob", "self"];

/** Only the origin: paths and queries may hold anything, and even a host could hold a card number. */
function originOf(blocked: string): string {
  if (keywords.includes(blocked)) return blocked;
  const { protocol, origin } = URL.canParse(blocked) ? new URL(blocked) : {};
  const isOfNetwork = ["http:", "https:", "ws:", "wss:"].includes(protocol ?? "");
  if (!isOfNetwork || origin === undefined) return "other";
  return containsCardNumber(origin) ? "hidden" : origin.slice(0, 200);
}

/** Ignore what a browser extension does in a page. */
const isExtension = ({ blocked, source }: Violation) =>
  /^[a-z-]+-extension\b/.test(blocked) || /^[a-z-]+-extension\b/.test(source);
