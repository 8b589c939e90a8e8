import { StatusMark, type Tone } from "#web/ui/StatusMark.tsx";
import type { Matter } from "./contract.ts";

type Status = Matter["status"];

const marks: Record<Status, { tone: Tone; word: string }> = {
  new: { tone: "waiting", word: "New" },
  open: { tone: "good", word: "Open" },
  closed: { tone: "quiet", word: "Closed" },
};

/** The filters of the list: a status, or open with a report overdue. */
export const matterFilters = ["", "new", "open", "overdue", "closed"] as const;
export type MatterFilter = (typeof matterFilters)[number];

/** In the words of the list. */
export const statusOptions: readonly { value: MatterFilter; label: string }[] = [
  { value: "", label: "All" },
  { value: "new", label: "New" },
  { value: "open", label: "Open" },
  { value: "overdue", label: "Report overdue" },
  { value: "closed", label: "Closed" },
];

/** New: nobody has it yet. Open: referred, reports are owed. Closed: nothing is owed any more. */
export function MatterStatus({ status }: { status: Status }) {
  const { tone, word } = marks[status];
  return <StatusMark tone={tone}>{word}</StatusMark>;
}
