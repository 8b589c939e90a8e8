import { readFile } from "node:fs/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Desk } from "./desk.ts";

/** Let pages of other sites call these routes, as the real hosts do. Answers their preflights too. */
export function allowBrowsers(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => {
    openTo(request, reply);
    if (request.method === "OPTIONS") await reply.code(204).send();
  });
  app.options("/*", async () => undefined); // the hook has answered; without a route it would be a 404
}

function openTo(request: FastifyRequest, reply: FastifyReply): void {
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

export interface StaticFile {
  path: string;
  /** Beside the processor's code; several are served as one. */
  file: URL | URL[];
  type: "text/javascript" | "text/html";
  call?: "script" | "core";
  /** Some files need something put in before they are served. */
  prepare?: (text: string) => string;
}

/** A browser script or a frame's page, served as it stands. */
export function serveFile(app: FastifyInstance, desk: Desk, served: StaticFile): void {
  app.get(served.path, async (_request, reply) => {
    const texts = await Promise.all([served.file].flat().map((file) => readFile(file, "utf8")));
    const text = texts.join("\n");
    await desk.receive(reply, {
      call: served.call ?? "script",
      act: () => ({
        status: 200,
        headers: { "content-type": `${served.type}; charset=utf-8`, "cache-control": "no-store" },
        body: served.prepare ? served.prepare(text) : text,
      }),
    });
    return reply;
  });
}
