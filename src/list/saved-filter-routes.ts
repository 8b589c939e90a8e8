import type { FastifyInstance } from "fastify";
import { invalid } from "#contract/refusal.ts";
import { serve } from "#http/serve.ts";
import * as contract from "#list/saved-filters-contract.ts";
import { dropFilter, keepFilter, renameFilterTo, savedFiltersOf } from "#list/saved-filters.ts";

/** `lists`: the names of those whose filters can be saved. */
export function listRoutes(app: FastifyInstance, lists: readonly string[]): void {
  const own = { allow: "admin", inPerson: true } as const;
  serve(app, contract.listSavedFilters, own, ({ tx, actor, query }) =>
    savedFiltersOf(tx, actor, query.list),
  );
  serve(app, contract.saveFilter, own, async ({ tx, actor, body }) => {
    if (!lists.includes(body.list))
      throw invalid("list", `List must be one of ${lists.join(", ")}.`);
    return await keepFilter(tx, actor, body);
  });
  serve(app, contract.renameFilter, own, ({ tx, actor, params, body }) =>
    renameFilterTo(tx, actor, params.id, body.name),
  );
  serve(app, contract.removeFilter, own, ({ tx, actor, params }) =>
    dropFilter(tx, actor, params.id),
  );
}
