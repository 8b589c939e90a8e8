import { useQuery } from "@tanstack/react-query";
import { showAttorney } from "#features/attorneys/contract.ts";
import { showFirm } from "#features/firms/contract.ts";
import { showPlan } from "#features/subscriptions/contract.ts";
import { endpointQuery } from "#web/queries.tsx";
import type { FilterNames } from "#list/define-list.ts";

type Ids = Partial<Record<"attorney_id" | "firm_id" | "plan_id", number | undefined>>;

/** What people call the records that a list is filtered by; what is not known yet is left out. */
export function useFilterNames({ attorney_id, firm_id, plan_id }: Ids): FilterNames {
  const attorney = useQuery({
    ...endpointQuery(showAttorney, { params: { id: attorney_id ?? 0 } }),
    enabled: attorney_id !== undefined,
  });
  const firm = useQuery({
    ...endpointQuery(showFirm, { params: { id: firm_id ?? 0 } }),
    enabled: firm_id !== undefined,
  });
  const plan = useQuery({
    ...endpointQuery(showPlan, { params: { id: plan_id ?? 0 } }),
    enabled: plan_id !== undefined,
  });
  return {
    attorney_id: attorney.data?.name,
    firm_id: firm.data?.name,
    plan_id: plan.data?.name,
  };
}
