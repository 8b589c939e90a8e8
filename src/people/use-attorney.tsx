import { useQuery } from "@tanstack/react-query";
import { endpointQuery, expectsNotFound } from "#kit/web/queries.tsx";
import { showAttorney } from "./contract.ts";

/** An attorney's whole record: the one query of the attorney's page. */
export function useAttorney(id: number) {
  return useQuery({ ...endpointQuery(showAttorney, { params: { id } }), ...expectsNotFound });
}
