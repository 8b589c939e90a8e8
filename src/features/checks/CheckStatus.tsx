import { StatusMark, type Tone } from "#web/ui/StatusMark.tsx";
import type { Check } from "./contract.ts";

type Status = Check["status"] | Check["shares"][number]["status"];

const words: Record<Status, { tone: Tone; word: string }> = {
  pending: { tone: "waiting", word: "Pending" },
  approved: { tone: "good", word: "Approved" },
  denied: { tone: "bad", word: "Denied" },
  returned: { tone: "bad", word: "Returned" },
  refunded: { tone: "quiet", word: "Refunded" },
  mixed: { tone: "quiet", word: "Mixed" },
};

/** What has become of a check, or of a part of it. Mixed: its parts were decided differently. */
export function CheckStatus({ status }: { status: Status }) {
  const { tone, word } = words[status];
  return <StatusMark tone={tone}>{word}</StatusMark>;
}

export const checkStatusWord = (status: Status): string => words[status].word;
