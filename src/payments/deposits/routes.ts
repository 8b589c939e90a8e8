import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { listPage } from "#kit/list/list-page.ts";
import * as contract from "#payments/deposits/contract.ts";
import { depositRows } from "#payments/deposits/deposits.rows.ts";
import {
  changeDepositOf,
  listChecksToDeposit,
  makeDepositOf,
  showDepositOf,
} from "#payments/deposits/deposits.ts";
import { refundHeldMoney, listHeld, creditHeldMoney } from "#payments/deposits/held-money.ts";

export function depositRoutes(app: FastifyInstance): void {
  serve(app, contract.listDeposits, { allow: "admin" }, ({ tx, actor, query, today }) =>
    listPage(tx, depositRows, { admin: actor, today }, query),
  );
  serve(app, contract.listUndepositedChecks, { allow: "admin" }, ({ tx, actor, query }) =>
    listChecksToDeposit(tx, actor, query),
  );
  serve(app, contract.makeDeposit, { allow: "admin" }, ({ tx, actor, body, today }) =>
    makeDepositOf(tx, actor, body, today),
  );
  serve(app, contract.showDeposit, { allow: "admin" }, ({ tx, actor, params }) =>
    showDepositOf(tx, actor, params.id),
  );
  serve(app, contract.changeDeposit, { allow: "admin" }, ({ tx, actor, params, body, today }) =>
    changeDepositOf(tx, actor, { id: params.id, wanted: body, today }),
  );
  serve(app, contract.listHeldMoney, { allow: "admin" }, ({ tx, actor, query }) =>
    listHeld(tx, actor, query),
  );
  serve(app, contract.giveHeldMoneyBack, { allow: "admin" }, ({ tx, actor, params, body }) =>
    refundHeldMoney(tx, actor, { checkId: params.id, wanted: body }),
  );
  serve(app, contract.makeHeldMoneyCredit, { allow: "admin" }, ({ tx, actor, params, body }) =>
    creditHeldMoney(tx, actor, { checkId: params.id, attorneyId: body.attorney_id }),
  );
}
