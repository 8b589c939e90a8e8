import type { FastifyInstance } from "fastify";
import { serve } from "#kit/http/serve.ts";
import { offerChoices } from "#kit/list/attorney-and-firm-choices.ts";
import { listChoices } from "#kit/list/choices-contract.ts";

export function choiceRoutes(app: FastifyInstance): void {
  serve(app, listChoices, { allow: "admin" }, ({ tx, actor, query }) =>
    offerChoices(tx, actor, query),
  );
}
