export interface ErrorBody {
  type:
    | "api_error"
    | "authentication_error"
    | "card_error"
    | "idempotency_error"
    | "invalid_request_error";
  message: string;
  code?: string;
  decline_code?: string;
  param?: string;
  [more: string]: unknown;
}

export class StripeError extends Error {
  override name = "StripeError";
  readonly status: number;
  readonly body: ErrorBody;
  /** Refused before anything began: not stored under the idempotency key. */
  readonly isEarly: boolean;

  constructor(status: number, body: ErrorBody, isEarly = false) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.isEarly = isEarly;
  }
}

/** A bad parameter; once fixed, the request may be repeated under the same key. */
export function badParameter(param: string, code: string, message: string): StripeError {
  return new StripeError(400, { type: "invalid_request_error", code, param, message }, true);
}

export function missing(param: string): StripeError {
  return badParameter(param, "parameter_missing", `Missing required param: ${param}.`);
}

export function noSuch(kind: string, id: string, param = "id"): StripeError {
  const message = `No such ${kind}: '${id}'`;
  const body = { type: "invalid_request_error" as const, code: "resource_missing", param, message };
  return new StripeError(param === "id" ? 404 : 400, body, true);
}

export function badState(message: string, more: Partial<ErrorBody> = {}): StripeError {
  return new StripeError(400, { type: "invalid_request_error", message, ...more });
}
