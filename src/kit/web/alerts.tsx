import { CallFailure, type FailureStatus } from "#kit/web/call-failure.tsx";

const silentStatuses = new Set<FailureStatus>(["not sent", "session ended"]);
/** Failures already shown: a query and its caller may both report the same one. */
const shown = new WeakSet<Error>();

/**
 * Show why a request failed in a browser alert: each failed request once, even if another just failed with the same
 * message. Source: spec §8. Silent if the form refused the input, so nothing was sent, or if the session ended,
 * which leads to the sign-in page.
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

/** How many alerts there were for failed loads, and the message of the last. */
const loadAlerts = { alerts: 0, words: "" };
/** The number of alerts when a query started. */
const alertsBefore = new WeakMap<object, number>();

/** Call it whenever a query starts. */
export function noteQueryStarted(query: object): void {
  alertsBefore.set(query, loadAlerts.alerts);
}

/**
 * As `alertFailure`, for what a screen loads automatically. Queries that started before the alert and fail with the
 * same message are the same failure. A query that starts afterwards is another one.
 */
export function alertFailedLoad(error: Error, query: object): void {
  if (isSilent(error)) return;
  const wasUnderWay = (alertsBefore.get(query) ?? 0) < loadAlerts.alerts;
  if (wasUnderWay && error.message === loadAlerts.words) return;
  loadAlerts.alerts += 1;
  loadAlerts.words = error.message;
  alertFailure(error);
}
