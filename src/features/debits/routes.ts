import type { FastifyInstance } from "fastify";
import { serve } from "#server/serve.ts";
import { adjust } from "#features/debits/adjustments.ts";
import { findDueButNotBilled, listRuns } from "#features/debits/billing-runs.ts";
import {
  adjustDebit,
  listBillingRuns,
  listDueButNotBilled,
  listOutstanding,
} from "#features/debits/contract.ts";
import { listOutstandingDebits } from "#features/debits/debits.ts";

export function debitRoutes(app: FastifyInstance): void {
  serve(app, listOutstanding, { allow: "signed-in" }, ({ tx, actor, query }) =>
    listOutstandingDebits(tx, actor, query.attorney_id),
  );
  serve(app, adjustDebit, { allow: "admin" }, ({ tx, actor, body }) => adjust(tx, actor, body));
  serve(app, listBillingRuns, { allow: "admin" }, ({ tx, actor, query }) =>
    listRuns(tx, actor, query),
  );
  serve(app, listDueButNotBilled, { allow: "admin" }, ({ tx, actor, today }) =>
    findDueButNotBilled(tx, actor, today),
  );
}
