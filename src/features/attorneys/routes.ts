import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import { showAttorneyRecord } from "#features/attorney-record/attorney-record.ts";
import { addToPanel, changeDetails, listPanel, pause } from "#features/attorneys/attorneys.ts";
import * as contract from "#features/attorneys/contract.ts";
import { attorneyImport } from "#features/attorneys/import-attorneys.ts";
import { invite } from "#features/attorneys/invitations.ts";
import { importUpload, previewUpload, refusedRowsOf } from "#features/imports/uploads.ts";

const { attorneyImports } = contract;

export function attorneyRoutes(app: FastifyInstance, settings: { publicUrl: string }): void {
  serve(app, contract.listAttorneys, { allow: "admin" }, ({ tx, actor, query, today }) =>
    listPanel(tx, actor, query, today),
  );
  serve(app, contract.addAttorney, { allow: "admin" }, ({ tx, actor, body, today }) =>
    addToPanel(tx, actor, body, today),
  );
  serve(app, contract.showAttorney, { allow: "signed-in" }, ({ tx, actor, params, today }) =>
    showAttorneyRecord(tx, actor, params.id, today),
  );
  serve(app, contract.editAttorney, { allow: "admin" }, ({ tx, actor, params, body, today }) =>
    changeDetails(tx, actor, { attorneyId: params.id, wanted: body }, today),
  );
  serve(app, contract.inviteAttorney, { allow: "admin" }, ({ tx, actor, params }) =>
    invite(tx, actor, params.id, settings.publicUrl),
  );
  serve(app, contract.pauseAttorney, { allow: "admin" }, ({ tx, actor, body, today }) =>
    pause(tx, actor, body, today),
  );
  serve(app, attorneyImports.preview, { allow: "admin" }, (call) =>
    previewUpload(call, attorneyImport(call.actor)),
  );
  serve(app, attorneyImports.refusedRows, { allow: "admin" }, (call) =>
    refusedRowsOf(call, attorneyImport(call.actor)),
  );
  serve(app, attorneyImports.importing, { allow: "admin" }, (call) =>
    importUpload(call, attorneyImport(call.actor)),
  );
}
