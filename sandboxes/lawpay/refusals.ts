/** One entry of `messages` in an error answer; the text is often missing, so that callers need words of their own. */
export interface Message {
  code: string;
  facility?: "gateway" | "payment_processor";
  context?: string;
  sub_code?: string;
  message?: string;
  entity_id?: string;
}

/** A request that LawPay answers with an error. */
export class LawPayRefusal extends Error {
  override name = "LawPayRefusal";
  readonly status: number;
  readonly said: Message;

  constructor(status: number, said: Message) {
    super(said.code);
    this.status = status;
    this.said = said;
  }
}

export function invalid(context: string, subCode: string): LawPayRefusal {
  return new LawPayRefusal(422, { code: "invalid_data", context, sub_code: subCode });
}

export function missing(context: string): LawPayRefusal {
  return new LawPayRefusal(404, { code: "resource_not_found", context });
}

/** The transaction is not in a state for this. */
export function badState(code = "not_valid_for_transaction_status"): LawPayRefusal {
  return new LawPayRefusal(422, { code });
}
