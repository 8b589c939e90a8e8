import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import * as contract from "#features/firms/contract.ts";
import { changeFirmDetails, defineFirm, findFirm, listAllFirms } from "#features/firms/firms.ts";

export function firmRoutes(app: FastifyInstance): void {
  serve(app, contract.listFirms, { allow: "admin" }, ({ tx, actor, query, today }) =>
    listAllFirms(tx, actor, query, today),
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
