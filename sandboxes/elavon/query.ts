import { dollarsText } from "#kit/domain/money.ts";
import type { Brand } from "../cards.ts";
import { easternTime, readEasternTime } from "./eastern-time.ts";
import { errorReply } from "./errors.ts";
import type { ElavonStore, Transaction } from "./store.ts";
import { type Fields, txn } from "./xml.ts";

/** A merchant sees only their own transactions, and only those already listed. */
export interface Caller {
  store: ElavonStore;
  merchantId: string;
  /** Milliseconds since 1970. */
  listedUntil: number;
}

const maxRangeMs = 32 * 86_400_000; // 31 days and a clock change

/** txnquery: one by its id, or a list by dates. Answers XML. */
export function query(caller: Caller, fields: Fields): string {
  const { ssl_txn_id: id, ssl_search_start_date: start, ssl_search_end_date: end } = fields;
  if (id !== undefined) {
    if (start !== undefined || end !== undefined) return txn(errorReply("5095"));
    const found = visible(caller).find((each) => each.id === id);
    return txn(found ? queriedFields(found) : errorReply("5040"));
  }
  if (start === undefined || end === undefined) return txn(errorReply("5095"));
  const [from, to] = [readEasternTime(start), readEasternTime(end)];
  if (from === null || to === null || to <= from || to - from > maxRangeMs)
    return txn(errorReply("5099"));
  const found = visible(caller).filter(({ at }) => at >= from && at <= to);
  const list = found.toReversed().map((each) => txn(queriedFields(each)));
  return `<txnlist><ssl_txn_count>${found.length}</ssl_txn_count>${list.join("")}</txnlist>`;
}

function visible({ store, merchantId, listedUntil }: Caller): Transaction[] {
  return store.transactions
    .values()
    .filter((each) => each.merchantId === merchantId && each.at <= listedUntil);
}

export function saleFields(transaction: Transaction): Fields {
  const { outcome } = transaction;
  return {
    ssl_result: outcome.isApproved ? "0" : "1",
    ...commonFields(transaction),
    ssl_account_balance: amountText(transaction),
    ssl_issuer_response: outcome.isApproved ? "00" : "05",
    ssl_avs_address: transaction.fields["ssl_avs_address"] ?? "",
    ssl_avs_zip: transaction.fields["ssl_avs_zip"] ?? "",
  };
}

/** txnquery's fields. Their ssl_result is not reliable, so here there is none. */
function queriedFields(transaction: Transaction): Fields {
  const { state, userId, outcome } = transaction;
  return {
    ...commonFields(transaction),
    ssl_user_id: userId,
    ssl_trans_status: state === "settled" ? "STL" : (outcome.failedRule ?? "OPN"),
    ssl_entry_mode: "K",
  };
}

const shortNames: Partial<Record<Brand, string>> = {
  visa: "VISA",
  mastercard: "MC",
  amex: "AMEX",
  discover: "DISC",
};

function commonFields(transaction: Transaction): Fields {
  const { card, fields, outcome, state, type } = transaction;
  const month = String(card.expMonth).padStart(2, "0");
  return {
    ssl_result_message: outcome.message,
    ssl_txn_id: transaction.id,
    ssl_txn_time: easternTime(transaction.at),
    ssl_approval_code: transaction.approvalCode,
    // Converge's word for a voided sale is unknown.
    ssl_transaction_type: state === "voided" ? "VOID" : type,
    ssl_amount: amountText(transaction),
    ssl_card_number: `${card.first2}**********${card.last4}`,
    ssl_exp_date: `${month}${String(card.expYear % 100).padStart(2, "0")}`,
    ssl_card_type: "CREDITCARD",
    ssl_card_short_description: shortNames[card.brand] ?? "",
    ssl_avs_response: "Y",
    ssl_cvv2_response: outcome.cvv ?? "M",
    ssl_first_name: fields["ssl_first_name"] ?? "",
    ssl_last_name: fields["ssl_last_name"] ?? "",
    ssl_invoice_number: fields["ssl_invoice_number"] ?? "",
    ssl_description: fields["ssl_description"] ?? "",
  };
}

/** Below a dollar Converge leaves out the zero: `.37`. */
function amountText({ amountCents }: Transaction): string {
  return dollarsText(amountCents).replace(/^0\./, ".");
}
