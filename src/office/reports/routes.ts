import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { IdText } from "#kit/contract/fields.ts";
import { sendFile } from "#kit/http/send-file.ts";
import { notFound } from "#kit/contract/refusal.ts";
import { allowOnly, serve } from "#kit/http/serve.ts";
import { listPageOf } from "#kit/list/list-page.ts";
import * as contract from "#kit/list/reports-contract.ts";
import { exportFile } from "#office/reports/download.ts";
import {
  cancelExport,
  exportOptions,
  orderExport,
  readExports,
  retryExport,
} from "#office/reports/exports.ts";
import { reportRows } from "#office/reports/reports.rows.ts";
import { listSchedules, removeSchedule, addSchedule } from "#office/reports/schedules.ts";

export function exportRoutes(app: FastifyInstance): void {
  serve(app, contract.showExportOptions, { allow: "admin" }, ({ tx, actor }) =>
    exportOptions(tx, actor),
  );
  serve(
    app,
    contract.requestExport,
    { allow: "admin", withoutEnvelope: true },
    ({ tx, actor, body, today }) => orderExport(tx, actor, body, today.toString()),
  );
  serve(app, contract.listExports, { allow: "admin" }, ({ tx, actor, query, today }) =>
    listPageOf(tx, reportRows, { admin: actor, today }, query, (ids) =>
      readExports(tx, actor, ids),
    ),
  );
  serve(app, contract.cancelExport, { allow: "admin" }, ({ tx, actor, params }) =>
    cancelExport(tx, actor, params.id),
  );
  serve(app, contract.retryExport, { allow: "admin" }, ({ tx, actor, params }) =>
    retryExport(tx, actor, params.id),
  );
  serve(app, contract.listSchedules, { allow: "admin" }, ({ tx, actor }) =>
    listSchedules(tx, actor),
  );
  serve(app, contract.scheduleExport, { allow: "admin" }, ({ tx, actor, body, today }) =>
    addSchedule(tx, actor, body, today),
  );
  serve(app, contract.removeSchedule, { allow: "admin" }, ({ tx, actor, params }) =>
    removeSchedule(tx, actor, params.id),
  );
  serveFile(app);
}

/** The one endpoint that returns a file. */
function serveFile(app: FastifyInstance): void {
  const endpoint = contract.downloadExport;
  app.endpoints.push({
    endpoint,
    allow: "admin",
    isForPrograms: true,
    isBare: true,
    mediaType: "text/csv",
  });
  app.get(
    endpoint.path,
    { onRequest: async (request) => allowOnly("admin", endpoint, request) },
    async (request, reply) => {
      const params = z.safeDecode(z.object({ id: IdText }), request.params as { id: string });
      if (!params.success || request.actor?.role !== "admin") throw notFound("report");
      const file = await exportFile(app.db, request.actor, params.data.id);
      return sendFile(request, reply, file);
    },
  );
}
