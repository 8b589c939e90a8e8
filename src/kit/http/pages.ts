import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Actor } from "#kit/domain/actor.ts";
import { showsCardForm } from "#kit/domain/card-page.ts";
import { csrfToken, newVisitorSecret, visitorCookieName } from "#kit/http/csrf.ts";
import { pagePreloader, type PreloadSettings } from "#kit/http/page-preload.ts";
import { ownSourcesOnly, pagePolicy, type PageSources } from "#kit/http/security-headers.ts";

export interface PageSettings {
  /** The folder of the built web app. */
  folder: string;
  secret: string;
  isSecure: boolean;
  /** Where browsers reach the product. Passkeys work only for this address. */
  publicUrl: string;
  /** Whether email goes to a server, or is only saved. */
  sendsMail: boolean;
  /** The address of the realtime channel, for the page's meta tag. */
  cableUrl: string;
  /** The other hosts from which the page with this user's card form may load. */
  sourcesFor: (actor: Actor) => Promise<PageSources>;
  /** What is preloaded for each page. */
  preloads: PreloadSettings;
}

/**
 * An emailed link whose `#` has become `%23`, as in Outlook's Safe Links, or `%2523` if rewritten twice. Its code
 * has arrived in the path, where it must not be used, so the browser is redirected to put it back into the
 * fragment.
 */
const linkWithEscapedCode = /^(\/sign-in\/(?:link|address))\/?%(?:25)*23([\w-]*)/;

const pages = [
  /^\/$/,
  /^\/sign-in(\/(link|address))?$/,
  linkWithEscapedCode,
  /^\/account(\/security)?$/,
  /^\/dashboard(\/.*)?$/,
  /^\/(receipts|statements)\/\d+$/,
  /^\/admin(\/.*)?$/,
];
const pagesForAnyone = /^\/sign-in(\/|$)/;

/** Whether a browser opens an address, or a monitor asks for its headers, as opposed to a program's call. */
export function isPageRequest(request: FastifyRequest): boolean {
  const accepts = request.headers.accept ?? "";
  const isReading = request.method === "GET" || request.method === "HEAD";
  return isReading && (accepts.includes("text/html") || isPage(pathOf(request)));
}

/**
 * Render the page of an address: the same document for everyone, with the browser's CSRF token, the realtime
 * address, a nonce, preload tags for the first screen's files, and the answers to its first calls. Visitors are
 * redirected to sign in, and back afterwards.
 *
 * While the database cannot say who is signed in, the page is a 503 without answers and without a card processor's
 * hosts. Its script asks again, and reloads the page once there is an answer.
 */
export function pageRenderer(settings: PageSettings) {
  const template = readFileSync(`${settings.folder}/index.html`, "utf8")
    .replace("</head>", () => "  %SCREEN%\n  </head>")
    .replace("</body>", () => "  %ANSWERS%\n  </body>");
  const visitorCookie = visitorCookieName(settings.isSecure);
  const preloadFor = pagePreloader(settings.preloads, settings.folder);

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = pathOf(request);
    const redirectTo = request.isSessionUnknown ? null : redirectFor(path, request);
    if (redirectTo) return reply.redirect(redirectTo, 302);
    const nonce = randomBytes(18).toString("base64");
    const token = csrfToken(
      { sessionToken: request.sessionToken, visitorSecret: visitorSecret(request, reply) },
      settings.secret,
    );
    const [sources, { tags, answers }] = await Promise.all([
      request.actor && showsCardForm(path) ? settings.sourcesFor(request.actor) : ownSourcesOnly,
      preloadFor(path, request, reply),
    ]);
    if (request.isSessionUnknown) void reply.header("Retry-After", 2);
    return reply
      .status(request.isSessionUnknown ? 503 : isPage(path) ? 200 : 404)
      .headers({
        ...pagePolicy(nonce, sources, settings.isSecure),
        "Content-Type": "text/html; charset=utf-8",
        // The path of a damaged link contains its code.
        ...(pagesForAnyone.test(path) && { "Referrer-Policy": "strict-origin" }),
      })
      .send(
        filled(template, {
          CSRF_TOKEN: token,
          CABLE_URL: settings.cableUrl,
          PUBLIC_URL: settings.publicUrl,
          MAIL_DELIVERY: settings.sendsMail ? "server" : "disk",
          PAGE_OWNER: String(request.actor?.userId ?? ""),
          SCREEN: tags.replaceAll("%NONCE%", nonce),
          ANSWERS: answers,
          NONCE: nonce,
        }),
      );
  };

  function visitorSecret(request: FastifyRequest, reply: FastifyReply): string {
    const known = request.cookies[visitorCookie];
    if (known && known.length >= 32) return known;
    const made = newVisitorSecret();
    void reply.setCookie(visitorCookie, made, {
      path: "/",
      httpOnly: true,
      sameSite: "lax",
      secure: settings.isSecure,
    });
    return made;
  }
}

/** Fill in all placeholders in one pass, so that text in a value is never taken for a placeholder. */
function filled(template: string, values: Record<string, string>): string {
  return template.replaceAll(
    /%([A-Z_]+)%/g,
    (placeholder, name: string) => values[name] ?? placeholder,
  );
}

function redirectFor(path: string, request: FastifyRequest): string | null {
  const [, page, code] = linkWithEscapedCode.exec(path) ?? [];
  if (page) return `${page}#${code}`;
  const { actor } = request;
  if (!actor) {
    if (!isPage(path) || pagesForAnyone.test(path)) return null;
    return path === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(request.url)}`;
  }
  const home = actor.role === "admin" ? "/admin" : "/dashboard";
  const isOtherRole =
    actor.role === "admin" ? path.startsWith("/dashboard") : path.startsWith("/admin");
  return path === "/" || path === "/sign-in" || isOtherRole ? home : null;
}

function isPage(path: string): boolean {
  return pages.some((page) => page.test(path));
}

function pathOf(request: FastifyRequest): string {
  const path = request.url.split("?")[0] ?? "/";
  // The lookbehind avoids quadratic time with thousands of slashes.
  return path.length > 1 ? path.replace(/(?<!\/)\/+$/, "") : path;
}
