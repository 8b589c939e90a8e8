import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import { showOverview } from "#features/today/contract.ts";
import { readOverview } from "#features/today/overview.ts";

export function todayRoutes(app: FastifyInstance): void {
  serve(app, showOverview, { allow: "admin" }, ({ tx, actor, today }) =>
    readOverview(tx, actor, today),
  );
}
