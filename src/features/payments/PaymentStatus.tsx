import { StatusMark, type Tone } from "#web/ui/StatusMark.tsx";
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

export const paymentStatusWord = (status: keyof typeof words): string => words[status].word;

/** What has become of a payment. Source: domain rules §4, "Paid tab". */
export function PaymentStatus({ status }: { status: keyof typeof words }) {
  const { tone, word } = words[status];
  return <StatusMark tone={tone}>{word}</StatusMark>;
}
