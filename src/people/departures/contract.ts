import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Day, IdText, Money, Note } from "#kit/contract/fields.ts";
import { Attorney } from "#people/contract.ts";

const ById = z.object({ id: IdText });

const LeftOn = z.object({ left_on: Day });

export const recordDeparture = endpoint({
  method: "POST",
  path: "/attorneys/:id/departure",
  movesMoney: true,
  summary: "Record that an attorney has left the panel, today or earlier",
  params: ById,
  body: z.strictObject({ ...LeftOn.shape, reason: Note.default("") }),
  object: Attorney,
});
export type NewDeparture = z.output<typeof recordDeparture.body>;

/** What a departure would change and leave as it is. */
export const DeparturePreview = z.object({
  openReferrals: z.number().int(),
  overdueReports: z.number().int(),
  /** Enrolments that would end on the day of the departure. */
  enrolments: z.number().int(),
  /** Dues through that day that have not been billed yet. */
  billed: Money,
  /** Existing debits due after that day. They stay owed. */
  laterDebits: z.number().int(),
  laterAmount: Money,
  owed: Money,
});
export type DeparturePreview = z.output<typeof DeparturePreview>;

export const previewDeparture = endpoint({
  method: "POST",
  path: "/attorneys/:id/departure/preview",
  summary: "What recording a departure would do; changes nothing",
  params: ById,
  body: z.strictObject(LeftOn.shape),
  object: DeparturePreview,
});

export const recordReturn = endpoint({
  method: "POST",
  path: "/attorneys/:id/return",
  summary:
    "Return an attorney who has left to the panel; ended enrolments stay ended. An attorney who signed in before is emailed a link to choose a new password",
  params: ById,
  object: Attorney,
});
