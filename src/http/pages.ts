import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Actor } from "#domain/actor.ts";
import { csrfToken, newVisitorSecret, visitorCookieName } from "#http/csrf.ts";
import { firstPaints, type FirstScreens } from "#http/first-paint.ts";
import { contentSecurityPolicy, ownSourcesOnly, type PageSources } from "#http/security-headers.ts";

export interface PageSettings {
  /** The folder of the built web app. */
  folder: string;
  secret: string;
  isSecure: boolean;
  /** Where the real-time channel is, as the page's meta tag says. */
  cableUrl: string;
  /** What else this person's pages may load. */
  sourcesFor: (actor: Actor) => Promise<PageSources>;
  /** What each address shows first, and asks for. */
  firstScreens: FirstScreens;
}

const pages = [
  /^\/$/,
  /^\/sign-in(\/link)?$/,
  /^\/account$/,
  /^\/dashboard(\/.*)?$/,
  /^\/receipts\/\d+$/,
  /^\/admin(\/.*)?$/,
];
const pagesForAnyone = /^\/sign-in(\/|$)/;

/** Whether a request is a person's browser opening an address, rather than a program's call. */
export function isPageRequest(request: FastifyRequest): boolean {
  const accepts = request.headers.accept ?? "";
  return request.method === "GET" && (accepts.includes("text/html") || isPage(pathOf(request)));
}

/**
 * Render the page of an address: the same document for all, with this browser's CSRF token, the
 * real-time address and a nonce, the files of the screen that it shows first, and the answers to what
 * that asks first. Whoever is not signed in is led to the sign-in page and back.
 *
 * While the database cannot say who asks, the page comes without answers and without the hosts of a
 * card processor, as 503: it asks by itself, and is loaded anew once it is answered.
 */
export function pageRenderer(settings: PageSettings) {
  const template = readFileSync(`${settings.folder}/index.html`, "utf8")
    .replace("</head>", () => "  %SCREEN%\n  </head>")
    .replace("</body>", () => "  %ANSWERS%\n  </body>");
  const firstPaint = firstPaints(settings.firstScreens, settings.folder);

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = pathOf(request);
    const elsewhere = request.isUnrecognized ? null : placeToGo(path, request);
    if (elsewhere) return reply.redirect(elsewhere, 302);
    const nonce = randomBytes(18).toString("base64");
    const token = csrfToken(
      { sessionToken: request.sessionToken, visitorSecret: visitorSecret(request, reply) },
      settings.secret,
    );
    const [sources, { tags, answers }] = await Promise.all([
      request.actor ? settings.sourcesFor(request.actor) : ownSourcesOnly,
      firstPaint(path, request, reply),
    ]);
    if (request.isUnrecognized) void reply.header("Retry-After", 2);
    return reply
      .status(request.isUnrecognized ? 503 : isPage(path) ? 200 : 404)
      .headers({
        "Content-Security-Policy": contentSecurityPolicy(nonce, sources),
        "Content-Type": "text/html; charset=utf-8",
      })
      .send(
        filled(template, {
          CSRF_TOKEN: token,
          CABLE_URL: settings.cableUrl,
          SCREEN: tags.replaceAll("%NONCE%", nonce),
          ANSWERS: answers,
          NONCE: nonce,
        }),
      );
  };

  function visitorSecret(request: FastifyRequest, reply: FastifyReply): string {
    const known = request.cookies[visitorCookieName];
    if (known && known.length >= 32) return known;
    const made = newVisitorSecret();
    void reply.setCookie(visitorCookieName, made, {
      path: "/",
      httpOnly: true,
      sameSite: "lax",
      secure: settings.isSecure,
    });
    return made;
  }
}

/** The placeholders' values in one pass: what stands in a value is no placeholder. */
function filled(template: string, values: Record<string, string>): string {
  return template.replaceAll(
    /%([A-Z_]+)%/g,
    (placeholder, name: string) => values[name] ?? placeholder,
  );
}

function placeToGo(path: string, request: FastifyRequest): string | null {
  const { actor } = request;
  if (!actor) {
    if (!isPage(path) || pagesForAnyone.test(path)) return null;
    return path === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(request.url)}`;
  }
  const home = actor.role === "admin" ? "/admin/attorneys" : "/dashboard";
  const isOthers =
    actor.role === "admin" ? path.startsWith("/dashboard") : path.startsWith("/admin");
  return path === "/" || path === "/sign-in" || isOthers ? home : null;
}

function isPage(path: string): boolean {
  return pages.some((page) => page.test(path));
}

function pathOf(request: FastifyRequest): string {
  const path = request.url.split("?")[0] ?? "/";
  // Looking back keeps it from beginning anew at each of thousands of slashes.
  return path.length > 1 ? path.replace(/(?<!\/)\/+$/, "") : path;
}
