import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import { showImportUnderWay } from "#features/imports/contract.ts";
import { runningImport } from "#features/imports/import-lock.ts";

export function importRoutes(app: FastifyInstance): void {
  serve(app, showImportUnderWay, { allow: "admin" }, ({ tx, actor }) => runningImport(tx, actor));
}
