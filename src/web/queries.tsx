import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  useQuery,
} from "@tanstack/react-query";
import { useState } from "react";
import type { z } from "zod";
import type { Endpoint } from "#contract/endpoint.ts";
import { call, type Given, type Input } from "#web/api.tsx";
import { alertFailedLoad, alertFailure, noteAsked } from "#web/alerts.tsx";
import { CallFailure } from "#web/call-failure.tsx";

/** The only place where the browser keeps what the server knows. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // Asked again behind a screen that shows its answer already, a failure interrupts nobody: the next
    // hint of the real-time channel asks once more.
    onError: (error, query) => {
      const isUnknown = error instanceof CallFailure && error.status === 404;
      if (isUnknown && query.meta?.["isOfPage"]) return; // it shows NotFound: nothing has failed
      if (query.state.data === undefined) alertFailedLoad(error, query);
    },
  }),
  mutationCache: new MutationCache({ onError: alertFailure }),
  defaultOptions: {
    // A failed call says so at once, also when there is no network, instead of trying on in silence.
    // Once there is one again, what is shown is asked for again.
    queries: { retry: false, networkMode: "always", refetchOnReconnect: true },
    mutations: { retry: false, networkMode: "always" },
  },
});

queryClient.getQueryCache().subscribe((event) => {
  if (event.type === "updated" && event.action.type === "fetch") noteAsked(event.query);
});

/**
 * What `useQuery` needs to ask a call of the contract:
 * `useQuery(asking(showAttorney, { params: { id } }))`.
 */
export function asking<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Thing extends z.ZodType,
>(
  endpoint: Endpoint<Params, Query, Body, Thing>,
  ...given: Given<Input<Params, Query, Body>>
): { queryKey: readonly unknown[]; queryFn: () => Promise<z.output<Thing>> } {
  return {
    queryKey: [endpoint.path, given[0] ?? {}],
    queryFn: () => call(endpoint, ...given),
  };
}

/**
 * Show a record as a save has answered it. What was asked before the save and is still under way is
 * given up: its answer would come later, and be older.
 */
export function showSaved(queryKey: readonly unknown[], saved: unknown): void {
  void queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData(queryKey, saved);
}

/**
 * Beside `asking`, for the one record that a page is about. That there is no such record is no
 * failed request, and alerts nobody: the page shows NotFound in its place.
 */
export const ofPage = { meta: { isOfPage: true } };

/** What a screen knows of a list that it shows: `useList` answers it, and so does `useQuery`. */
export interface List<Rows> {
  data: Rows | undefined;
  error: Error | null;
  isFetching: boolean;
  /** What is there is the answer to what was asked before. */
  isPlaceholderData: boolean;
  refetch: () => Promise<unknown>;
}

/**
 * As `useQuery`, for a list that is searched or turned over: the rows that are shown stay while
 * others come, and stay when those cannot be had, with the error beside them.
 */
export function useList<Rows>(asked: {
  queryKey: readonly unknown[];
  queryFn: () => Promise<Rows>;
  /** How soon it is asked again by itself, for what is in it; false: not at all. */
  askAgainMs?: (rows: Rows) => number | false;
}): List<Rows> {
  const { askAgainMs, ...query } = asked;
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    ...query,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data !== undefined && askAgainMs !== undefined ? askAgainMs(state.data) : false,
  });
  const [shown, setShown] = useState<Rows | undefined>(data);
  if (data !== undefined && data !== shown) setShown(data);
  const isOfBefore = isPlaceholderData || (data === undefined && shown !== undefined);
  return { data: data ?? shown, error, isFetching, isPlaceholderData: isOfBefore, refetch };
}

/** Ask these calls again wherever a screen shows their answers, whatever they were asked with. */
export async function refetch(...endpoints: { path: string }[]): Promise<void> {
  await Promise.all(
    endpoints.map(({ path }) => queryClient.invalidateQueries({ queryKey: [path] })),
  );
}
