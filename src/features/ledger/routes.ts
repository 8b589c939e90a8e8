import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import { adjust } from "#features/ledger/adjustments.ts";
import { findDueButNotBilled, listRuns } from "#features/ledger/billing-runs.ts";
import {
  adjustDebit,
  listBillingRuns,
  listDebits,
  listDueButNotBilled,
  listOutstanding,
} from "#features/ledger/contract.ts";
import { listDebitsOfNetwork } from "#features/ledger/debit-list.ts";
import { listOutstandingDebits } from "#features/ledger/debits.ts";

export function ledgerRoutes(app: FastifyInstance): void {
  serve(app, listOutstanding, { allow: "signed-in" }, ({ tx, actor, query }) =>
    listOutstandingDebits(tx, actor, query.attorney_id),
  );
  serve(app, listDebits, { allow: "admin" }, ({ tx, actor, query, today }) =>
    listDebitsOfNetwork(tx, actor, query, today),
  );
  serve(app, adjustDebit, { allow: "admin" }, ({ tx, actor, body }) => adjust(tx, actor, body));
  serve(app, listBillingRuns, { allow: "admin" }, ({ tx, actor, query }) =>
    listRuns(tx, actor, query),
  );
  serve(app, listDueButNotBilled, { allow: "admin" }, ({ tx, actor, today }) =>
    findDueButNotBilled(tx, actor, today),
  );
}
