import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Day, Id, Money, Timestamp } from "#kit/contract/fields.ts";
import { listEndpoint } from "#kit/list/list-endpoint.ts";
import { attorneys } from "./attorneys.list.ts";

export const AttorneyRow = z.object({
  id: Id,
  name: z.string(),
  email: z.string(),
  phone: z.string(),
  pausedUntil: Day.nullable(),
  paused: z.boolean(),
  suspended: z.boolean(),
  /** The day the attorney left the panel; null while on it. */
  leftOn: Day.nullable(),
  balance: Money,
});
export type AttorneyRow = z.output<typeof AttorneyRow>;

/** An attorney in the panel's list. */
export const PanelRow = AttorneyRow.extend({
  firm: z.object({ id: Id, name: z.string() }).nullable(),
  /** The overdue part of the balance, and its oldest due date. */
  overdue: Money,
  overdueSince: Day.nullable(),
  lastSignedInAt: Timestamp.nullable(),
});
export type PanelRow = z.output<typeof PanelRow>;

export const listAttorneys = listEndpoint(attorneys, {
  path: "/attorneys",
  summary: "The network's panel, by last name; attorneys who have left only with `status=left`",
  item: PanelRow,
});

export const VacationSettings = z.object({ lawyersSetOwnVacation: z.boolean() });
export type VacationSettings = z.output<typeof VacationSettings>;

export const showVacationSettings = endpoint({
  method: "GET",
  path: "/legal_networks/vacation_settings",
  summary: "Whether lawyers may set their own vacation",
  object: VacationSettings,
});

export const changeVacationSettings = endpoint({
  method: "PATCH",
  path: "/legal_networks/vacation_settings",
  summary: "Let lawyers set their own vacation, or leave it to administrators",
  body: z.strictObject({ lawyers_set_own_vacation: z.boolean() }),
  object: VacationSettings,
});
