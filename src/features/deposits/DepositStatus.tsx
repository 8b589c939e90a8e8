import { StatusMark } from "#web/ui/StatusMark.tsx";
import type { Deposit } from "./contract.ts";

export function DepositStatus({ status }: Pick<Deposit, "status">) {
  return status === "banked" ? (
    <StatusMark tone="good">Banked</StatusMark>
  ) : (
    <StatusMark tone="waiting">Open</StatusMark>
  );
}
