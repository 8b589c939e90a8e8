import { Link } from "react-router";
import { VisuallyHidden } from "#web/ui/layout.tsx";
import type { CheckPayment, OnlinePayment, ReversedOnlinePayment } from "./shapes.ts";

/** Leads to the receipt of a payment that was made; nothing while it is open or when it came to nothing. */
export function ReceiptLink({
  payment,
}: {
  payment: Pick<
    OnlinePayment | ReversedOnlinePayment | CheckPayment,
    "name" | "paymentId" | "status"
  >;
}) {
  if (payment.status !== "paid" && payment.status !== "approved") return null;
  return (
    <Link to={`/receipts/${payment.paymentId}`}>
      Receipt<VisuallyHidden> {`of ${payment.name}, number ${payment.paymentId}`}</VisuallyHidden>
    </Link>
  );
}
