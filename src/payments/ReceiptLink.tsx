import { Link } from "react-router";
import { VisuallyHidden } from "#kit/web/ui/layout.tsx";
import { hasReceipt } from "./PaymentStatus.tsx";
import type { Receipt } from "./shapes.ts";

/** Leads to the receipt of a payment that was received; to the details of another. */
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
