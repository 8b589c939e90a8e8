import { StatusMark, type Tone } from "#web/ui/StatusMark.tsx";
import { checkStatuses } from "./checks.list.ts";
import type { Check } from "./contract.ts";

type Status = Check["status"] | Check["shares"][number]["status"];

const words = { ...checkStatuses, refunded: "Refunded" };

const tones: Record<Status, Tone> = {
  pending: "waiting",
  approved: "good",
  denied: "bad",
  returned: "bad",
  refunded: "quiet",
  mixed: "quiet",
};

/** What has become of a check, or of a part of it. */
export function CheckStatus({ status }: { status: Status }) {
  return <StatusMark tone={tones[status]}>{words[status]}</StatusMark>;
}
