import { useQuery } from "@tanstack/react-query";
import { asking, ofPage, refetch } from "#web/queries.tsx";
import { listActivity } from "#features/activity/contract.ts";
import { showAttorney } from "./contract.ts";

/** An attorney's whole record: the one question that the attorney's page asks. */
export function useAttorney(id: number) {
  return useQuery({ ...asking(showAttorney, { params: { id } }), ...ofPage });
}

/** After any change of an attorney's details or dues: ask for the record again, wherever it is shown. */
export async function refetchAttorney(): Promise<void> {
  await refetch(showAttorney, listActivity);
}
