import type { Query } from "@tanstack/react-query";
import { CallFailure } from "#web/call-failure.tsx";
import { queryClient } from "#web/queries.tsx";
import { showSession } from "#features/auth/contract.ts";

/**
 * Ask again for what the open screen shows of some paths; who is signed in is not asked. What is
 * loading for the first time is asked for once more when it has come, since it may have been read
 * before the change; what could not be loaded has a button of its own. Answers false when the screen
 * is left with what may be old.
 */
export async function askAgain(concerns: (path: unknown) => boolean): Promise<boolean> {
  const predicate = (query: Query) => {
    const [path] = query.queryKey;
    return path !== showSession.path && concerns(path) && !hasNeverLoaded(query);
  };
  const shown = () => queryClient.getQueryCache().findAll({ type: "active", predicate });
  const loading = new Set(shown().filter(({ state }) => state.data === undefined));
  await queryClient.invalidateQueries({ predicate });
  if (loading.size > 0)
    await queryClient.invalidateQueries({
      predicate: (query) => predicate(query) && loading.has(query),
    });
  return shown().every(({ state }) => !state.isInvalidated);
}

/** The server is there: ask for what the open screen asked it for while it was away. */
export async function askForWhatWasMissed(): Promise<void> {
  const predicate = ({ state: { error } }: Query) =>
    error instanceof CallFailure && error.status === "no answer";
  await queryClient.refetchQueries({ type: "active", predicate }, { cancelRefetch: false });
}

const hasNeverLoaded = ({ state }: Query) => state.data === undefined && state.status === "error";
