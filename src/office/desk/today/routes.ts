import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { hideFirstSteps, showOverview } from "#office/desk/today/contract.ts";
import { putAway, readOverview } from "#office/desk/today/overview.ts";

export function todayRoutes(app: FastifyInstance, { sendsMail }: { sendsMail: boolean }): void {
  serve(app, showOverview, { allow: "admin" }, ({ tx, actor, today }) =>
    readOverview(tx, actor, { today, sendsMail }),
  );
  serve(app, hideFirstSteps, { allow: "admin" }, ({ tx, actor }) => putAway(tx, actor));
}
