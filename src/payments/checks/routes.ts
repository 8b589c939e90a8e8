import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { listPage } from "#kit/list/list-page.ts";
import { showCheckOf } from "#payments/checks/checks.ts";
import { checkRows } from "#payments/checks/checks.rows.ts";
import * as contract from "#payments/checks/contract.ts";
import { decideWholeChecks } from "#payments/checks/decide-checks.ts";
import { recordWholeCheck } from "#payments/checks/record-check.ts";
import { previewReturnOf, returnWholeCheck } from "#payments/checks/return-check.ts";

export function checkRoutes(app: FastifyInstance): void {
  serve(app, contract.recordWholeCheck, { allow: "admin" }, ({ tx, actor, body, today }) =>
    recordWholeCheck(tx, actor, body, today),
  );
  serve(app, contract.listChecks, { allow: "admin" }, ({ tx, actor, query, today }) =>
    listPage(tx, checkRows, { admin: actor, today }, query),
  );
  serve(app, contract.showCheck, { allow: "admin" }, ({ tx, actor, params }) =>
    showCheckOf(tx, actor, params.id),
  );
  serve(app, contract.decideWholeChecks, { allow: "admin" }, ({ tx, actor, body }) =>
    decideWholeChecks(tx, actor, body),
  );
  serve(app, contract.returnCheck, { allow: "admin" }, ({ tx, actor, params, body, today }) =>
    returnWholeCheck(tx, actor, { id: params.id, wanted: body, today }),
  );
  serve(app, contract.previewReturn, { allow: "admin" }, ({ tx, actor, params }) =>
    previewReturnOf(tx, actor, params.id),
  );
}
