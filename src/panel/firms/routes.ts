import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import * as contract from "#panel/firms/contract.ts";
import { firmRows } from "#panel/firms/firms.rows.ts";
import { changeFirmDetails, defineFirm, findFirm } from "#panel/firms/firms.ts";
import { listPage } from "#kit/list/list-page.ts";

export function firmRoutes(app: FastifyInstance): void {
  serve(app, contract.listFirms, { allow: "admin" }, ({ tx, actor, query, today }) =>
    listPage(tx, firmRows, { admin: actor, today }, query),
  );
  serve(app, contract.addFirm, { allow: "admin" }, ({ tx, actor, body }) =>
    defineFirm(tx, actor, body),
  );
  serve(app, contract.showFirm, { allow: "admin" }, ({ tx, actor, params }) =>
    findFirm(tx, actor, params.id),
  );
  serve(app, contract.changeFirm, { allow: "admin" }, ({ tx, actor, params, body }) =>
    changeFirmDetails(tx, actor, params.id, body),
  );
}
