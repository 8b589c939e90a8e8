import { CallFailure, type FailureStatus } from "#web/call-failure.tsx";

const quietly = new Set<FailureStatus>(["not sent", "session ended"]);
/** Failures that have been shown: the same one may be told of by a query and by what waits for it. */
const shown = new WeakSet<Error>();

/**
 * Show why a request failed in a browser alert: each failed request once, though another has failed
 * with the same words a moment ago. Source: spec §8. Nothing was requested when the form found the
 * input wrong, and an ended session leads to the sign-in page instead.
 */
export function alertFailure(error: Error): void {
  if (error instanceof CallFailure && quietly.has(error.status)) return;
  if (shown.has(error)) return;
  shown.add(error);
  window.alert(error.message);
}
