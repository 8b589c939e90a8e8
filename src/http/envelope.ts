import type { FieldError } from "#contract/envelope.ts";
import { RawJson } from "#db/json-query.ts";
import { piecesOf } from "#http/text-in-pieces.ts";

/** An answer that is not a plain 200: its status, and the sentence in the envelope's `message`. */
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

/** The envelope of a successful answer, as JSON text in pieces: one, unless it is long. */
export function success(object: unknown, message: string | null = null): readonly string[] {
  const end = `,"message":${JSON.stringify(message)}}`;
  const pieces =
    object instanceof RawJson ? object.pieces : piecesOf(JSON.stringify(object ?? null));
  return pieces.length === 1
    ? [`{"success":true,"object":${pieces[0]}${end}`]
    : ['{"success":true,"object":', ...pieces, end];
}

/** The envelope of a refusal, as JSON text. */
export function failure(message: string, errors?: FieldError[]): string {
  return JSON.stringify({ success: false, object: null, message, ...(errors && { errors }) });
}
