import { CallFailure, type FailureStatus } from "#web/call-failure.tsx";

const quietly = new Set<FailureStatus>(["not sent", "session ended"]);
const sameMs = 3000;
let last = { message: "", at: 0 };

/**
 * Show why a request failed in a browser alert. Source: spec §8. Several requests that fail for the
 * same reason at the same time alert once. Nothing was requested when the form found the input
 * wrong, and an ended session leads to the sign-in page instead.
 */
export function alertFailure(error: Error): void {
  if (error instanceof CallFailure && quietly.has(error.status)) return;
  if (error.message === last.message && Date.now() - last.at < sameMs) return;
  window.alert(error.message);
  last = { message: error.message, at: Date.now() };
}
