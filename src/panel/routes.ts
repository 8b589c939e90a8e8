import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { listPage } from "#kit/list/list-page.ts";
import { attorneyRows } from "./attorneys.rows.ts";
import * as contract from "./contract.ts";
import { readVacationSettings, writeVacationSettings } from "./vacation-settings.ts";

export function panelRoutes(app: FastifyInstance): void {
  serve(app, contract.listAttorneys, { allow: "admin" }, ({ tx, actor, query, today }) =>
    listPage(tx, attorneyRows, { admin: actor, today }, query),
  );
  serve(app, contract.showVacationSettings, { allow: "admin" }, ({ tx, actor }) =>
    readVacationSettings(tx, actor),
  );
  serve(app, contract.changeVacationSettings, { allow: "admin" }, ({ tx, actor, body }) =>
    writeVacationSettings(tx, actor, body.lawyers_set_own_vacation),
  );
}
