import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import * as contract from "#features/receivables/contract.ts";
import { showReceivablesAsOf } from "#features/receivables/receivables.ts";

export function receivableRoutes(app: FastifyInstance): void {
  serve(app, contract.showReceivables, { allow: "admin" }, ({ tx, actor, query, today }) =>
    showReceivablesAsOf(tx, actor, query, today),
  );
}
