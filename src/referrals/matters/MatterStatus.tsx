import { StatusMark, type Tone } from "#kit/web/ui/StatusMark.tsx";
import type { Matter } from "./contract.ts";

type Status = Matter["status"];

const marks: Record<Status, { tone: Tone; word: string }> = {
  new: { tone: "waiting", word: "New" },
  open: { tone: "good", word: "Open" },
  closed: { tone: "quiet", word: "Closed" },
};

/** New: no attorney yet. Open: referred, reports are due. Closed: no more reports are due. */
export function MatterStatus({ status }: { status: Status }) {
  const { tone, word } = marks[status];
  return <StatusMark tone={tone}>{word}</StatusMark>;
}
