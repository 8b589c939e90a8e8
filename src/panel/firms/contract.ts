import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Day, Email, Id, IdText, Money, Name } from "#kit/contract/fields.ts";
import { firms } from "#panel/firms/firms.list.ts";
import { listEndpoint } from "#kit/list/list-endpoint.ts";

/** A law firm with its attorneys. Its balance and credit are the sums over them. */
export const Firm = z.object({
  id: Id,
  name: z.string(),
  billingEmail: z.string(),
  /** Includes attorneys who have left the panel: the firm can pay what they still owe. */
  attorneys: z.array(
    z.object({
      id: Id,
      name: z.string(),
      balance: Money,
      credit: Money,
      leftOn: Day.nullable(),
    }),
  ),
  balance: Money,
  credit: Money,
});
export type Firm = z.output<typeof Firm>;

const ById = z.object({ id: IdText });

const BillingEmail = z.union([z.literal(""), Email]);
const AttorneyIds = z.array(Id).max(1000, "must name at most 1,000 attorneys");

export const listFirms = listEndpoint(firms, {
  path: "/firms",
  summary: "Law firms by name",
  item: Firm,
});

export const showFirm = endpoint({
  method: "GET",
  path: "/firms/:id",
  summary: "One law firm",
  params: ById,
  object: Firm,
});

const NewFirm = z.strictObject({
  name: Name,
  billing_email: BillingEmail.default(""),
  attorney_ids: AttorneyIds,
});
export type NewFirm = z.output<typeof NewFirm>;

export const addFirm = endpoint({
  method: "POST",
  path: "/firms",
  summary: "Add a law firm with its attorneys; an attorney of another firm is refused",
  body: NewFirm,
  object: Firm,
});

const FirmChanges = z.strictObject({
  name: Name.optional(),
  billing_email: BillingEmail.optional(),
  attorney_ids: AttorneyIds.optional(),
});
export type FirmChanges = z.output<typeof FirmChanges>;

export const changeFirm = endpoint({
  method: "PATCH",
  path: "/firms/:id",
  summary: "Change a law firm; `attorney_ids` names all of its attorneys",
  params: ById,
  body: FirmChanges,
  object: Firm,
});
