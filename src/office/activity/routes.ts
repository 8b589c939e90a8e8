import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { listActors, listChanges } from "#office/activity/activity.ts";
import { listActivity, listPeople } from "#office/activity/contract.ts";

export function activityRoutes(app: FastifyInstance): void {
  serve(app, listActivity, { allow: "admin" }, ({ tx, actor, query, today }) =>
    listChanges(tx, actor, query, today),
  );
  serve(app, listPeople, { allow: "admin" }, ({ tx, actor }) => listActors(tx, actor));
}
