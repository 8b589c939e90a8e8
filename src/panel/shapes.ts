import { z } from "zod";
import { Id } from "#kit/contract/fields.ts";
import { attorneys, maxAttorneyIds } from "#panel/attorneys.list.ts";
import { filtersObject } from "#kit/list/list-endpoint.ts";

const AttorneyFilters = filtersObject(attorneys);
export type AttorneyFilters = z.output<typeof AttorneyFilters>;

/** Attorneys chosen for an action: by id, or all that the list shows with these filters. */
export const chosenAttorneys = {
  attorney_ids: z
    .array(Id)
    .min(1, "must name at least one attorney")
    .max(maxAttorneyIds, "must name at most 1,000 attorneys")
    .optional(),
  filters: AttorneyFilters.optional(),
};
export type ChosenAttorneys = { attorney_ids?: number[] | undefined } & {
  filters?: AttorneyFilters | undefined;
};

/** For a body's `refine`: attorneys are named by ids or by filters, not both. */
export const hasIdsOrFilters = ({ attorney_ids, filters }: ChosenAttorneys): boolean =>
  (attorney_ids === undefined) !== (filters === undefined);

export const idsOrFiltersRequired = {
  error: "Send either attorney_ids or filters.",
  path: ["attorney_ids"],
};
