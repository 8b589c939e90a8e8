import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import * as contract from "#features/subscriptions/contract.ts";
import {
  endEnrolment,
  enrollAttorney,
  enrollAll,
  listActiveEnrolments,
} from "#features/subscriptions/enrolments.ts";
import {
  definePlan,
  listAllPlans,
  previewEnrollAll,
  archivePlanAndEnrolments,
} from "#features/subscriptions/plans.ts";
import { listUpcoming } from "#features/subscriptions/upcoming.ts";

export function subscriptionRoutes(app: FastifyInstance): void {
  serve(app, contract.createPlan, { allow: "admin" }, ({ tx, actor, body }) =>
    definePlan(tx, actor, body),
  );
  serve(app, contract.archivePlan, { allow: "admin" }, ({ tx, actor, params, today }) =>
    archivePlanAndEnrolments(tx, actor, params.id, today),
  );
  serve(app, contract.listPlans, { allow: "admin" }, ({ tx, actor }) => listAllPlans(tx, actor));
  serve(app, contract.previewSubscribeAll, { allow: "admin" }, ({ tx, actor, params }) =>
    previewEnrollAll(tx, actor, params.id),
  );
  serve(app, contract.enrolAttorney, { allow: "admin" }, ({ tx, actor, body, today }) =>
    enrollAttorney(tx, actor, body, today),
  );
  serve(app, contract.subscribeAll, { allow: "admin" }, ({ tx, actor, body, today }) =>
    enrollAll(tx, actor, body, today),
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
