/** One entry of `messages` in an error answer. The text is often missing, so callers need their own. */
export interface Message {
  code: string;
  facility?: "gateway" | "payment_processor";
  context?: string;
  sub_code?: string;
  message?: string;
  entity_id?: string;
}

export class LawPayError extends Error {
  override name = "LawPayError";
  readonly status: number;
  readonly details: Message;

  constructor(status: number, details: Message) {
    super(details.code);
    this.status = status;
    this.details = details;
  }
}

export function invalid(context: string, subCode: string): LawPayError {
  return new LawPayError(422, { code: "invalid_data", context, sub_code: subCode });
}

export function missing(context: string): LawPayError {
  return new LawPayError(404, { code: "resource_not_found", context });
}

export function badState(code = "not_valid_for_transaction_status"): LawPayError {
  return new LawPayError(422, { code });
}
