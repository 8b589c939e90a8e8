import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import { listPage } from "#list/list-page.ts";
import { showCheckOf } from "#features/checks/checks.ts";
import { checkRows } from "#features/checks/checks.rows.ts";
import * as contract from "#features/checks/contract.ts";
import { decideWholeChecks } from "#features/checks/decide-checks.ts";
import { recordWholeCheck } from "#features/checks/record-check.ts";
import { previewReturnOf, returnWholeCheck } from "#features/checks/return-check.ts";

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
