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

/** After this long a change counts as done even if part of the page has not refreshed, which may never happen. */
const mostWaitMs = 3_000;

/** Failures that change nothing on the server: asking for more would only be refused, too. */
const saysNothing = new Set<FailureStatus>(["not sent", "session ended", 429]);

/** The only place where the browser stores what the server knows. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // A failed background refetch is not shown: the next realtime message refetches.
    onError: (error, query) => {
      const isUnknown = error instanceof CallFailure && error.status === 404;
      if (isUnknown && query.meta?.["expectsNotFound"]) return; // the page shows NotFound
      if (query.meta?.["failsInPlace"]) return;
      if (query.state.data === undefined) alertFailedLoad(error, query);
    },
  }),
  mutationCache: new MutationCache({
    // After any change, or a refusal because of someone else's change, refetch what is shown, as after a realtime
    // message. A button stays pending until the page shows the result; a dialog's preview stays as the user agreed
    // to it.
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
    // A failed call fails immediately, also offline, without hidden retries. Once back online, what is shown is
    // refetched.
    queries: { retry: false, networkMode: "always", refetchOnReconnect: true },
    mutations: { retry: false, networkMode: "always" },
  },
});

queryClient.getQueryCache().subscribe((event) => {
  if (event.type === "updated" && event.action.type === "fetch") noteQueryStarted(event.query);
});

/**
 * The query options of a contract's endpoint:
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
 * Show a record from the answer of a save. Drops requests from before the save that are still running: their
 * answers would be older. Call it as soon as the answer arrives, in `send` or `mutationFn`, before refetching.
 * Answers the record.
 */
export function showSaved<Saved>(queryKey: readonly unknown[], saved: Saved): Saved {
  void queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData(queryKey, saved);
  return saved;
}

/**
 * With `endpointQuery`, for the one record of a page. If it does not exist, the page shows NotFound without an
 * alert.
 */
export const expectsNotFound = { meta: { expectsNotFound: true } };

/** For a `useMutation` that only reads, such as a file: nothing on the page becomes outdated. */
export const changesNothing = { meta: { changesNothing: true } };

/** For requests while the user types: a failure is shown in place, without an alert. */
export const failsInPlace = { failsInPlace: true };

/** The state of a list on a screen, as `useList` and `useQuery` answer it. */
export interface List<Rows> {
  data: Rows | undefined;
  error: Error | null;
  isFetching: boolean;
  /** The rows belong to the previous query. */
  isPlaceholderData: boolean;
  refetch: () => Promise<unknown>;
}

/**
 * As `useQuery`, for a list that is searched or paged: old rows stay while new ones load, and stay if those cannot
 * be loaded, with the error beside them.
 */
export function useList<Rows>(options: {
  queryKey: readonly unknown[];
  queryFn: () => Promise<Rows>;
  /** The refetch interval, depending on the rows; false: none. */
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
 * Refetch the shown answers of some paths, except the session. A first load that is running is repeated when it
 * finishes, since it may have read data from before the change; a failed load has its own button. Answers false if
 * the screen may still show old data.
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

/** Refetch these endpoints wherever a screen shows their answers, for any input. */
export async function refetch(...endpoints: { path: string }[]): Promise<void> {
  await Promise.all(
    endpoints.map(({ path }) => queryClient.invalidateQueries({ queryKey: [path] })),
  );
}
