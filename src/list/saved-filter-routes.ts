import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import * as contract from "#list/saved-filters-contract.ts";
import { dropFilter, keepFilter, renameFilterTo, savedFiltersOf } from "#list/saved-filters.ts";

export function listRoutes(app: FastifyInstance): void {
  const own = { allow: "admin", inPerson: true } as const;
  serve(app, contract.listSavedFilters, own, ({ tx, actor, query }) =>
    savedFiltersOf(tx, actor, query.list),
  );
  serve(app, contract.saveFilter, own, ({ tx, actor, body }) => keepFilter(tx, actor, body));
  serve(app, contract.renameFilter, own, ({ tx, actor, params, body }) =>
    renameFilterTo(tx, actor, params.id, body.name),
  );
  serve(app, contract.removeFilter, own, ({ tx, actor, params }) =>
    dropFilter(tx, actor, params.id),
  );
}
