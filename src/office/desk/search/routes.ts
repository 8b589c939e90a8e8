import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { searchEverything } from "#office/desk/search/contract.ts";
import { findAnything } from "#office/desk/search/find-anything.ts";

export function searchRoutes(app: FastifyInstance): void {
  serve(app, searchEverything, { allow: "admin" }, ({ tx, actor, query, today }) =>
    findAnything(tx, actor, query.q, today),
  );
}
