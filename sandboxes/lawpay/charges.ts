import { randomInt } from "node:crypto";
import { type Cents, cents } from "#kit/domain/money.ts";
import { cardOf, fullYear } from "../cards.ts";
import { at, textAt, type Json } from "../json.ts";
import { amountToRefund } from "../sandbox.ts";
import { badState, invalid, LawPayError, missing } from "./errors.ts";
import {
  type Caller,
  insertTransaction,
  type LawPayRequest,
  type LawPayStore,
  newId,
  refundedCents,
  refundsOf,
  type Token,
  tokenJson,
  type Transaction,
  transactionJson,
  updateTransaction,
} from "./store.ts";
import { outcomeOf } from "./test-cards.ts";

const tokenLifetimeMs = 5 * 60_000;

const payerNames = ["name", "email", "address1", "city", "state", "postal_code"];

/** POST /v1/tokens: anything becomes a token; the card is only checked when it is charged. */
export function createToken({ store, caller: { merchant }, body }: LawPayRequest): object {
  const number = (textAt(body, "number") ?? "").replaceAll(/\D/g, "");
  const expMonth = Number(textAt(body, "exp_month") ?? "0");
  const expYear = fullYear(textAt(body, "exp_year") ?? "0");
  const id = newId();
  const payer = payerNames.flatMap((name): [string, string][] => {
    const value = textAt(body, name);
    return value === undefined ? [] : [[name, value]];
  });
  const madeAt = store.context.clock.now();
  const token = store.tokens.set(id, {
    id,
    merchant,
    card: cardOf(number, expMonth, expYear),
    outcome: outcomeOf(number, expMonth, expYear, madeAt),
    payer: Object.fromEntries(payer),
    madeAt,
    isUsed: false,
  });
  return { ...tokenJson(token), ...(at(body, "cvv") !== undefined && { cvv: "***" }) };
}

/** POST /v1/charges. Throws a LawPayError; a refused card leaves a FAILED transaction. */
export function createCharge({ store, caller, body }: LawPayRequest): object {
  const amountCents = amountIn(body);
  const { merchant, mode, trustAccountId } = caller;
  const accountId = textAt(body, "account_id") ?? caller.accountId;
  if (accountId !== caller.accountId && accountId !== trustAccountId) throw missing("Account[id]");
  if (mode !== "TEST") {
    const message = `Mode ${mode} not supported for account of type TEST`;
    throw new LawPayError(422, { code: "unavailable_for_merchant_mode", message });
  }
  const currency = textAt(body, "currency") ?? "USD";
  if (currency !== "USD") throw new LawPayError(422, { code: "unsupported_currency" });
  const reference = textAt(body, "reference") ?? "";
  if (reference.length > 128) throw invalid("reference", "invalid_length");
  const { card, payer, outcome } = takeToken(store, caller, textAt(body, "method"));
  const { code, facility, context } = outcome;
  const approved = outcome.isPending ? ("PENDING" as const) : ("AUTHORIZED" as const);
  const transaction = insertTransaction(store, {
    merchant,
    mode,
    type: "CHARGE",
    accountId,
    status: code ? "FAILED" : approved,
    failureCode: code,
    amountCents: outcome.isPartial ? cents(Math.trunc(amountCents / 2)) : amountCents,
    authorizationCode: code ? "" : String(randomInt(100_000, 1_000_000)),
    reference,
    card,
    payer,
    outcome,
  });
  if (code) throw new LawPayError(422, { code, facility, context, entity_id: transaction.id });
  return transactionJson(store, transaction);
}

/** The real error for an old or used token is unknown. */
function takeToken(store: LawPayStore, caller: Caller, id: string | undefined): Token {
  if (id === undefined) throw new LawPayError(422, { code: "no_payment_method" });
  const found = store.tokens.get(id);
  const isOld = found && store.context.clock.now() - found.madeAt > tokenLifetimeMs;
  if (!found || found.merchant !== caller.merchant || found.isUsed || isOld) {
    throw new LawPayError(422, { code: "no_card_details_or_token_present" });
  }
  return store.tokens.set(id, { ...found, isUsed: true });
}

