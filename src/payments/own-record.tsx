import { useQuery } from "@tanstack/react-query";
import { endpointQuery, showSaved } from "#kit/web/queries.tsx";
import { useSession } from "#kit/web/session.tsx";
import { type Attorney, showAttorney } from "#people/contract.ts";

/** The one question of the dashboard: the signed-in attorney's record, with all that it lists. */
export function useOwnRecord() {
  return useQuery(askingFor(useOwnId()));
}

/** The same record where the dashboard has it already; asks for nothing. */
export function useLoadedRecord(): Attorney | undefined {
  return useQuery({ ...askingFor(useOwnId()), enabled: false }).data;
}

function useOwnId(): number {
  const { attorneyId } = useSession();
  if (attorneyId === null) throw new Error("Only an attorney has a record of their own.");
  return attorneyId;
}

/** Show a record that a call answered with, as it is now. */
export function showRecord(record: Attorney): void {
  showSaved(askingFor(record.id).queryKey, record);
}

function askingFor(id: number) {
  return endpointQuery(showAttorney, { params: { id } });
}
