import { randomBytes, randomInt } from "node:crypto";
import { cents, centsFromDollars } from "#kit/domain/money.ts";
import { cardOf, isExpired, passesLuhn } from "../cards.ts";
import { type ErrorCode, errorReply } from "./errors.ts";
import { saleFields } from "./query.ts";
import { type ElavonStore, newTxnId, type Session, type Transaction } from "./store.ts";
import { type CardOutcome, outcomeOf } from "./test-cards.ts";
import type { Fields } from "./xml.ts";

const lifetimeMs = 15 * 60_000;
const maxDeclines = 5;

/** A session token for one sale, or the fields of a refusal. */
export function openSession(store: ElavonStore, request: Fields): { token: string } | Fields {
  if (request["ssl_transaction_type"] !== "ccsale") return errorReply("4010");
  const amountCents = centsFromDollars(request["ssl_amount"] ?? "");
  if (amountCents === null || amountCents <= 0) return errorReply("5002");
  const {
    ssl_merchant_id: merchantId = "",
    ssl_user_id: userId = "",
    ssl_pin: _pin,
    ...fields
  } = request;
  const token = randomBytes(33).toString("base64");
  store.sessions.set(token, {
    token,
    merchantId,
    userId,
    amountCents,
    fields,
    madeAt: store.context.clock.now(),
    declines: 0,
    isUsed: false,
  });
  return { token };
}

/** The callback for the browser to make, and its value; `none` leaves it waiting. */
export type BrowserCallback =
  | { callback: "onApproval" | "onDeclined"; value: Fields }
  | { callback: "onError"; value: string }
  | { callback: "none" };

const timedOut: BrowserCallback = { callback: "onError", value: "The request has timed out." };

/**
 * The request of `ConvergeEmbeddedPayment.pay`. Amount and references come from the session, never from the
 * request.
 */
export function pay(store: ElavonStore, fields: Fields): BrowserCallback {
  const session = store.sessions.get(fields["ssl_txn_auth_token"] ?? "");
  const problem = problemOf(store, session);
  if (!session || problem) return { callback: "onError", value: problem ?? "" };
  const number = fields["ssl_card_number"] ?? "";
  const [, month = "", year = ""] = /^(\d\d)(\d\d)$/.exec(fields["ssl_exp_date"] ?? "") ?? [];
  const invalid = invalidField(number, Number(month), fields["ssl_cvv2cvc2"] ?? "");
  if (invalid) {
    countDecline(store, session);
    return { callback: "onDeclined", value: errorReply(invalid) };
  }
  const card = cardOf(number, Number(month), 2_000 + Number(year));
  const isPast = isExpired(card.expMonth, card.expYear, store.context.clock.now());
  const outcome: CardOutcome = isPast
    ? { message: "EXPIRED CARD", isApproved: false }
    : outcomeOf(number, session.amountCents);
  if (outcome.callback === "time-out before") return timedOut;
  const sale = insertSale(store, session, outcome, card, fields);
  if (!outcome.isApproved) {
    countDecline(store, session);
    return { callback: "onDeclined", value: saleFields(sale) };
  }
  store.sessions.set(session.token, { ...session, isUsed: true });
  if (outcome.callback === "none") return { callback: "none" };
  if (outcome.callback === "time-out after") return timedOut;
  return { callback: "onApproval", value: saleFields(sale) };
}

/** Why nothing can be paid in this session; the real texts are unknown. */
function problemOf(store: ElavonStore, session: Session | undefined): string | null {
  if (!session) return "The transaction token is invalid.";
  if (session.isUsed) return "The transaction token has already been used.";
  if (session.declines >= maxDeclines) return "The transaction token has been declined too often.";
  const isOld = store.context.clock.now() - session.madeAt > lifetimeMs;
  return isOld ? "The transaction token has expired." : null;
}

function invalidField(number: string, month: number, code: string): ErrorCode | null {
  if (!/^\d{12,19}$/.test(number) || !passesLuhn(number)) return "5000";
  if (!(month >= 1 && month <= 12)) return "5001";
  return code === "" || /^\d{3,4}$/.test(code) ? null : "5021";
}

function countDecline(store: ElavonStore, session: Session): void {
  store.sessions.set(session.token, { ...session, declines: session.declines + 1 });
}

function insertSale(
  store: ElavonStore,
  session: Session,
  outcome: CardOutcome,
  card: Transaction["card"],
  fields: Fields,
): Transaction {
  const {
    ssl_card_number: _number,
    ssl_cvv2cvc2: _code,
    ssl_txn_auth_token: _token,
    ...payer
  } = fields;
  const amountCents = outcome.isPartial
    ? cents(Math.trunc(session.amountCents / 2))
    : session.amountCents;
  const id = newTxnId(store);
  return store.transactions.set(id, {
    id,
    merchantId: session.merchantId,
    userId: session.userId,
    type: "SALE",
    amountCents,
    outcome,
    approvalCode: outcome.isApproved ? String(randomInt(100_000, 1_000_000)) : "",
    card,
    fields: { ...payer, ...session.fields },
    state: "open",
    at: store.context.clock.now(),
  });
}
