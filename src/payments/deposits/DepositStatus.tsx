import { StatusMark } from "#kit/web/ui/StatusMark.tsx";
import type { Deposit } from "./contract.ts";
import { depositStatuses } from "./deposits.list.ts";

export function DepositStatus({ status }: Pick<Deposit, "status">) {
  return (
    <StatusMark tone={status === "banked" ? "good" : "waiting"}>
      {depositStatuses[status]}
    </StatusMark>
  );
}
