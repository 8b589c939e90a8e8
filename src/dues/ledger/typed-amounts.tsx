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

/** What stands in the Payment fields, by debit id; a debit without an entry stands at 0. */
export type PaymentAmounts = Readonly<Record<number, string>>;

export const noAmounts: PaymentAmounts = {};

/** What is paid: the amounts above zero when Pay was pressed, debit id to dollars, and their sum. */
export interface Payment {
  hash: Readonly<Record<string, string>>;
  total: Cents;
  /** What the server knows a card payment by: the same as long as the same is paid. */
  name: string;
}

/** What is wrong with the amount of one debit. */
export interface AmountProblem {
  debit: Debit;
  message: string;
}

/** How much of a debit's balance waits for checks or card payments to be confirmed. */
export const awaitingOf = (debit: Debit): Cents => debit.pending;

/** How much of a debit can be paid now. Source: domain rules §4. */
export function payableOf(debit: Debit): Cents {
  return cents(Math.max(0, debit.balance - awaitingOf(debit)));
}

/** How a debit is told from others of the same plan: "Panel dues, due 01/31/2027". */
export function titleOf(debit: Debit): string {
  return `${debit.name}, due ${formatDay(debit.dueDate)}`;
}

/** The title with the note's beginning, where it does not stand beside it anyway. */
export function labelOf(debit: Debit): string {
  const [firstLine = ""] = debit.note.split("\n");
  return firstLine ? `${titleOf(debit)} (${firstLine.slice(0, 60)})` : titleOf(debit);
}

/** What is left to pay on these debits now, oldest due first, once credit has paid them as far as it goes. */
export function leftToPay(
  debits: readonly Debit[],
  credit: Cents = zero,
): { debit: Debit; amount: Cents }[] {
  const left = leftAfterCredit(debits.map(payableOf), credit);
  return debits
    .map((debit, at) => ({ debit, amount: left[at] ?? zero }))
    .filter(({ amount }) => amount > 0);
}

/** The amounts that pay it. */
export function inFull(debits: readonly Debit[], credit: Cents = zero): PaymentAmounts {
  return Object.fromEntries(
    leftToPay(debits, credit).map(({ debit, amount }) => [debit.id, dollarsText(amount)]),
  );
}

/** Of amounts typed for debits as they were, those on whose debits just as much can be paid now. */
export function stillFitting(
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

/** The amounts above zero, as the request wants them: debit id to dollars. */
export function paymentHash(amounts: PaymentAmounts): Record<string, string> {
  const entries = Object.entries(amounts).map(([id, typed]) => [id, cleanAmount(typed)] as const);
  return Object.fromEntries(entries.filter(([, amount]) => (centsFromDollars(amount) ?? 0) > 0));
}

/** Why the amounts cannot be paid, in the order of the debits; empty when they can. */
export function problemsIn(debits: readonly Debit[], amounts: PaymentAmounts): AmountProblem[] {
  return debits.flatMap((debit) => {
    const message = problemOf(debit, cleanAmount(amounts[debit.id] ?? ""));
    return message ? [{ debit, message }] : [];
  });
}

/** Whether no amount above zero stands in any field. */
export const isNothingEntered = (amounts: PaymentAmounts): boolean =>
  Object.keys(paymentHash(amounts)).length === 0;

function problemOf(debit: Debit, typed: string): string | null {
  if (typed === "") return null;
  const amount = centsFromDollars(typed);
  const payable = payableOf(debit);
  if (amount === null || amount < 0) return "Enter an amount such as 125.50.";
  if (amount <= payable) return null;
  const isWaiting = awaitingOf(debit) > 0;
  return `Enter at most ${formatMoney(payable)}${isWaiting ? ": the rest awaits confirmation" : ""}.`;
}
