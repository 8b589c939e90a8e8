import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import { listActors, listChanges } from "#features/activity/activity.ts";
import { listActivity, listPeople } from "#features/activity/contract.ts";

export function activityRoutes(app: FastifyInstance): void {
  serve(app, listActivity, { allow: "admin" }, ({ tx, actor, query }) =>
    listChanges(tx, actor, query),
  );
  serve(app, listPeople, { allow: "admin" }, ({ tx, actor }) => listActors(tx, actor));
}
