import type { WireAnswer } from "../desk.ts";
import { textAt, type Tree } from "../tree.ts";
import { isVoidable, nextTransId, refundedCents } from "./ledger.ts";
import { approved } from "./test-cards.ts";
import { duplicate, failed, notFound, transactionAnswer } from "./transaction-answers.ts";
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

export function voidCharge(
  counter: Counter,
  merchant: Merchant,
  wanted: Tree | undefined,
  refId: string | undefined,
): WireAnswer {
  const found = ofMerchant(counter, merchant, textAt(wanted, "refTransId"));
  if (!found) return notFound(refId);
  if (found.status === "voided") {
    const again = { code: "310", description: "This transaction has already been voided." };
    return transactionAnswer({ ...found, verdict: approved }, merchant, refId, again);
  }
  if (!isVoidable(found)) return notFound(refId);
  const voided = counter.ledger.transactions.set(found.transId, { ...found, status: "voided" });
  counter.happened("void.created", voided);
  // The verdict on the void: that on the charge may have been a hold, or an approval of a part.
  return transactionAnswer({ ...voided, verdict: approved }, merchant, refId);
}

export function refund(
  counter: Counter,
  merchant: Merchant,
  wanted: Tree | undefined,
  refId: string | undefined,
): WireAnswer {
  const { ledger, house } = counter;
  const charged = ofMerchant(counter, merchant, textAt(wanted, "refTransId"));
  const last4 = (textAt(wanted, "payment", "creditCard", "cardNumber") ?? "").slice(-4);
  const amountCents = amountOf(wanted);
  if (amountCents === null) return failed(refId, "5", "A valid amount is required.");
  if (!charged) return notFound(refId);
  const isTooOld = house.clock.now() - charged.at > 180 * 86_400_000;
  if (charged.status !== "settledSuccessfully" || charged.card.last4 !== last4 || isTooOld) {
    return failed(
      refId,
      "54",
      "The referenced transaction does not meet the criteria for issuing a credit.",
    );
  }
  if (refundedCents(ledger, charged.transId) + amountCents > charged.amountCents) {
    return failed(
      refId,
      "55",
      "The sum of credits against the referenced transaction would exceed original debit amount.",
    );
  }
  const window = setting(wanted, "duplicateWindow");
  const sameness = samenessOf(merchant, wanted, charged.card, window);
  const earlier = earlierWith(counter, sameness, Number(window ?? "120"));
  if (earlier) return duplicate(refId, window === undefined ? null : earlier);
  const refunded = ledger.transactions.set(nextTransId(ledger), {
    ...described(wanted, refId),
    transId: nextTransId(ledger),
    login: merchant.login,
    type: "refundTransaction",
    status: "refundPendingSettlement",
    verdict: approved,
    authCode: "",
    avs: "P",
    cvv: "",
    amountCents,
    card: charged.card,
    at: house.clock.now(),
    refTransId: charged.transId,
    sameness,
  });
  counter.happened("refund.created", refunded);
  return transactionAnswer(refunded, merchant, refId);
}
