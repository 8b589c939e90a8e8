import { CallFailure, type FailureStatus } from "#kit/web/call-failure.tsx";

const silentStatuses = new Set<FailureStatus>(["not sent", "session ended"]);
/** Failures that have been shown: a query and its caller may both report the same one. */
const shown = new WeakSet<Error>();

/**
 * Show why a request failed in a browser alert: each failed request once, though another failed with
 * the same words a moment ago. Source: spec §8. Nothing was requested when the form found the input
 * wrong, and an ended session leads to the sign-in page instead.
 */
export function alertFailure(error: Error): void {
  if (isSilent(error)) return;
  shown.add(error);
  window.alert(error.message);
}

function isSilent(error: Error): boolean {
  if (shown.has(error)) return true;
  return error instanceof CallFailure && silentStatuses.has(error.status);
}

/** Alerts of what could not be loaded: how many, and the words of the last. */
const loadAlerts = { alerts: 0, words: "" };
/** The number of alerts when a query started. */
const alertsBefore = new WeakMap<object, number>();

/** Call it when a query starts, for the first time or again. */
export function noteQueryStarted(query: object): void {
  alertsBefore.set(query, loadAlerts.alerts);
}

/**
 * As `alertFailure`, for what a screen loads by itself. Queries that had started before the alert and
 * fail with the same message are the same failure; one that starts afterwards is another, however soon.
 */
export function alertFailedLoad(error: Error, query: object): void {
  if (isSilent(error)) return;
  const wasUnderWay = (alertsBefore.get(query) ?? 0) < loadAlerts.alerts;
  if (wasUnderWay && error.message === loadAlerts.words) return;
  loadAlerts.alerts += 1;
  loadAlerts.words = error.message;
  alertFailure(error);
}
