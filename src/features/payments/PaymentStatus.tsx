import { StatusMark, type Tone } from "#web/ui/StatusMark.tsx";
import type { paymentFilters } from "./contract.ts";
import type { CheckPayment, OnlinePayment, Receipt } from "./shapes.ts";

const words: Record<
  OnlinePayment["status"] | CheckPayment["status"] | Receipt["status"],
  { tone: Tone; word: string }
> = {
  processing: { tone: "waiting", word: "Being confirmed" },
  paid: { tone: "good", word: "Paid" },
  pending: { tone: "waiting", word: "Pending" },
  approved: { tone: "good", word: "Approved" },
  denied: { tone: "bad", word: "Denied" },
  declined: { tone: "bad", word: "Declined" },
  refunded: { tone: "quiet", word: "Refunded" },
  failed: { tone: "bad", word: "Failed" },
  returned: { tone: "bad", word: "Returned" },
};

/** Whether money was received, perhaps given back later: only such a payment has a receipt. */
export const hasReceipt = (status: keyof typeof words): boolean =>
  status === "paid" || status === "approved" || status === "refunded";

export const paymentStatusWord = (status: keyof typeof words): string => words[status].word;

/** As filters and sums have it, which know two more. */
export function paymentFilterWord(status: (typeof paymentFilters)[number]): string {
  if (status === "received") return "Received";
  return status === "partly_denied" ? "Denied in part" : words[status].word;
}

/** What has become of a payment. Source: domain rules §4, "Paid tab". */
export function PaymentStatus({ status }: { status: keyof typeof words }) {
  const { tone, word } = words[status];
  return <StatusMark tone={tone}>{word}</StatusMark>;
}
