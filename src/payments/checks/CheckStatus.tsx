import { PaymentStatus } from "#payments/PaymentStatus.tsx";
import { StatusMark } from "#kit/web/ui/StatusMark.tsx";
import { checkStatuses } from "./checks.list.ts";
import type { Check } from "./contract.ts";

/** The status of a check or of one of its parts. */
export function CheckStatus({ status }: Pick<Check | Check["shares"][number], "status">) {
  return status === "mixed" ? (
    <StatusMark tone="quiet">{checkStatuses.mixed}</StatusMark>
  ) : (
    <PaymentStatus status={status} />
  );
}
