import type { FieldError } from "#kit/contract/envelope.ts";

/** An answer other than a plain 200: its status, and the sentence in the envelope's `message`. */
export class Answer<Value> {
  readonly object: Value;
  readonly status: number;
  readonly message: string | null;

  constructor(object: Value, status: number, message: string | null = null) {
    this.object = object;
    this.status = status;
    this.message = message;
  }
}

/** The envelope of a successful answer, as JSON text in pieces; `pieces` are the object's. */
export function success(
  pieces: readonly string[],
  message: string | null = null,
): readonly string[] {
  const end = `,"message":${JSON.stringify(message)}}`;
  return pieces.length === 1
    ? [`{"success":true,"object":${pieces[0]}${end}`]
    : ['{"success":true,"object":', ...pieces, end];
}

/** The envelope of a refusal, as JSON text. */
export function failure(message: string, errors?: FieldError[]): string {
  return JSON.stringify({ success: false, object: null, message, ...(errors && { errors }) });
}
