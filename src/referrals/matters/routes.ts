import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { rememberColumns } from "#kit/imports/remembered-columns.ts";
import { importUpload, previewUpload, refusedRowsOf } from "#kit/imports/uploads.ts";
import { listCandidates } from "#referrals/matters/candidates.ts";
import * as contract from "#referrals/matters/contract.ts";
import { listMatters } from "#referrals/matters/matters.list.ts";
import { matterImport } from "#referrals/matters/import-matters.ts";
import {
  changeMatter,
  findMatter,
  listAllMatters,
  listOwnMatters,
} from "#referrals/matters/matters.ts";
import { recordMatter } from "#referrals/matters/record-matter.ts";
import {
  closeMatter,
  listReferrals,
  referMatter,
  withdrawMatter,
} from "#referrals/matters/referrals.ts";
import { fileReport, listReports } from "#referrals/matters/reports.ts";
import { findSameClient } from "#referrals/matters/same-client.ts";

const { matterImports } = contract;

export function matterRoutes(app: FastifyInstance): void {
  serve(app, listMatters, { allow: "admin" }, ({ tx, actor, query, today }) =>
    listAllMatters(tx, actor, query, today),
  );
  serve(app, contract.listMyMatters, { allow: "attorney" }, ({ tx, actor }) =>
    listOwnMatters(tx, actor),
  );
  serve(app, contract.listCandidates, { allow: "admin" }, ({ tx, actor, query, today }) =>
    listCandidates(tx, actor, query, today),
  );
  serve(app, contract.listSameClient, { allow: "admin" }, ({ tx, actor, query }) =>
    findSameClient(tx, actor, query),
  );
  serve(app, contract.showMatter, { allow: "admin" }, ({ tx, actor, params }) =>
    findMatter(tx, actor, params.id),
  );
  serve(app, contract.editMatter, { allow: "admin" }, ({ tx, actor, body }) =>
    changeMatter(tx, actor, body),
  );
  serve(app, contract.recordMatter, { allow: "admin" }, ({ tx, actor, body, today }) =>
    recordMatter(tx, actor, body, today),
  );
  serve(app, contract.referMatter, { allow: "admin" }, ({ tx, actor, params, body, today }) =>
    referMatter(tx, actor, { matterId: params.id, wanted: body, today }),
  );
  serve(app, contract.withdrawMatter, { allow: "admin" }, ({ tx, actor, params, body, today }) =>
    withdrawMatter(tx, actor, { matterId: params.id, wanted: body, today }),
  );
  serve(app, contract.closeMatter, { allow: "admin" }, ({ tx, actor, params, body }) =>
    closeMatter(tx, actor, { matterId: params.id, reason: body.reason }),
  );
  serve(app, contract.listReferrals, { allow: "admin" }, ({ tx, actor, params }) =>
    listReferrals(tx, actor, params.id),
  );
  serve(app, contract.fileReport, { allow: "attorney" }, ({ tx, actor, params, body, today }) =>
    fileReport(tx, actor, params.id, body, today),
  );
  serve(app, contract.listReports, { allow: "signed-in" }, ({ tx, actor, params }) =>
    listReports(tx, actor, params.id),
  );
  serve(app, matterImports.preview, { allow: "admin" }, (call) =>
    previewUpload(call, matterImport(call.actor, call.today)),
  );
  serve(app, matterImports.refusedRows, { allow: "admin" }, (call) =>
    refusedRowsOf(call, matterImport(call.actor, call.today)),
  );
  serve(app, matterImports.columns, { allow: "admin" }, ({ tx, actor, body, today }) =>
    rememberColumns(tx, actor, matterImport(actor, today), body.columns),
  );
  serve(app, matterImports.importing, { allow: "admin" }, (call) =>
    importUpload(call, matterImport(call.actor, call.today)),
  );
}
