import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import * as contract from "#dues/ledger/receivables/contract.ts";
import { showReceivablesAsOf } from "#dues/ledger/receivables/receivables.ts";

export function receivableRoutes(app: FastifyInstance): void {
  serve(app, contract.showReceivables, { allow: "admin" }, ({ tx, actor, query, today }) =>
    showReceivablesAsOf(tx, actor, query, today),
  );
}
