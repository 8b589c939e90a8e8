import type { FieldError } from "#kit/contract/envelope.ts";

/**
 * The HTTP status, or: no answer came; nothing was sent, because the input is wrong; the session has ended, and the
 * browser goes to the sign-in page.
 */
export type FailureStatus = number | "no answer" | "not sent" | "session ended";

/** Why a call failed, in a sentence for the user. */
export class CallFailure extends Error {
  readonly status: FailureStatus;
  /** What is wrong, by field name of the request. */
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
