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

/** One physical check, with the debits and credit that it pays. Source: domain rules §10. */
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
      /** The id that POST /lrs_subscription_check_payments/confirm takes. */
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
  /** The deposit's number in the network. */
  depositNumber: z.number().int().nullable(),
  createdAt: Timestamp,
  decidedAt: Timestamp.nullable(),
  returnedOn: Day.nullable(),
  returnNote: z.string(),
});
export type Check = z.output<typeof Check>;

const ById = z.object({ id: IdText });

/** At most 1,000 debit or attorney ids with their amounts in dollars. */
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
  /** A different check from one with the same number of the payer's firm or of its attorneys. */
  another_check: z.boolean().default(false),
  note: Note.default(""),
});
export type NewCheck = z.output<typeof NewCheck>;

export const recordWholeCheck = endpoint({
  method: "POST",
  path: "/checks",
  movesMoney: true,
  summary: "Record a check from an attorney or a firm, placed on debits and credit to the cent",
  body: NewCheck,
  object: Check,
});

export const listChecks = listEndpoint(checks, {
  path: "/checks",
  summary: "Received checks, newest first",
  item: Check,
  /** The sums by status, without zeros. */
  totals: { parts: z.array(z.object({ status: Status, amount: Money })) },
  more: {
    /** The number and sum of all pending checks in the network. */
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
  /** Charged to the attorney with the largest part; no fee if left out. */
  fee: Dollars.optional(),
  note: Note.default(""),
});
export type ReturnedCheck = z.output<typeof ReturnedCheck>;

export const returnCheck = endpoint({
  method: "POST",
  path: "/checks/:id/returned",
  movesMoney: true,
  summary: "Record that the bank returned a check; the amounts it paid are owed again",
  params: ById,
  body: ReturnedCheck,
  object: Check,
});

export const previewReturn = endpoint({
  method: "GET",
  path: "/checks/:id/returned_preview",
  summary: "What returning a check would do",
  params: ById,
  object: z.object({
    /** The number of debits that are owed again, and the amount. */
    debits: z.number().int(),
    reopened: Money,
    /** The check's credit: reversed if unused, removed from the debits it paid, charged if already refunded. */
    creditTakenBack: Money,
    creditTakenOff: Money,
    creditCharged: Money,
    /** The check's denied part if it was held and refunded: charged to the attorney who would pay the fee. */
    heldCharged: Money,
    /** What other credit pays immediately: of the charges without the fee, and at most of a fee. */
    chargedFromCredit: Money,
    creditForFee: Money,
    /** The network's usual fee, and the attorney it would be charged to. */
    fee: Money,
    feeAttorneyId: Id,
    feeAttorneyName: z.string(),
    /** The attorneys who are emailed. */
    mailed: z.array(z.object({ attorneyId: Id, attorneyName: z.string(), email: z.string() })),
  }),
});
