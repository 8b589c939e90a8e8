import { listPlans } from "#dues/plans/plans.list.ts";
import { listPlanEnrolments } from "#dues/plans/enrolments.list.ts";
import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import * as contract from "#dues/plans/contract.ts";
import {
  endEnrolment,
  endEnrolments,
  enrollAttorney,
  enrollAll,
  enrollChosen,
  listActiveEnrolments,
  previewEnrollChosen,
} from "#dues/plans/enrolments.ts";
import { previewUndoEnrollAll, undoEnrollAll } from "#dues/plans/enrolment-batches.ts";
import { enrolmentRows } from "#dues/plans/enrolments.rows.ts";
import { planRows } from "#dues/plans/plans.rows.ts";
import { listPage, listWhole } from "#kit/list/list-page.ts";
import { showPlanRecord } from "#dues/plans/plan-record.ts";
import { definePlan, previewEnrollAll, archivePlanAndEnrolments } from "#dues/plans/plans.ts";
import { listUpcoming } from "#dues/plans/upcoming.ts";

export function subscriptionRoutes(app: FastifyInstance): void {
  serve(app, contract.createPlan, { allow: "admin" }, ({ tx, actor, body }) =>
    definePlan(tx, actor, body),
  );
  serve(app, contract.archivePlan, { allow: "admin" }, ({ tx, actor, params, today }) =>
    archivePlanAndEnrolments(tx, actor, params.id, today),
  );
  serve(app, listPlans, { allow: "admin" }, ({ tx, actor, query, today }) =>
    listWhole(tx, planRows, { admin: actor, today }, query),
  );
  serve(app, contract.previewSubscribeAll, { allow: "admin" }, ({ tx, actor, params }) =>
    previewEnrollAll(tx, actor, params.id),
  );
  serve(app, contract.showPlan, { allow: "admin" }, ({ tx, actor, params }) =>
    showPlanRecord(tx, actor, params.id),
  );
  serve(app, listPlanEnrolments, { allow: "admin" }, ({ tx, actor, params, query, today }) =>
    listPage(tx, enrolmentRows, { admin: actor, today }, { ...query, plan_id: params.id }),
  );
  serve(app, contract.enrolAttorney, { allow: "admin" }, ({ tx, actor, body, today }) =>
    enrollAttorney(tx, actor, body, today),
  );
  serve(app, contract.subscribeAll, { allow: "admin" }, ({ tx, actor, body, today }) =>
    enrollAll(tx, actor, body, today),
  );
  serve(app, contract.enrolChosen, { allow: "admin" }, ({ tx, actor, body, today }) =>
    enrollChosen(tx, actor, body, today),
  );
  serve(app, contract.previewEnrolChosen, { allow: "admin" }, ({ tx, actor, body, today }) =>
    previewEnrollChosen(tx, actor, body, today),
  );
  serve(app, contract.previewUndo, { allow: "admin" }, ({ tx, actor, params }) =>
    previewUndoEnrollAll(tx, actor, params.id),
  );
  serve(app, contract.undoSubscribeAll, { allow: "admin" }, ({ tx, actor, params }) =>
    undoEnrollAll(tx, actor, params.id),
  );
  serve(app, contract.endEnrolments, { allow: "admin" }, ({ tx, actor, body, today }) =>
    endEnrolments(tx, actor, body.ids, today),
  );
  serve(app, contract.unsubscribe, { allow: "admin" }, ({ tx, actor, params, today }) =>
    endEnrolment(tx, actor, params.id, today),
  );
  serve(app, contract.listEnrolments, { allow: "signed-in" }, ({ tx, actor, query }) =>
    listActiveEnrolments(tx, actor, query.attorney_id),
  );
  serve(app, contract.showUpcoming, { allow: "admin" }, ({ tx, actor, params }) =>
    listUpcoming(tx, actor, params.id),
  );
}