/** Whole cents, as a number or as text. */
function amountIn(body: Json): Cents {
  const amount = at(body, "amount");
  if (amount === undefined || amount === null) throw invalid("amount", "not_null");
  const text = String(textAt(body, "amount"));
  if (!/^-?\d{1,12}$/.test(text)) throw invalid("amount", "invalid");
  if (Number(text) < 1) throw invalid("amount", "below_minimum_value");
  return cents(Number(text));
}

/** Only while authorised; a charge only without refunds. */
export function voidTransaction(request: LawPayRequest): object {
  const { store } = request;
  const transaction = findTransaction(request);
  if (!isVoidable(store, transaction)) throw badState();
  return transactionJson(store, updateTransaction(store, transaction, { status: "VOIDED" }));
}

function isVoidable(store: LawPayStore, { id, status }: Transaction): boolean {
  return status === "AUTHORIZED" && refundsOf(store, id).every((each) => each.status === "VOIDED");
}

/** In LawPay's own pages; false if it is too late. */
export function voidAtProcessor(store: LawPayStore, id: string): boolean {
  const found = store.transactions.get(id);
  if (!found || !isVoidable(store, found)) return false;
  updateTransaction(store, found, { status: "VOIDED" });
  return true;
}

/** In LawPay's own pages: all that is left, or a part. */
export function refundAtProcessor(store: LawPayStore, id: string, wanted?: number): boolean {
  const charge = store.transactions.get(id);
  if (!charge || !isRefundable(store, charge)) return false;
  const amountCents = amountToRefund(charge.amountCents - refundedCents(store, id), wanted);
  if (amountCents === null) return false;
  insertRefund(store, charge, amountCents, "");
  return true;
}

/** In whole or in part, repeatedly up to the amount, for six months. */
export function refundCharge(request: LawPayRequest): object {
  const { store, id, body } = request;
  const charge = findTransaction(request);
  const amountCents = amountIn(body);
  if (!isRefundable(store, charge)) throw badState();
  if (refundedCents(store, id) + amountCents > charge.amountCents) {
    throw badState("refund_exceeds_transaction");
  }
  const reference = textAt(body, "reference") ?? "";
  return transactionJson(store, insertRefund(store, charge, amountCents, reference));
}

function isRefundable({ context }: LawPayStore, charge: Transaction): boolean {
  const isPaid = charge.status === "AUTHORIZED" || charge.status === "COMPLETED";
  const isTooOld = context.clock.now() - charge.createdAt > 183 * 86_400_000;
  return charge.type === "CHARGE" && isPaid && !isTooOld;
}

function insertRefund(
  store: LawPayStore,
  charge: Transaction,
  amountCents: Cents,
  reference: string,
): Transaction {
  const { id: chargeId } = charge;
  const refund = { type: "REFUND", status: "AUTHORIZED" } as const;
  return insertTransaction(store, { ...charge, ...refund, amountCents, reference, chargeId });
}

export function showTransaction(request: LawPayRequest): object {
  return transactionJson(request.store, findTransaction(request));
}

/** Transactions of another merchant or the other mode do not exist for this one. */
function findTransaction({ store, caller, id }: LawPayRequest): Transaction {
  const found = store.transactions.get(id);
  if (found?.merchant !== caller.merchant || found.mode !== caller.mode) {
    throw missing("Transaction[id]");
  }
  return found;
}

/** The daily run: authorised transactions are captured or fail. */
export function settle(store: LawPayStore, failing: string[]): number {
  const due = store.transactions.values().filter(({ status }) => status === "AUTHORIZED");
  for (const each of due) {
    const failed = { status: "FAILED", failureCode: "settlement_failed" } as const;
    updateTransaction(store, each, failing.includes(each.id) ? failed : { status: "COMPLETED" });
  }
  return due.length;
}
