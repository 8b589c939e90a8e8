import { dollarsText } from "#domain/money.ts";
import type { Brand } from "../cards.ts";
import type { Batch, Transaction } from "./batch.ts";
import { easternTime, readEastern } from "./eastern.ts";
import { failure, type FailureCode } from "./failures.ts";
import { type Fields, txn } from "./xml.ts";

/** What a merchant may see: their own, and only what is listed already. */
export interface View {
  batch: Batch;
  merchantId: string;
  /** Milliseconds since 1970. */
  listedUntil: number;
}

const dayMs = 86_400_000;

/** txnquery: one by its id, or a list by our own id, dates, the card's last four, the type. Answers XML. */
export function query(view: View, wanted: Fields): string {
  const id = wanted["ssl_txn_id"];
  const criteria = Object.keys(wanted).filter((name) => searchable.includes(name));
  if (id !== undefined) {
    if (criteria.length > 0) return refused("5095");
    const found = visible(view).find((each) => each.id === id);
    return found ? txn(queriedFields(found)) : refused("5040");
  }
  if (criteria.length === 0) return refused("5095");
  const period = periodOf(wanted);
  if (period === "invalid") return refused("5099");
  const found = visible(view).filter((each) => fits(each, wanted, period));
  const list = found.toReversed().map((each) => txn(queriedFields(each)));
  return `<txnlist><ssl_txn_count>${found.length}</ssl_txn_count>${list.join("")}</txnlist>`;
}

const searchable = [
  "ssl_merchant_txn_id",
  "ssl_search_start_date",
  "ssl_search_end_date",
  "ssl_search_transaction_type",
  "ssl_card_suffix",
];

const refused = (code: FailureCode) => txn(failure(code));

function visible({ batch, merchantId, listedUntil }: View): Transaction[] {
  return batch.transactions
    .values()
    .filter(
      (each) =>
        each.merchantId === merchantId && each.state !== "deleted" && each.at <= listedUntil,
    );
}

interface Period {
  from: number;
  to: number;
}

/** With only one end it is thirty days long; without either there is none. */
function periodOf(wanted: Fields): Period | null | "invalid" {
  const { ssl_search_start_date: start, ssl_search_end_date: end } = wanted;
  if (start === undefined && end === undefined) return null;
  const from = start === undefined ? null : readEastern(start, false);
  const to = end === undefined ? null : readEastern(end, true);
  if ((start !== undefined && from === null) || (end !== undefined && to === null))
    return "invalid";
  const period = {
    from: from ?? (to ?? 0) - 30 * dayMs,
    to: to ?? (from ?? 0) + 30 * dayMs,
  };
  const isWrong = period.to <= period.from || period.to - period.from > 32 * dayMs; // 31 and a clock change
  return isWrong ? "invalid" : period;
}

function fits(each: Transaction, wanted: Fields, period: Period | null): boolean {
  const { ssl_merchant_txn_id: ours, ssl_card_suffix: last4 } = wanted;
  const type = wanted["ssl_search_transaction_type"];
  return (
    (period === null || (each.at >= period.from && each.at <= period.to)) &&
    (ours === undefined || each.fields["ssl_merchant_txn_id"] === ours) &&
    (last4 === undefined || each.card.last4 === last4) &&
    (type === undefined || typeOf(each) === type)
  );
}

/** What a transaction is called once it was taken back: which word Converge uses then is not known. */
const typeOf = ({ type, state }: Transaction) => (state === "voided" ? "VOID" : type);

/** What a sale answers with, to the browser or to a server. */
export function saleFields(transaction: Transaction): Fields {
  const { verdict } = transaction;
  return {
    ssl_result: verdict.isApproved ? "0" : "1",
    ...described(transaction),
    ssl_account_balance: amountText(transaction),
    ssl_oar_data: "",
    ssl_ps2000_data: "",
    ssl_issuer_response: verdict.isApproved ? "00" : "05",
    ssl_partner_app_id: "01",
    ssl_avs_address: transaction.fields["ssl_avs_address"] ?? "",
    ssl_avs_zip: transaction.fields["ssl_avs_zip"] ?? "",
  };
}

/** txnquery's fields; there is no dependable ssl_result among them, so here there is none. */
function queriedFields(transaction: Transaction): Fields {
  const { state, userId, verdict } = transaction;
  return {
    ...described(transaction),
    ssl_user_id: userId,
    ssl_trans_status: state === "settled" ? "STL" : (verdict.failedRule ?? "OPN"),
    ssl_entry_mode: "K",
    ssl_merchant_txn_id: transaction.fields["ssl_merchant_txn_id"] ?? "",
  };
}

const shortNames: Partial<Record<Brand, string>> = {
  visa: "VISA",
  mastercard: "MC",
  amex: "AMEX",
  discover: "DISC",
};

function described(transaction: Transaction): Fields {
  const { card, fields, verdict } = transaction;
  const month = String(card.expMonth).padStart(2, "0");
  return {
    ssl_result_message: verdict.message,
    ssl_txn_id: transaction.id,
    ssl_txn_time: easternTime(transaction.at),
    ssl_approval_code: transaction.approvalCode,
    ssl_transaction_type: typeOf(transaction),
    ssl_amount: amountText(transaction),
    ssl_card_number: `${card.first2}**********${card.last4}`,
    ssl_exp_date: `${month}${String(card.expYear % 100).padStart(2, "0")}`,
    ssl_card_type: "CREDITCARD",
    ssl_card_short_description: shortNames[card.brand] ?? "",
    ssl_avs_response: "Y",
    ssl_cvv2_response: verdict.cvv ?? "M",
    ssl_first_name: fields["ssl_first_name"] ?? "",
    ssl_last_name: fields["ssl_last_name"] ?? "",
    ssl_invoice_number: fields["ssl_invoice_number"] ?? "",
    ssl_description: fields["ssl_description"] ?? "",
  };
}

/** Below a dollar Converge leaves the zero out: `.37`. */
function amountText({ amountCents }: Transaction): string {
  return dollarsText(amountCents).replace(/^0\./, ".");
}
