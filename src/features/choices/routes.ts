import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import { offerChoices } from "#features/choices/choices.ts";
import { listChoices } from "#list/choices-contract.ts";

export function choiceRoutes(app: FastifyInstance): void {
  serve(app, listChoices, { allow: "admin" }, ({ tx, actor, query }) =>
    offerChoices(tx, actor, query),
  );
}
