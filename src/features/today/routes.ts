import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import { putFirstStepsAway, showOverview } from "#features/today/contract.ts";
import { putAway, readOverview } from "#features/today/overview.ts";

export function todayRoutes(app: FastifyInstance, { sendsMail }: { sendsMail: boolean }): void {
  serve(app, showOverview, { allow: "admin" }, ({ tx, actor, today }) =>
    readOverview(tx, actor, { today, sendsMail }),
  );
  serve(app, putFirstStepsAway, { allow: "admin" }, ({ tx, actor }) => putAway(tx, actor));
}
