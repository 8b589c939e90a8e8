import { Link } from "react-router";
import { VisuallyHidden } from "#kit/web/ui/layout.tsx";
import { hasReceipt } from "./PaymentStatus.tsx";
import type { Receipt } from "./shapes.ts";

/** Links to a payment's receipt, called "Details" if no money was received. */
export function ReceiptLink({
  payment,
}: {
  payment: Pick<Receipt, "paymentId" | "status"> & { name: string };
}) {
  return (
    <Link to={`/receipts/${payment.paymentId}`}>
      {hasReceipt(payment.status) ? "Receipt" : "Details"}
      <VisuallyHidden> {`of ${payment.name}, number ${payment.paymentId}`}</VisuallyHidden>
    </Link>
  );
}
