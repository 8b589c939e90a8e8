import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { listPage } from "#kit/list/list-page.ts";
import { attorneyRecordQuery } from "#people/attorney-record.ts";
import { decideChecks, recordCheck } from "#payments/attorney-checks.ts";
import * as contract from "#payments/contract.ts";
import { listPayments } from "#payments/payments.list.ts";
import { paymentRows } from "#payments/payments.rows.ts";
import { showReceiptOf } from "#payments/receipts.ts";

export function paymentRoutes(app: FastifyInstance): void {
  serve(
    app,
    contract.payByCheck,
    { allow: "signed-in", ownTransactions: true, mayRunInTransaction: true },
    ({ tx, actor, body, today }) =>
      recordCheck(tx, actor, { wanted: body, today }, (attorneyId) =>
        attorneyRecordQuery(actor, attorneyId, today),
      ),
  );
  serve(app, contract.confirmChecks, { allow: "admin" }, ({ tx, actor, body }) =>
    decideChecks(tx, actor, body),
  );
  serve(app, listPayments, { allow: "admin" }, ({ tx, actor, query, today }) =>
    listPage(tx, paymentRows, { admin: actor, today }, query),
  );
  serve(app, contract.showReceipt, { allow: "signed-in" }, ({ tx, actor, params }) =>
    showReceiptOf(tx, actor, params.id),
  );
}
