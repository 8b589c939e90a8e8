import type { FieldError } from "#contract/envelope.ts";

/**
 * The answer's HTTP status; or that none came; or that nothing was sent, the input being wrong; or
 * that the session has ended, and the sign-in page is on its way.
 */
export type FailureStatus = number | "no answer" | "not sent" | "session ended";

/** Why a call did not do what was asked, in words for the person. */
export class CallFailure extends Error {
  readonly status: FailureStatus;
  /** What is wrong with which name of the request. */
  readonly errors: readonly FieldError[];

  constructor(status: FailureStatus, message: string, errors: readonly FieldError[] = []) {
    super(message);
    this.name = "CallFailure";
    this.status = status;
    this.errors = errors;
  }
}

export function fieldErrorsOf(error: Error | null): readonly FieldError[] {
  return error instanceof CallFailure ? error.errors : [];
}
