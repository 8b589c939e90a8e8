import {
  keepPreviousData,
  MutationCache,
  type Query,
  QueryCache,
  QueryClient,
  useQuery,
} from "@tanstack/react-query";
import { useState } from "react";
import type { z } from "zod";
import type { Endpoint } from "#kit/contract/endpoint.ts";
import { call, type EndpointInput, type Input } from "#kit/web/api.tsx";
import { alertFailedLoad, alertFailure, noteQueryStarted } from "#kit/web/alerts.tsx";
import { CallFailure, type FailureStatus } from "#kit/web/call-failure.tsx";

/** After that long a change is said to be done although a part of the page has not answered: it may never do so. */
const mostWaitMs = 3_000;

/** Failures after which the page is as old as before: to ask more would only be refused, too. */
const saysNothing = new Set<FailureStatus>(["not sent", "session ended", 429]);

/** The only place where the browser keeps what the server knows. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // A failed background refetch interrupts nobody: the next notice of the real-time channel refetches.
    onError: (error, query) => {
      const isUnknown = error instanceof CallFailure && error.status === 404;
      if (isUnknown && query.meta?.["expectsNotFound"]) return; // the page shows NotFound: nothing has failed
      if (query.meta?.["failsInPlace"]) return;
      if (query.state.data === undefined) alertFailedLoad(error, query);
    },
  }),
  mutationCache: new MutationCache({
    // Whatever was changed, or refused because of what others have changed: what is shown is asked for again,
    // as after a hint of the real-time channel. A button stays pending until the page shows what it did; what a
    // dialog has counted beforehand stays as it was agreed to.
    onSuccess: async (_answer, _sent, _context, { meta }) => {
      if (meta?.["changesNothing"]) return;
      const shown = refetchShown((_path, query) => query.options.gcTime !== 0);
      await Promise.race([shown, new Promise((resolve) => setTimeout(resolve, mostWaitMs))]);
    },
    onError: (error, _sent, _context, { meta }) => {
      const isAboutThePage = !(error instanceof CallFailure && saysNothing.has(error.status));
      if (isAboutThePage && !meta?.["changesNothing"]) void refetchShown();
      alertFailure(error);
    },
  }),
  defaultOptions: {
    // A failed call fails at once, also without a network, instead of retrying in silence. Once there is
    // a network again, what is shown is refetched.
    queries: { retry: false, networkMode: "always", refetchOnReconnect: true },
    mutations: { retry: false, networkMode: "always" },
  },
});

queryClient.getQueryCache().subscribe((event) => {
  if (event.type === "updated" && event.action.type === "fetch") noteQueryStarted(event.query);
});

/**
 * The query options for an endpoint of the contract:
 * `useQuery(endpointQuery(showAttorney, { params: { id } }))`.
 */
export function endpointQuery<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Thing extends z.ZodType,
>(
  endpoint: Endpoint<Params, Query, Body, Thing>,
  ...given: EndpointInput<Input<Params, Query, Body>>
): { queryKey: readonly unknown[]; queryFn: () => Promise<z.output<Thing>> } {
  return {
    queryKey: [endpoint.path, given[0] ?? {}],
    queryFn: () => call(endpoint, ...given),
  };
}

/**
 * Show a record as a save has answered it. What was asked before the save and is still under way is
 * given up: its answer would come later, and be older. Call it as soon as the answer is here, in `send` or
 * `mutationFn`: what is asked for after the change is newer. Answers the record.
 */
export function showSaved<Saved>(queryKey: readonly unknown[], saved: Saved): Saved {
  void queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData(queryKey, saved);
  return saved;
}

/**
 * Beside `endpointQuery`, for the one record that a page is about. That there is no such record is no
 * failed request, and alerts nobody: the page shows NotFound in its place.
 */
export const expectsNotFound = { meta: { expectsNotFound: true } };

/** For `useMutation` where it only asks, as for a file: nothing on the page is older afterwards. */
export const changesNothing = { meta: { changesNothing: true } };

/** For what is asked while one types: a failure is shown in its place, and interrupts nobody. */
export const failsInPlace = { failsInPlace: true };

/** The state of a list on a screen, as `useList` and `useQuery` answer it. */
export interface List<Rows> {
  data: Rows | undefined;
  error: Error | null;
  isFetching: boolean;
  /** The rows are those of the previous query. */
  isPlaceholderData: boolean;
  refetch: () => Promise<unknown>;
}

/**
 * As `useQuery`, for a list that is searched or paged: the rows that are shown stay while others load,
 * and stay when those cannot be loaded, with the error beside them.
 */
export function useList<Rows>(options: {
  queryKey: readonly unknown[];
  queryFn: () => Promise<Rows>;
  /** The refetch interval, by the rows; false: none. */
  refetchEveryMs?: (rows: Rows) => number | false;
}): List<Rows> {
  const { refetchEveryMs, ...query } = options;
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    ...query,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data !== undefined && refetchEveryMs !== undefined ? refetchEveryMs(state.data) : false,
  });
  const [shown, setShown] = useState<Rows | undefined>(data);
  if (data !== undefined && data !== shown) setShown(data);
  const isPrevious = isPlaceholderData || (data === undefined && shown !== undefined);
  return { data: data ?? shown, error, isFetching, isPlaceholderData: isPrevious, refetch };
}

/**
 * Refetch what the open screen shows of some paths; who is signed in is not asked. What is
 * loading for the first time is asked for once more when it has come, since it may have been read
 * before the change; what could not be loaded has a button of its own. Answers false when the screen
 * is left with what may be old.
 */
export async function refetchShown(
  concerns: (path: unknown, query: Query) => boolean = () => true,
): Promise<boolean> {
  const predicate = (query: Query) => {
    const [path] = query.queryKey;
    return (
      path !== "/session" && concerns(path, query) && !query.isStatic() && !hasNeverLoaded(query)
    );
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

const hasNeverLoaded = ({ state }: Query) => state.data === undefined && state.status === "error";

/** Refetch these endpoints wherever a screen shows their answers, whatever the input. */
export async function refetch(...endpoints: { path: string }[]): Promise<void> {
  await Promise.all(
    endpoints.map(({ path }) => queryClient.invalidateQueries({ queryKey: [path] })),
  );
}
