import { readFile } from "node:fs/promises";
import type { FastifyInstance } from "fastify";
import type { Sandboxes } from "./sandboxes.ts";

/** The page at `/` that shows a newcomer what the sandboxes do. */
export function pageRoutes(app: FastifyInstance, _sandboxes: Sandboxes): void {
  const file = new URL("./page.html", import.meta.url);
  app.get("/", async (_request, reply) => {
    return await reply.type("text/html; charset=utf-8").send(await readFile(file, "utf8"));
  });
}
