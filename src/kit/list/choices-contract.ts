import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Day, Id, IdText, line } from "#kit/contract/fields.ts";

/** Of what one is chosen. A payer is a firm or an attorney, also one who has left. */
export const choiceKinds = ["attorneys", "firms", "payers"] as const;

/** How many are offered at most: as many as a list that is looked through by eye can hold. */
export const maxChoices = 50;

/** An attorney or a firm that can be chosen in a form or a filter. */
export const Choice = z.object({
  kind: z.enum(["attorney", "firm"]),
  id: Id,
  name: z.string(),
  /** An attorney's own, or where a firm's mail about money goes; perhaps none. */
  email: z.string(),
  /** How many a firm has. */
  lawyers: z.number().int().nullable(),
  leftOn: Day.nullable(),
  /** Where the name does not match what was typed: what does, such as "email j@barnes.example". */
  foundBy: z.string().nullable(),
});
export type Choice = z.output<typeof Choice>;

export const listChoices = endpoint({
  method: "GET",
  path: "/choices",
  summary:
    "At most 50 attorneys, firms or payers to choose from: matches of the name first, whole words before beginnings; those found by email, phone, bar number, firm or lawyer only where no name matches",
  query: z.object({
    of: z
      .enum(choiceKinds, { error: `must be one of ${choiceKinds.join(", ")}` })
      .default("payers"),
    search: line(200).default(""),
    /** This one only, whatever is typed: to name what an address chose. */
    id: IdText.optional(),
  }),
  object: z.array(Choice),
});
