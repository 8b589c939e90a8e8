import { Link } from "react-router";
import { type Cents, sum } from "#kit/domain/money.ts";

/** A debit's share of a payment, as an attorney's record lists it. */
interface Share {
  paymentId: number;
  quantity: Cents;
}

/**
 * The payment just made: the newest of these shares' payments. Null if its amount differs from `total`, so that no
 * wrong receipt is shown.
 */
export function newestPayment(shares: readonly Share[], total: Cents): number | null {
  const newest = Math.max(0, ...shares.map(({ paymentId }) => paymentId));
  const own = shares.filter(({ paymentId }) => paymentId === newest);
  return newest > 0 && sum(own.map(({ quantity }) => quantity)) === total ? newest : null;
}

interface ToReceiptProps {
  /** Null if unknown: then the words have no link. */
  paymentId: number | null;
  children: string;
}

export function ToReceipt({ paymentId, children }: ToReceiptProps) {
  return paymentId === null ? children : <Link to={`/receipts/${paymentId}`}>{children}</Link>;
}
