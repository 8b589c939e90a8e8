import { randomInt } from "node:crypto";
import { type Cents, dollarsText } from "#domain/money.ts";
import {
  cardTypeOf,
  creditedCents,
  expiryOf,
  isPnref,
  type Journal,
  newPnref,
  timeOf,
  type Transaction,
  voidSale,
} from "./journal.ts";
import type { Fields } from "./name-value.ts";
import { stateAfter, textOf } from "./results.ts";
import { resultOfAmount } from "./test-cards.ts";
import { amountIn, refused } from "./wanted.ts";

/** TRXTYPE=S with ORIGID: charge the card of an earlier transaction, where the merchant allows it. */
export function sell(journal: Journal, vendor: string, wanted: Fields): Fields {
  const amountCents = amountIn(wanted);
  if (amountCents === null) return refused(4);
  const original = originalOf(journal, vendor, wanted);
  if (typeof original === "number") return refused(original);
  if (original.result !== 0) return refused(120);
  const result = journal.takesReferences
    ? original.laterResult || resultOfAmount(amountCents)
    : notAllowed;
  return answerOf(keep(journal, original, { type: "S", amountCents, result, wanted }));
}

/** The merchant's rule check: reference transactions are disallowed until they are allowed. */
const notAllowed = 117;

/** TRXTYPE=V: before settlement; of a verification, as any reference to one. */
export function voidOne(journal: Journal, vendor: string, wanted: Fields): Fields {
  const original = originalOf(journal, vendor, wanted);
  if (typeof original === "number") return refused(original);
  const isVerification = original.type === "A" && original.amountCents === 0;
  if (isVerification && !journal.takesReferences) return refused(notAllowed);
  if (!voidSale(journal, original.pnref)) return refused(108);
  return {
    RESULT: "0",
    PNREF: newPnref(),
    RESPMSG: "Approved",
    TRANSTIME: timeOf(journal.house.clock.now()),
  };
}

/** TRXTYPE=C: after settlement, the whole or a part, up to the amount. */
export function credit(journal: Journal, vendor: string, wanted: Fields): Fields {
  const original = originalOf(journal, vendor, wanted);
  if (typeof original === "number") return refused(original);
  const amountCents = wanted["AMT"] === undefined ? original.amountCents : amountIn(wanted);
  if (amountCents === null) return refused(4);
  const isCreditable = original.type === "S" && original.state === "settled";
  const given = creditedCents(journal, original.pnref);
  if (!isCreditable || given + amountCents > original.amountCents) return refused(105);
  return answerOf(keep(journal, original, { type: "C", amountCents, result: 0, wanted }));
}

/** TRXTYPE=D: capture what was only authorised. */
export function capture(journal: Journal, vendor: string, wanted: Fields): Fields {
  const original = originalOf(journal, vendor, wanted);
  if (typeof original === "number") return refused(original);
  const amountCents = wanted["AMT"] === undefined ? original.amountCents : amountIn(wanted);
  const isOpen = original.type === "A" && original.state === "authorized" && original.result === 0;
  if (!isOpen || amountCents === null || original.amountCents === 0) return refused(111);
  if (amountCents > original.amountCents) return refused(111);
  return answerOf(keep(journal, original, { type: "S", amountCents, result: 0, wanted }));
}

/** The transaction that ORIGID names, or the RESULT that says why there is none. */
export function originalOf(journal: Journal, vendor: string, wanted: Fields): Transaction | number {
  const id = wanted["ORIGID"] ?? "";
  if (!isPnref(id)) return 7;
  const found = journal.transactions.get(id);
  return found?.vendor === vendor ? found : 19;
}

interface Kept {
  type: "S" | "C";
  amountCents: Cents;
  result: number;
  wanted: Fields;
}

function keep(journal: Journal, original: Transaction, kept: Kept): Transaction {
  const { type, amountCents, result, wanted } = kept;
  const pnref = newPnref();
  return journal.transactions.set(pnref, {
    ...original,
    pnref,
    type,
    result,
    amountCents,
    authCode: result === 0 ? newAuthCode() : "",
    state: stateAfter(result, type),
    voidedFrom: undefined,
    custref: wanted["CUSTREF"] ?? "",
    invnum: wanted["INVNUM"] ?? "",
    origId: original.pnref,
    secureToken: undefined,
    at: journal.house.clock.now(),
  });
}

export const newAuthCode = () => String(randomInt(1_000_000)).padStart(6, "0");

/** What a transaction is answered with at once. */
export function answerOf(transaction: Transaction): Fields {
  const { result, letters } = transaction;
  const isVerification = transaction.type === "A" && transaction.amountCents === 0;
  return {
    RESULT: String(result),
    PNREF: transaction.pnref,
    RESPMSG: result === 0 && isVerification ? "Verified" : textOf(result),
    ...(transaction.authCode !== "" && { AUTHCODE: transaction.authCode }),
    AVSADDR: letters.address,
    AVSZIP: letters.zip,
    CVV2MATCH: letters.code,
    IAVS: "N",
    AMT: dollarsText(transaction.amountCents),
    ACCT: transaction.card.last4,
    EXPDATE: expiryOf(transaction.card),
    CARDTYPE: cardTypeOf(transaction.card),
    TRANSTIME: timeOf(transaction.at),
  };
}
