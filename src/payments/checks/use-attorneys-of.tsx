import { useQuery } from "@tanstack/react-query";
import { showFirm } from "#panel/firms/contract.ts";
import { endpointQuery } from "#kit/web/queries.tsx";
import type { Payer } from "./PayerSelect.tsx";

/** Whose credit a payer's check can become: an attorney's own, or that of any of a firm. */
export function useAttorneysOf(payer: Payer): readonly { id: number; name: string }[] {
  const firm = useQuery({
    ...endpointQuery(showFirm, { params: { id: payer.id } }),
    enabled: payer.kind === "firm",
  });
  return payer.kind === "attorney" ? [payer] : (firm.data?.attorneys ?? []);
}
