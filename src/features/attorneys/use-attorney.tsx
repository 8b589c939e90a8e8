import { useQuery } from "@tanstack/react-query";
import { endpointQuery, expectsNotFound, refetch } from "#web/queries.tsx";
import { listActivity } from "#features/activity/contract.ts";
import { showAttorney } from "./contract.ts";

/** An attorney's whole record: the one query of the attorney's page. */
export function useAttorney(id: number) {
  return useQuery({ ...endpointQuery(showAttorney, { params: { id } }), ...expectsNotFound });
}

/** After any change of an attorney's details or dues: ask for the record again, wherever it is shown. */
export async function refetchAttorney(): Promise<void> {
  await refetch(showAttorney, listActivity);
}
