import { z } from "zod";
import { Id, IdText, line } from "#contract/fields.ts";

export const attorneyStatuses = ["active", "paused", "suspended", "left"] as const;

/** Owes anything at all, or something that was due over so many days ago. */
export const owedFor = ["any", "30", "60", "90"] as const;

/** At most so many attorneys are chosen by their ids. */
export const mostByIds = 1000;

/** What the list of attorneys is filtered by. Those who have left are in none that does not ask for them. */
export const attorneyFilters = {
  search: line(200).default(""),
  status: z.enum(attorneyStatuses).optional(),
  owes: z.enum(owedFor).optional(),
  /** Enrolled in it now. */
  plan_id: IdText.optional(),
  firm_id: IdText.optional(),
  signed_in: z.enum(["never"]).optional(),
  /** Whose address takes no mail, as its mail server said last. */
  email: z.enum(["refused"]).optional(),
  /** Attorneys by their ids, whether or not they have left: "17,23". */
  ids: z
    .string()
    .regex(/^[1-9]\d{0,14}(,[1-9]\d{0,14})*$/, "must be numbers of records with commas between")
    .refine((ids) => ids.split(",").length <= mostByIds, "must name at most 1,000 attorneys")
    .optional(),
};
const AttorneyFilters = z.strictObject(attorneyFilters);
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
