import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import { searchEverything } from "#features/search/contract.ts";
import { findAnything } from "#features/search/find-anything.ts";

export function searchRoutes(app: FastifyInstance): void {
  serve(app, searchEverything, { allow: "admin" }, ({ tx, actor, query, today }) =>
    findAnything(tx, actor, query.q, today),
  );
}
