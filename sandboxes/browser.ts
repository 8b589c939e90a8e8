import { readFile } from "node:fs/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { CallHandler } from "./call-handler.ts";

/** Let pages of other sites call these routes, like the real hosts. Also answers their preflights. */
export function allowBrowsers(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => {
    allowOrigins(request, reply);
    if (request.method === "OPTIONS") await reply.code(204).send();
  });
  app.options("/*", async () => undefined); // the hook has answered; without a route it would be a 404
}

function allowOrigins(request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers({
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, POST, OPTIONS",
    "access-control-allow-headers":
      request.headers["access-control-request-headers"] ?? "content-type, authorization",
    "access-control-allow-private-network": "true",
    "access-control-max-age": "600",
    "cross-origin-resource-policy": "cross-origin",
  });
}

/** The frame and script shared by the hosted fields of Stripe and LawPay. */
export const hostedFieldHtml = new URL("./hosted-field.html", import.meta.url);
export const hostedFieldScript = new URL("./hosted-field.js", import.meta.url);

interface StaticFile {
  path: string;
  /** Several modules are served as one classic script. */
  file: URL | URL[];
  call?: "script" | "core";
  /** Fills in placeholders before serving. */
  prepare?: (text: string) => string;
}

export function serveFile(app: FastifyInstance, handler: CallHandler, served: StaticFile): void {
  const { path, call = "script", prepare = (text) => text } = served;
  const files = [served.file].flat();
  const isHtml = files[0]?.href.endsWith(".html");
  const type = `text/${isHtml ? "html" : "javascript"}; charset=utf-8`;
  app.get(path, async (_request, reply) => {
    const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
    const headers = { "content-type": type, "cache-control": "no-store" };
    const body = prepare(texts.length > 1 ? asOneScript(texts) : texts.join(""));
    return await handler.handle(reply, { call, respond: () => ({ status: 200, headers, body }) });
  });
}

/** The product's pages load scripts with a plain tag, so remove imports and exports. */
function asOneScript(modules: string[]): string {
  const code = modules.join("\n").replaceAll(/^import [^;]*;$/gm, "");
  return `(() => {\n${code.replaceAll(/^export /gm, "")}\n})();\n`;
}
