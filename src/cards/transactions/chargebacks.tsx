import { type Cents, cents, sum } from "#kit/domain/money.ts";
import type { CardPayment } from "#cards/shapes.ts";

type Transactions = Pick<CardPayment, "transactions">;

export const lastChargebackOf = ({ transactions }: Transactions) =>
  transactions.findLast(({ kind }) => kind === "chargeback");

/** The part of a payment that is charged back now. */
export function chargedBackOf({ transactions }: Transactions): Cents {
  const sumOf = (wanted: string) =>
    sum(transactions.filter(({ kind }) => kind === wanted).map(({ amount }) => amount));
  return cents(sumOf("chargeback") - sumOf("chargeback_reversed"));
}
