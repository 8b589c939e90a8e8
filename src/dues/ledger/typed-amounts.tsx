import { leftAfterCredit } from "#kit/domain/credit.ts";
import { formatDay } from "#kit/domain/day.ts";
import {
  type Cents,
  cents,
  centsFromDollars,
  cleanAmount,
  dollarsText,
  formatMoney,
  zero,
} from "#kit/domain/money.ts";
import type { Debit } from "#dues/ledger/contract.ts";

/** The text of the Payment fields, by debit id. A missing debit means 0. */
export type PaymentAmounts = Readonly<Record<number, string>>;

export const noAmounts: PaymentAmounts = {};

/** A payment: the amounts above zero when Pay was pressed (debit id to dollars), and their sum. */
export interface Payment {
  hash: Readonly<Record<string, string>>;
  total: Cents;
  /** The idempotency key of a card payment: the same while the same amounts are paid. */
  name: string;
}

export interface AmountProblem {
  debit: Debit;
  message: string;
}

/** The part of a debit's balance in pending checks and card payments. */
export const pendingOf = (debit: Debit): Cents => debit.pending;

/** The part of a debit that can be paid now. Source: domain rules §4. */
export function payableOf(debit: Debit): Cents {
  return cents(Math.max(0, debit.balance - pendingOf(debit)));
}

/** The debit's name and due date: "Panel dues, due 01/31/2027". */
export function titleOf(debit: Debit): string {
  return `${debit.name}, due ${formatDay(debit.dueDate)}`;
}

/** The title with the start of the note, for places that do not show the note. */
export function labelOf(debit: Debit): string {
  const [firstLine = ""] = debit.note.split("\n");
  return firstLine ? `${titleOf(debit)} (${firstLine.slice(0, 60)})` : titleOf(debit);
}

/** The amounts left to pay on these debits after credit is used. Debits must be oldest due first. */
export function leftToPay(
  debits: readonly Debit[],
  credit: Cents = zero,
): { debit: Debit; amount: Cents }[] {
  const left = leftAfterCredit(debits.map(payableOf), credit);
  return debits
    .map((debit, at) => ({ debit, amount: left[at] ?? zero }))
    .filter(({ amount }) => amount > 0);
}

/** The amounts of `leftToPay`, as the Payment fields have them. */
export function fullAmounts(debits: readonly Debit[], credit: Cents = zero): PaymentAmounts {
  return Object.fromEntries(
    leftToPay(debits, credit).map(({ debit, amount }) => [debit.id, dollarsText(amount)]),
  );
}

/** The typed amounts whose debits have the same payable amount as before. */
export function amountsStillValid(
  amounts: PaymentAmounts,
  before: { debits: readonly Debit[] },
  now: { debits: readonly Debit[] },
): PaymentAmounts {
  if (before === now) return amounts;
  const payable = new Map(before.debits.map((debit) => [debit.id, payableOf(debit)]));
  const kept = now.debits.filter((debit) => payable.get(debit.id) === payableOf(debit));
  return Object.fromEntries(
    kept.flatMap(({ id }) => (amounts[id] === undefined ? [] : [[id, amounts[id]]])),
  );
}

/** The amounts above zero for the request: debit id to dollars. */
export function paymentHash(amounts: PaymentAmounts): Record<string, string> {
  const entries = Object.entries(amounts).map(([id, typed]) => [id, cleanAmount(typed)] as const);
  return Object.fromEntries(entries.filter(([, amount]) => (centsFromDollars(amount) ?? 0) > 0));
}

/** The errors of the amounts, in the order of the debits. */
export function problemsIn(debits: readonly Debit[], amounts: PaymentAmounts): AmountProblem[] {
  return debits.flatMap((debit) => {
    const message = problemOf(debit, cleanAmount(amounts[debit.id] ?? ""));
    return message ? [{ debit, message }] : [];
  });
}

/** Whether no field has an amount above zero. */
export const isNothingEntered = (amounts: PaymentAmounts): boolean =>
  Object.keys(paymentHash(amounts)).length === 0;

function problemOf(debit: Debit, typed: string): string | null {
  if (typed === "") return null;
  const amount = centsFromDollars(typed);
  const payable = payableOf(debit);
  if (amount === null || amount < 0) return "Enter an amount such as 125.50.";
  if (amount <= payable) return null;
  const hasPending = pendingOf(debit) > 0;
  return `Enter at most ${formatMoney(payable)}${hasPending ? ": the rest is pending" : ""}.`;
}
