import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import {
  CheckNumber,
  Day,
  Dollars,
  Id,
  IdKey,
  IdText,
  Money,
  Note,
  Timestamp,
} from "#kit/contract/fields.ts";
import { checks, checkStatuses } from "#payments/checks/checks.list.ts";
import { keysOf } from "#kit/list/define-list.ts";
import { listEndpoint } from "#kit/list/list-endpoint.ts";

const Status = z.enum(keysOf(checkStatuses));

/** One physical check, with the debits and the credit that it pays. Source: domain rules §10. */
export const Check = z.object({
  id: Id,
  checkNumber: z.string(),
  amount: Money,
  receivedOn: Day,
  payer: z.object({ kind: z.enum(["attorney", "firm"]), id: Id, name: z.string() }),
  status: Status,
  note: z.string(),
  shares: z.array(
    z.object({
      paymentId: Id,
      /** The share's own id, by which POST /lrs_subscription_check_payments/confirm names it. */
      shareId: Id,
      debitId: Id,
      debitName: z.string(),
      dueDate: Day,
      attorneyId: Id,
      attorneyName: z.string(),
      amount: Money,
      status: z.enum(["pending", "approved", "denied", "refunded", "returned"]),
    }),
  ),
  credits: z.array(z.object({ attorneyId: Id, attorneyName: z.string(), amount: Money })),
  depositId: Id.nullable(),
  /** Of its deposit, in the network. */
  depositNumber: z.number().int().nullable(),
  createdAt: Timestamp,
  decidedAt: Timestamp.nullable(),
  returnedOn: Day.nullable(),
  returnNote: z.string(),
});
export type Check = z.output<typeof Check>;

const ById = z.object({ id: IdText });

/** Debit or attorney id to an amount in dollars, at most 1,000 of them. */
const Parts = (of: string) =>
  z
    .record(IdKey, Dollars, { error: `must be a map of ${of} ids to amounts` })
    .refine((parts) => Object.keys(parts).length <= 1000, `must name at most 1,000 ${of}s`);

const NewCheck = z.strictObject({
  check_number: CheckNumber,
  amount: Dollars,
  /** At most a year back, never in the future. */
  received_on: Day,
  /** The payer: exactly one of the two. */
  attorney_id: Id.optional(),
  firm_id: Id.optional(),
  shares: Parts("debit").default({}),
  credits: Parts("attorney").default({}),
  approve: z.boolean().default(false),
  /** It is another check than the one of that number which the payer's firm, or an attorney of it, has already. */
  another_check: z.boolean().default(false),
  note: Note.default(""),
});
export type NewCheck = z.output<typeof NewCheck>;

export const recordWholeCheck = endpoint({
  method: "POST",
  path: "/checks",
  movesMoney: true,
  summary: "Record a check of an attorney or a firm, placed on debits and credit to the cent",
  body: NewCheck,
  object: Check,
});

export const listChecks = listEndpoint(checks, {
  path: "/checks",
  summary: "Received checks, newest first",
  item: Check,
  /** The sum apart by what became of the checks; without those of zero. */
  totals: { parts: z.array(z.object({ status: Status, amount: Money })) },
  more: {
    /** How many checks wait for a decision in the whole network, and what they come to. */
    pending: z.object({ count: z.number().int(), amount: Money }),
  },
});

export const showCheck = endpoint({
  method: "GET",
  path: "/checks/:id",
  summary: "One received check",
  params: ById,
  object: Check,
});

const CheckIds = z.array(Id).max(1000, "must name at most 1,000 checks").default([]);

const CheckDecisions = z
  .strictObject({ approve: CheckIds, deny: CheckIds })
  .refine(({ approve, deny }) => approve.length + deny.length > 0, {
    error: "Choose at least one check to approve or deny.",
    path: ["approve"],
  });
export type CheckDecisions = z.output<typeof CheckDecisions>;

export const decideWholeChecks = endpoint({
  method: "POST",
  path: "/checks/decide",
  movesMoney: true,
  summary: "Approve and deny checks, all or nothing",
  body: CheckDecisions,
  object: z.array(Check),
});

const ReturnedCheck = z.strictObject({
  /** At most a year back, never in the future. */
  returned_on: Day,
  /** Charged to the attorney with the largest part; none where it is left out. */
  fee: Dollars.optional(),
  note: Note.default(""),
});
export type ReturnedCheck = z.output<typeof ReturnedCheck>;

export const returnCheck = endpoint({
  method: "POST",
  path: "/checks/:id/returned",
  movesMoney: true,
  summary: "The bank returned a check: what it paid is owed again",
  params: ById,
  body: ReturnedCheck,
  object: Check,
});

/** What returning a check would do, in numbers. */
export const previewReturn = endpoint({
  method: "GET",
  path: "/checks/:id/returned_preview",
  summary: "What returning a check would do",
  params: ById,
  object: z.object({
    /** Debits that are owed again, and how much of them. */
    debits: z.number().int(),
    reopened: Money,
    /** Credit that it brought: taken back while unused, taken off the debits that it was applied to, and charged where it was given back. */
    creditTakenBack: Money,
    creditTakenOff: Money,
    creditCharged: Money,
    /** Its denied part, where that was held and given back: charged to the one who would pay the fee. */
    heldCharged: Money,
    /** What other credit of its attorneys pays at once: of what is charged without the fee, and of a fee at most. */
    chargedFromCredit: Money,
    creditForFee: Money,
    /** The network's usual fee, and whose account it would be charged to. */
    fee: Money,
    feeAttorneyId: Id,
    feeAttorneyName: z.string(),
    /** Who is told by mail. */
    mailed: z.array(z.object({ attorneyId: Id, attorneyName: z.string(), email: z.string() })),
  }),
});
