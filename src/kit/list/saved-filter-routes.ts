import type { FastifyInstance } from "fastify";
import { invalid } from "#kit/contract/refusal.ts";
import { serve } from "#kit/http/serve.ts";
import * as contract from "#kit/list/saved-filters-contract.ts";
import { dropFilter, keepFilter, renameFilterTo, savedFiltersOf } from "#kit/list/saved-filters.ts";

/** `lists`: the names of the lists whose filters can be saved. */
export function listRoutes(app: FastifyInstance, lists: readonly string[]): void {
  const own = { allow: "admin", inPerson: true } as const;
  const refuseUnknown = (list: string | undefined) => {
    if (list !== undefined && !lists.includes(list))
      throw invalid("list", `List must be one of ${lists.join(", ")}.`);
  };
  serve(app, contract.listSavedFilters, own, async ({ tx, actor, query }) => {
    refuseUnknown(query.list);
    return await savedFiltersOf(tx, actor, query.list);
  });
  serve(app, contract.saveFilter, own, async ({ tx, actor, body }) => {
    refuseUnknown(body.list);
    return await keepFilter(tx, actor, body);
  });
  serve(app, contract.renameFilter, own, ({ tx, actor, params, body }) =>
    renameFilterTo(tx, actor, params.id, body.name),
  );
  serve(app, contract.removeFilter, own, ({ tx, actor, params }) =>
    dropFilter(tx, actor, params.id),
  );
}
