import type { Query } from "@tanstack/react-query";
import { CallFailure } from "#kit/web/call-failure.tsx";
import { queryClient } from "#kit/web/queries.tsx";

/** The server is back: refetch the open screen's calls that got no answer. */
export async function refetchUnanswered(): Promise<void> {
  const predicate = ({ state: { error } }: Query) =>
    error instanceof CallFailure && error.status === "no answer";
  await queryClient.refetchQueries({ type: "active", predicate }, { cancelRefetch: false });
}
