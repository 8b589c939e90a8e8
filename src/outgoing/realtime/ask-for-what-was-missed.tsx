import type { Query } from "@tanstack/react-query";
import { CallFailure } from "#kit/web/call-failure.tsx";
import { queryClient } from "#kit/web/queries.tsx";

/** The server is there: ask for what the open screen asked it for while it was away. */
export async function askForWhatWasMissed(): Promise<void> {
  const predicate = ({ state: { error } }: Query) =>
    error instanceof CallFailure && error.status === "no answer";
  await queryClient.refetchQueries({ type: "active", predicate }, { cancelRefetch: false });
}
