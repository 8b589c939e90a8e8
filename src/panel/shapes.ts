import { z } from "zod";
import { Id } from "#kit/contract/fields.ts";
import { attorneys, mostByIds } from "#panel/attorneys.list.ts";
import { filtersObject } from "#kit/list/list-endpoint.ts";

const AttorneyFilters = filtersObject(attorneys);
export type AttorneyFilters = z.output<typeof AttorneyFilters>;

/** For whom something is done: attorneys by their ids, or all that the list shows with these filters. */
export const chosenAttorneys = {
  attorney_ids: z
    .array(Id)
    .min(1, "must name at least one attorney")
    .max(mostByIds, "must name at most 1,000 attorneys")
    .optional(),
  filters: AttorneyFilters.optional(),
};
export type ChosenAttorneys = { attorney_ids?: number[] | undefined } & {
  filters?: AttorneyFilters | undefined;
};

/** For `refine` of a body that names attorneys: in one way and no other. */
export const namesAttorneys = ({ attorney_ids, filters }: ChosenAttorneys): boolean =>
  (attorney_ids === undefined) !== (filters === undefined);

export const unnamedAttorneys = {
  error: "Name either the attorneys or the filters of the list.",
  path: ["attorney_ids"],
};
