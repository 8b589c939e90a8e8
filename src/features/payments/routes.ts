import type { FastifyInstance } from "fastify";
import { serve } from "#server/serve.ts";
import { decideChecks, recordCheck } from "#features/payments/checks.ts";
import { confirmChecks, payByCheck } from "#features/payments/contract.ts";

export function paymentRoutes(app: FastifyInstance): void {
  serve(app, payByCheck, { allow: "signed-in" }, ({ tx, actor, body, today }) =>
    recordCheck(tx, actor, body, today),
  );
  serve(app, confirmChecks, { allow: "admin" }, ({ tx, actor, body }) =>
    decideChecks(tx, actor, body),
  );
}
