import type { Cents } from "#kit/domain/money.ts";
import { StatusMark, type Tone } from "#kit/web/ui/StatusMark.tsx";
import { paymentStatuses } from "./shapes.ts";

type Status = keyof typeof paymentStatuses;

const tones: Record<Status, Tone> = {
  processing: "waiting",
  paid: "good",
  pending: "waiting",
  approved: "good",
  denied: "bad",
  declined: "bad",
  "partly refunded": "quiet",
  refunded: "quiet",
  "charged back": "bad",
  failed: "bad",
  returned: "bad",
};

/** Whether money was received, even if refunded later. Other payments have no receipt. */
export const hasReceipt = (status: Status): boolean =>
  ["paid", "approved", "partly refunded", "refunded"].includes(status);

/** The status of a part of a payment: "partly refunded" for a paid part of which less counts now. */
export const statusOfPart = <Own extends Status>(part: {
  status: Own;
  quantity: Cents;
  received?: Cents;
}): Own | "partly refunded" =>
  part.status === "paid" && part.received !== undefined && part.received < part.quantity
    ? "partly refunded"
    : part.status;

export function PaymentStatus({ status }: { status: Status }) {
  return <StatusMark tone={tones[status]}>{paymentStatuses[status]}</StatusMark>;
}
