import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { showImportUnderWay } from "#kit/imports/contract.ts";
import { runningImport } from "#kit/imports/import-lock.ts";

export function importRoutes(app: FastifyInstance): void {
  serve(app, showImportUnderWay, { allow: "admin" }, ({ tx, actor }) => runningImport(tx, actor));
}
