import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Day, Id, IdText, Money, Name, Note, Timestamp } from "#kit/contract/fields.ts";
import { PageQuery, pageOf } from "#kit/contract/page.ts";
import { Check } from "#payments/checks/contract.ts";
import { deposits, depositStatuses } from "#payments/deposits/deposits.list.ts";
import { keysOf } from "#kit/list/define-list.ts";
import { listEndpoint } from "#kit/list/list-endpoint.ts";

/** Checks deposited together. Source: domain rules §10. */
export const Deposit = z.object({
  id: Id,
  /** Numbered from 1 in each network, without gaps. */
  number: z.number().int(),
  depositedOn: Day,
  accountName: z.string(),
  /** All checks deposited, including returned ones. */
  checks: z.array(Check),
  count: z.number().int(),
  total: Money,
  /** The returned part of the total. */
  returned: Money,
  status: z.enum(keysOf(depositStatuses)),
  createdAt: Timestamp,
  bankedAt: Timestamp.nullable(),
  /** The day the bank has it. */
  bankedOn: Day.nullable(),
});
export type Deposit = z.output<typeof Deposit>;

export const listDeposits = listEndpoint(deposits, {
  path: "/deposits",
  summary: "Deposits, newest first",
  item: Deposit,
});

export const listUndepositedChecks = endpoint({
  method: "GET",
  path: "/deposits/undeposited_checks",
  summary: "Approved checks not yet deposited, newest first, with their total",
  query: PageQuery,
  object: pageOf(Check).extend({ amount: Money }),
});

export const maxChecks = 1000;

const CheckIds = z
  .array(Id)
  .max(maxChecks, "must name at most 1,000 checks")
  .refine((ids) => new Set(ids).size === ids.length, "must name each check once");

const NewDeposit = z.strictObject({
  check_ids: CheckIds.min(1, "Choose at least one check to deposit."),
  /** At most a year back and 7 days ahead; not before a check was received. */
  deposited_on: Day,
  account_name: Name,
});
export type NewDeposit = z.output<typeof NewDeposit>;

export const makeDeposit = endpoint({
  method: "POST",
  path: "/deposits",
  movesMoney: true,
  summary: "Deposit approved checks together, all or nothing",
  body: NewDeposit,
  object: Deposit,
});

const ById = z.object({ id: IdText });

export const showDeposit = endpoint({
  method: "GET",
  path: "/deposits/:id",
  summary: "One deposit with its checks",
  params: ById,
  object: Deposit,
});

const DepositChanges = z
  .strictObject({
    /** "banked" is final. */
    status: z.enum(keysOf(depositStatuses), { error: 'must be "open" or "banked"' }).optional(),
    /** The day the bank has it, today by default. Not before the deposit's date, not in a closed month. */
    banked_on: Day.optional(),
    /** All of its checks. Returned ones must stay. */
    check_ids: CheckIds.optional(),
    /** Or only the changes, so that other people's changes are kept. */
    add_check_ids: CheckIds.optional(),
    remove_check_ids: CheckIds.optional(),
    deposited_on: Day.optional(),
    account_name: Name.optional(),
  })
  .refine((changes) => Object.values(changes).some((change) => change !== undefined), {
    error: "The request must change something.",
    path: ["status"],
  })
  .refine(({ status, banked_on }) => banked_on === undefined || status === "banked", {
    error: 'Banked on is allowed only with status "banked".',
    path: ["banked_on"],
  })
  .refine(
    ({ check_ids, add_check_ids, remove_check_ids }) =>
      check_ids === undefined || (add_check_ids ?? remove_check_ids) === undefined,
    { error: "Send all checks or only the changes, not both.", path: ["check_ids"] },
  );
export type DepositChanges = z.output<typeof DepositChanges>;

export const changeDeposit = endpoint({
  method: "PATCH",
  path: "/deposits/:id",
  summary:
    "Change an open deposit, or mark it as banked; name all of its checks (`check_ids`) or only the changes (`add_check_ids`, `remove_check_ids`)",
  params: ById,
  body: DepositChanges,
  object: Deposit,
});

/** The denied part of a deposited check. It belongs to the check's payer. Source: book rules 3 and 12. */
export const HeldMoney = z.object({
  /** The check's id. */
  id: Id,
  checkId: Id,
  checkNumber: z.string(),
  payerName: z.string(),
  amount: Money,
  /** The day the deposit was banked. */
  since: Day,
  /** The bank account that has it. */
  accountName: z.string(),
  /** The attorneys the check pays for. The money can become credit of one of them. */
  attorneys: z.array(z.object({ id: Id, name: z.string() })),
});
export type HeldMoney = z.output<typeof HeldMoney>;

export const listHeldMoney = endpoint({
  method: "GET",
  path: "/held_money",
  summary: "Money held for payers, oldest first, with the total",
  query: PageQuery,
  object: pageOf(HeldMoney).extend({ amount: Money }),
});

export const giveHeldMoneyBack = endpoint({
  method: "POST",
  path: "/held_money/:id/give_back",
  movesMoney: true,
  summary: "Record a refund of held money",
  params: ById,
  body: z.strictObject({
    /** The bank account that the refund comes from. */
    account_name: Name,
    note: Note.min(1, "Enter a note that says how the money was refunded."),
  }),
  /** The held money before this call. */
  object: HeldMoney,
});

export const makeHeldMoneyCredit = endpoint({
  method: "POST",
  path: "/held_money/:id/to_credit",
  movesMoney: true,
  summary: "Move held money to an attorney's credit",
  params: ById,
  body: z.strictObject({ attorney_id: Id }),
  /** The held money before this call. */
  object: HeldMoney,
});
