import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Day, Id, IdText, line } from "#kit/contract/fields.ts";

/** What can be chosen. A payer is a firm or an attorney, including attorneys who have left. */
export const choiceKinds = ["attorneys", "firms", "payers"] as const;

/** The most choices offered: what a person can scan by eye. */
export const maxChoices = 50;

/** An attorney or a firm that can be chosen in a form or a filter. */
export const Choice = z.object({
  kind: z.enum(["attorney", "firm"]),
  id: Id,
  name: z.string(),
  /** An attorney's email, or a firm's billing email; may be empty. */
  email: z.string(),
  /** The number of lawyers in a firm. */
  lawyers: z.number().int().nullable(),
  leftOn: Day.nullable(),
  /** If the name does not match the search: what does, such as "email j@barnes.example". */
  foundBy: z.string().nullable(),
});
export type Choice = z.output<typeof Choice>;

export const listChoices = endpoint({
  method: "GET",
  path: "/choices",
  summary:
    "At most 50 attorneys, firms or payers to choose from, best name match first; matches by email, phone, bar number, firm or attorney only if no name matches",
  query: z.object({
    of: z
      .enum(choiceKinds, { error: `must be one of ${choiceKinds.join(", ")}` })
      .default("payers"),
    search: line(200).default(""),
    /** Only this one, whatever is typed: to name a choice in the address. */
    id: IdText.optional(),
  }),
  object: z.array(Choice),
});
