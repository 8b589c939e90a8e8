import type { ReactNode } from "react";
import { endpointQuery } from "#kit/web/queries.tsx";
import { RecordScreen } from "#kit/web/RecordScreen.tsx";
import { type Deposit, showDeposit } from "./contract.ts";

/** Loads the deposit in the address and shows it. */
export function DepositPage({ children }: { children: (deposit: Deposit) => ReactNode }) {
  return (
    <RecordScreen name="deposit" query={(id) => endpointQuery(showDeposit, { params: { id } })}>
      {children}
    </RecordScreen>
  );
}
