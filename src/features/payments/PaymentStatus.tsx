import { StatusMark, type Tone } from "#web/ui/StatusMark.tsx";
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

/** Whether money was received, perhaps given back later: only such a payment has a receipt. */
export const hasReceipt = (status: Status): boolean =>
  ["paid", "approved", "partly refunded", "refunded"].includes(status);

/** The status of a payment. */
export function PaymentStatus({ status }: { status: Status }) {
  return <StatusMark tone={tones[status]}>{paymentStatuses[status]}</StatusMark>;
}
