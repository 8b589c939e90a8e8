import { useQuery } from "@tanstack/react-query";
import { endpointQuery, showSaved } from "#kit/web/queries.tsx";
import { useSession } from "#kit/web/session.tsx";
import { type Attorney, showAttorney } from "#people/contract.ts";

/** The signed-in attorney's record, the dashboard's only query. */
export function useOwnRecord() {
  return useQuery(recordQuery(useOwnId()));
}

/** The same record if the dashboard has already loaded it; sends no request. */
export function useLoadedRecord(): Attorney | undefined {
  return useQuery({ ...recordQuery(useOwnId()), enabled: false }).data;
}

function useOwnId(): number {
  const { attorneyId } = useSession();
  if (attorneyId === null) throw new Error("Only an attorney has a record of their own.");
  return attorneyId;
}

/** Show the record that a call answered. */
export function showRecord(record: Attorney): void {
  showSaved(recordQuery(record.id).queryKey, record);
}

function recordQuery(id: number) {
  return endpointQuery(showAttorney, { params: { id } });
}
