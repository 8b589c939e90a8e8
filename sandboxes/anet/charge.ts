import { randomInt } from "node:crypto";
import { type Card, cardOf, fullYear } from "../cards.ts";
import type { WireAnswer } from "../desk.ts";
import { at, textAt, type Tree } from "../tree.ts";
import { refusal } from "./answers.ts";
import { nextTransId } from "./ledger.ts";
import { takeNonce } from "./nonces.ts";
import {
  avsLetter,
  cardVerdict,
  cvvLetter,
  type Verdict,
  verdictOn,
  verdictOnAmount,
} from "./test-cards.ts";
import {
  duplicate,
  failed,
  notFound,
  testAnswer,
  transactionAnswer,
} from "./transaction-answers.ts";
import {
  amountOf,
  type Counter,
  described,
  earlierWith,
  type Merchant,
  ofMerchant,
  samenessOf,
  setting,
} from "./wanted.ts";

interface Method {
  card: Card;
  verdict: Verdict;
  cvv: string;
  zip?: string | undefined;
}

export function charge(
  counter: Counter,
  merchant: Merchant,
  wanted: Tree | undefined,
  refId: string | undefined,
): WireAnswer {
  if (setting(wanted, "testRequest") === "true") return testAnswer(refId);
  const method = methodOf(counter, merchant, wanted);
  if ("code" in method) return refusal(method.code, method.text, refId);
  const amountCents = amountOf(wanted);
  if (amountCents === null) return failed(refId, "5", "A valid amount is required.");
  const window = setting(wanted, "duplicateWindow");
  const sameness = samenessOf(merchant, wanted, method.card, window);
  const earlier = earlierWith(counter, sameness, Number(window ?? "120"));
  if (earlier) return duplicate(refId, window === undefined ? null : earlier);
  const zip = textAt(wanted, "billTo", "zip") ?? method.zip;
  const verdict = verdictOnAmount(
    verdictOn(method.verdict, method.cvv, zip),
    amountCents,
    setting(wanted, "allowPartialAuth"),
  );
  if (verdict.responseCode === "3") return failed(refId, verdict.reason, verdict.text);
  const type = textAt(wanted, "transactionType") ?? "";
  const transaction = counter.ledger.transactions.set(nextTransId(counter.ledger), {
    ...described(wanted, refId),
    transId: nextTransId(counter.ledger),
    login: merchant.login,
    type,
    status: statusAfter(verdict, type),
    verdict,
    authCode: isAuthorised(verdict) ? authCode() : "",
    avs: avsLetter(zip),
    cvv: method.cvv,
    amountCents: verdict.onCardCents ?? amountCents,
    ...(verdict.onCardCents !== undefined && {
      requestedCents: amountCents,
      splitTenderId: String(randomInt(100_000, 1_000_000)),
    }),
    card: method.card,
    at: counter.house.clock.now(),
    sameness,
  });
  if (isAuthorised(verdict)) counter.happened(createdBy(type), transaction);
  else if (verdict.responseCode === "4") counter.happened("fraud.held", transaction);
  return transactionAnswer(transaction, merchant, refId);
}

const createdBy = (type: string) =>
  type === "authOnlyTransaction" ? "authorization.created" : "authcapture.created";

const isAuthorised = ({ responseCode, onCardCents }: Verdict) =>
  responseCode === "1" || onCardCents !== undefined;

function statusAfter(verdict: Verdict, type: string): string {
  if (verdict.responseCode === "4" && isAuthorised(verdict)) return "authorizedPendingRelease";
  if (verdict.responseCode === "2") return "declined";
  if (verdict.responseCode === "4") return "FDSPendingReview";
  return type === "authOnlyTransaction" ? "authorizedPendingCapture" : "capturedPendingSettlement";
}

function methodOf(
  { ledger, house }: Counter,
  merchant: Merchant,
  wanted: Tree | undefined,
): Method | { code: string; text: string } {
  const opaque = at(wanted, "payment", "opaqueData");
  if (opaque !== undefined) {
    return takeNonce(
      ledger,
      house,
      merchant.login,
      textAt(opaque, "dataDescriptor"),
      textAt(opaque, "dataValue"),
    );
  }
  const number = textAt(wanted, "payment", "creditCard", "cardNumber") ?? "";
  const [, year = "", month = ""] =
    /^(\d{4})-(\d{2})$/.exec(textAt(wanted, "payment", "creditCard", "expirationDate") ?? "") ?? [];
  const card = cardOf(number, Number(month), fullYear(year));
  return {
    card,
    verdict: cardVerdict(number, card, house.clock.now()),
    cvv: cvvLetter(textAt(wanted, "payment", "creditCard", "cardCode")),
  };
}

export function capture(
  counter: Counter,
  merchant: Merchant,
  wanted: Tree | undefined,
  refId: string | undefined,
): WireAnswer {
  const found = ofMerchant(counter, merchant, textAt(wanted, "refTransId"));
  if (found?.status === "capturedPendingSettlement") {
    return failed(refId, "311", "This transaction has already been captured.");
  }
  if (found?.status !== "authorizedPendingCapture") return notFound(refId);
  const amountCents = amountOf(wanted) ?? found.amountCents;
  const captured = { ...found, status: "capturedPendingSettlement", amountCents };
  counter.ledger.transactions.set(found.transId, captured);
  return transactionAnswer(captured, merchant, refId);
}

function authCode(): string {
  return randomInt(36 ** 5, 36 ** 6)
    .toString(36)
    .toUpperCase();
}
