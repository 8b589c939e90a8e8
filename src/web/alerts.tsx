import { CallFailure, type FailureStatus } from "#web/call-failure.tsx";

const quietly = new Set<FailureStatus>(["not sent", "session ended"]);
/** Failures that have been shown: one may be told of by a query and by what waits for it. */
const shown = new WeakSet<Error>();

/**
 * Show why a request failed in a browser alert: each failed request once, though another failed with
 * the same words a moment ago. Source: spec §8. Nothing was requested when the form found the input
 * wrong, and an ended session leads to the sign-in page instead.
 */
export function alertFailure(error: Error): void {
  if (isQuiet(error)) return;
  shown.add(error);
  window.alert(error.message);
}

function isQuiet(error: Error): boolean {
  if (shown.has(error)) return true;
  return error instanceof CallFailure && quietly.has(error.status);
}

/** Alerts of what could not be loaded: how many, and the words of the last. */
const loads = { alerts: 0, words: "" };
/** How many of those there had been when something was asked for. */
const alertsBefore = new WeakMap<object, number>();

/** A query asks, for the first time or again. */
export function noteAsked(query: object): void {
  alertsBefore.set(query, loads.alerts);
}

/**
 * As `alertFailure`, for what a screen loads by itself: parts of it that had been asked for when the
 * alert came, and failed for the same reason, are the same failure. What is asked for afterwards and
 * fails is another one, however soon.
 */
export function alertFailedLoad(error: Error, query: object): void {
  if (isQuiet(error)) return;
  const wasUnderWay = (alertsBefore.get(query) ?? 0) < loads.alerts;
  if (wasUnderWay && error.message === loads.words) return;
  loads.alerts += 1;
  loads.words = error.message;
  alertFailure(error);
}
