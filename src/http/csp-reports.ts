import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { containsCardNumber } from "#domain/card.ts";
import { showsCardForm } from "#domain/card-page.ts";
import { Refusal } from "#contract/refusal.ts";
import { ipRateLimitKey } from "#http/ip-rate-limit-key.ts";
import type { CspReportCounts } from "#http/metrics.ts";
import { jsonOf } from "#http/request-json.ts";
import { cspReportsPath, reportedDirectives } from "#http/security-headers.ts";

const maxBytes = 16 * 1024;
/** Violations that are counted and logged in a minute, in each process. */
const maxPerAddress = 30;
const maxInAll = 300;
const windowMs = 60_000;

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

/** What `report-to` sends, as `application/reports+json`, and our own page of a script that did not load. */
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
 * Take browsers' reports of what the content security policy blocked: count them, and log the directive,
 * the page's kind and the origin that was blocked, nothing else of them. Anybody may send them, without a
 * session or a CSRF token: they are read as nobody's, and change nothing.
 */
export function takeCspReports(app: FastifyInstance, counts: CspReportCounts): void {
  const window = new ReportWindow();
  void app.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser<Buffer>(
      ["application/csp-report", "application/reports+json"],
      { parseAs: "buffer", bodyLimit: maxBytes },
      (_request, body, done) => done(null, jsonOf(body)),
    );
    own.post(cspReportsPath, { config: { isForPrograms: true } }, async (request, reply) => {
      for (const violation of readReports(request.body)) {
        const { directive, blocked, page } = describe(violation);
        if (isExtension(violation)) counts.drop("extension");
        else if (!window.hasRoomFor(ipRateLimitKey(request.ip), app.now().epochMilliseconds))
          counts.drop("limit");
        else {
          counts.count(directive, page);
          request.log.warn({ directive, blocked, page }, "a content security policy was violated");
        }
      }
      return reply.status(204).send(); // a refusal would have browsers send it again
    });
  });
}

/** Throws 400 for what is no report. */
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
  if (!several) throw new Refusal(400, "This is no report of a content security policy.");
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

/** Paths and queries may hold anything; a host may be made to hold a card number, too. */
function originOf(blocked: string): string {
  if (keywords.includes(blocked)) return blocked;
  const { protocol, origin } = URL.canParse(blocked) ? new URL(blocked) : {};
  const isOfNetwork = ["http:", "https:", "ws:", "wss:"].includes(protocol ?? "");
  if (!isOfNetwork || origin === undefined) return "other";
  return containsCardNumber(origin) ? "hidden" : origin.slice(0, 200);
}

/** What a browser's extensions do in a page is nothing of ours. */
const isExtension = ({ blocked, source }: Violation) =>
  /^[a-z-]+-extension\b/.test(blocked) || /^[a-z-]+-extension\b/.test(source);

/** The violations of the present minute, by address: at most `maxInAll` are remembered. */
class ReportWindow {
  readonly #byAddress = new Map<string, number>();
  #inAll = 0;
  #endsAt = 0;

  /** Whether one more is taken of this address; it counts then. */
  hasRoomFor(address: string, now: number): boolean {
    if (now >= this.#endsAt) {
      this.#byAddress.clear();
      this.#inAll = 0;
      this.#endsAt = now + windowMs;
    }
    const ofAddress = this.#byAddress.get(address) ?? 0;
    if (ofAddress >= maxPerAddress || this.#inAll >= maxInAll) return false;
    this.#byAddress.set(address, ofAddress + 1);
    this.#inAll += 1;
    return true;
  }
}
