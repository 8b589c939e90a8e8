import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { listPage } from "#kit/list/list-page.ts";
import { adjust } from "#dues/ledger/adjustments.ts";
import { findDueButNotBilled, listRuns } from "#dues/ledger/billing-runs.ts";
import { makeCharge, previewCharge } from "#dues/ledger/charges.ts";
import {
  adjustDebit,
  changeMoneySettings,
  createCharge,
  listBillingRuns,
  listDueButNotBilled,
  listOutstanding,
  previewCharges,
  showCredit,
  showMoneySettings,
  changeCredit,
  spendOwnCredit,
} from "#dues/ledger/contract.ts";
import { listDebits } from "#dues/ledger/debits.list.ts";
import { debitRows } from "#dues/ledger/debits.rows.ts";
import { payFromOwnCredit, readCredit, spendCredit } from "#dues/ledger/credit.ts";
import { listOutstandingDebits } from "#dues/ledger/debits.ts";
import { readMoneySettings, writeMoneySettings } from "#dues/ledger/money-settings.ts";

export function ledgerRoutes(app: FastifyInstance): void {
  serve(app, listOutstanding, { allow: "signed-in" }, ({ tx, actor, query }) =>
    listOutstandingDebits(tx, actor, query.attorney_id),
  );
  serve(app, listDebits, { allow: "admin" }, ({ tx, actor, query, today }) =>
    listPage(tx, debitRows, { admin: actor, today }, query),
  );
  serve(app, adjustDebit, { allow: "admin" }, ({ tx, actor, body }) => adjust(tx, actor, body));
  serve(app, listBillingRuns, { allow: "admin" }, ({ tx, actor, query }) =>
    listRuns(tx, actor, query),
  );
  serve(app, listDueButNotBilled, { allow: "admin" }, ({ tx, actor, today }) =>
    findDueButNotBilled(tx, actor, today),
  );
  serve(app, showCredit, { allow: "signed-in" }, ({ tx, actor, params }) =>
    readCredit(tx, actor, params.id),
  );
  serve(app, changeCredit, { allow: "admin" }, ({ tx, actor, params, body }) =>
    spendCredit(tx, actor, { attorneyId: params.id, wanted: body }),
  );
  serve(app, spendOwnCredit, { allow: "attorney" }, ({ tx, actor, body }) =>
    payFromOwnCredit(tx, actor, body.amount),
  );
  serve(app, createCharge, { allow: "admin" }, ({ tx, actor, body, today }) =>
    makeCharge(tx, actor, body, today),
  );
  serve(app, previewCharges, { allow: "admin" }, ({ tx, actor, body, today }) =>
    previewCharge(tx, actor, body, today),
  );
  serve(app, showMoneySettings, { allow: "admin" }, ({ tx, actor }) =>
    readMoneySettings(tx, actor),
  );
  serve(app, changeMoneySettings, { allow: "admin" }, ({ tx, actor, body }) =>
    writeMoneySettings(tx, actor, body),
  );
}
