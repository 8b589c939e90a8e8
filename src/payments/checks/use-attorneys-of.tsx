import { useQuery } from "@tanstack/react-query";
import { showFirm } from "#panel/firms/contract.ts";
import { endpointQuery } from "#kit/web/queries.tsx";
import type { Payer } from "./PayerSelect.tsx";

/** The attorneys whose credit a check can become: the paying attorney, or any at the paying firm. */
export function useAttorneysOf(payer: Payer): readonly { id: number; name: string }[] {
  const firm = useQuery({
    ...endpointQuery(showFirm, { params: { id: payer.id } }),
    enabled: payer.kind === "firm",
  });
  return payer.kind === "attorney" ? [payer] : (firm.data?.attorneys ?? []);
}
