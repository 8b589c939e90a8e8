import type { FastifyInstance } from "fastify";
import { serve } from "#server/serve.ts";
import { listChanges } from "#features/activity/activity.ts";
import { listActivity } from "#features/activity/contract.ts";

export function activityRoutes(app: FastifyInstance): void {
  serve(app, listActivity, { allow: "admin" }, ({ tx, actor, query }) =>
    listChanges(tx, actor, query),
  );
}
