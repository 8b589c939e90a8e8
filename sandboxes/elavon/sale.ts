import { randomBytes, randomInt } from "node:crypto";
import { cents, centsFromDollars } from "#domain/money.ts";
import { cardOf, isExpired, passesLuhn } from "../cards.ts";
import { type Batch, newTxnId, type Session, type Transaction } from "./batch.ts";
import { failure } from "./failures.ts";
import { saleFields } from "./query.ts";
import { type Verdict, verdictOn } from "./test-cards.ts";
import type { Fields } from "./xml.ts";

const lifetimeMs = 15 * 60_000;
const mostDeclines = 5;

/** A session token for one sale, or the fields of a refusal. */
export function makeSession(batch: Batch, wanted: Fields): { token: string } | Fields {
  if (wanted["ssl_transaction_type"] !== "ccsale") return failure("4010");
  const amountCents = centsFromDollars(wanted["ssl_amount"] ?? "");
  if (amountCents === null || amountCents <= 0) return failure("5002");
  const {
    ssl_merchant_id: merchantId = "",
    ssl_user_id: userId = "",
    ssl_pin: _pin,
    ...fields
  } = wanted;
  const token = randomBytes(33).toString("base64");
  batch.sessions.set(token, {
    token,
    merchantId,
    userId,
    amountCents,
    fields,
    madeAt: batch.house.clock.now(),
    declines: 0,
    isUsed: false,
  });
  return { token };
}

/** Which callback the browser is to make, and with what; `none` leaves it waiting. */
export type Outcome =
  | { callback: "onApproval" | "onDeclined"; value: Fields }
  | { callback: "onError"; value: string }
  | { callback: "none" };

const timedOut: Outcome = { callback: "onError", value: "The request has timed out." };

/** What `ConvergeEmbeddedPayment.pay` sends. The amount and the references are the session's, whatever it says. */
export function pay(batch: Batch, wanted: Fields): Outcome {
  const session = batch.sessions.get(wanted["ssl_txn_auth_token"] ?? "");
  const problem = problemOf(batch, session);
  if (!session || problem) return { callback: "onError", value: problem ?? "" };
  const number = wanted["ssl_card_number"] ?? "";
  const [, month = "", year = ""] = /^(\d\d)(\d\d)$/.exec(wanted["ssl_exp_date"] ?? "") ?? [];
  const invalid = invalidField(number, Number(month), wanted["ssl_cvv2cvc2"] ?? "");
  if (invalid) {
    countDecline(batch, session);
    return { callback: "onDeclined", value: failure(invalid) };
  }
  const card = cardOf(number, Number(month), 2_000 + Number(year));
  const isPast = isExpired(card.expMonth, card.expYear, batch.house.clock.now());
  const verdict: Verdict = isPast
    ? { message: "EXPIRED CARD", isApproved: false }
    : verdictOn(number, session.amountCents);
  if (verdict.callback === "time-out before") return timedOut;
  const sale = keepSale(batch, session, verdict, card, wanted);
  if (!verdict.isApproved) {
    countDecline(batch, session);
    return { callback: "onDeclined", value: saleFields(sale) };
  }
  batch.sessions.set(session.token, { ...session, isUsed: true });
  if (verdict.callback === "none") return { callback: "none" };
  if (verdict.callback === "time-out after") return timedOut;
  return { callback: "onApproval", value: saleFields(sale) };
}

/** Why nothing can be paid in this session; the real texts are not known. */
function problemOf(batch: Batch, session: Session | undefined): string | null {
  if (!session) return "The transaction token is invalid.";
  if (session.isUsed) return "The transaction token has already been used.";
  if (session.declines >= mostDeclines) return "The transaction token has been declined too often.";
  const isOld = batch.house.clock.now() - session.madeAt > lifetimeMs;
  return isOld ? "The transaction token has expired." : null;
}

function invalidField(
  number: string,
  month: number,
  code: string,
): "5000" | "5001" | "5021" | null {
  if (!/^\d{12,19}$/.test(number) || !passesLuhn(number)) return "5000";
  if (!(month >= 1 && month <= 12)) return "5001";
  return code === "" || /^\d{3,4}$/.test(code) ? null : "5021";
}

function countDecline(batch: Batch, session: Session): void {
  batch.sessions.set(session.token, { ...session, declines: session.declines + 1 });
}

function keepSale(
  batch: Batch,
  session: Session,
  verdict: Verdict,
  card: Transaction["card"],
  wanted: Fields,
): Transaction {
  const {
    ssl_card_number: _number,
    ssl_cvv2cvc2: _code,
    ssl_txn_auth_token: _token,
    ...payer
  } = wanted;
  const amountCents = verdict.isPartial
    ? cents(Math.trunc(session.amountCents / 2))
    : session.amountCents;
  const id = newTxnId(batch);
  return batch.transactions.set(id, {
    id,
    merchantId: session.merchantId,
    userId: session.userId,
    type: "SALE",
    amountCents,
    verdict,
    approvalCode: verdict.isApproved ? String(randomInt(100_000, 1_000_000)) : "",
    card,
    fields: { ...payer, ...session.fields },
    state: "open",
    at: batch.house.clock.now(),
  });
}
