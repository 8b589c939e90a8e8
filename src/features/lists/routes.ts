import type { FastifyInstance } from "fastify";
import { serve } from "#http/serve.ts";
import * as contract from "#features/lists/contract.ts";
import {
  dropFilter,
  keepFilter,
  renameFilterTo,
  savedFiltersOf,
} from "#features/lists/saved-filters.ts";

export function listRoutes(app: FastifyInstance): void {
  serve(app, contract.listSavedFilters, { allow: "admin" }, ({ tx, actor, query }) =>
    savedFiltersOf(tx, actor, query.list),
  );
  serve(app, contract.saveFilter, { allow: "admin" }, ({ tx, actor, body }) =>
    keepFilter(tx, actor, body),
  );
  serve(app, contract.renameFilter, { allow: "admin" }, ({ tx, actor, params, body }) =>
    renameFilterTo(tx, actor, params.id, body.name),
  );
  serve(app, contract.removeFilter, { allow: "admin" }, ({ tx, actor, params }) =>
    dropFilter(tx, actor, params.id),
  );
}
